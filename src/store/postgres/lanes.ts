import type { Lock } from "./locks.ts"

/** Operations about the same row go one after the other in this process already: waiting for each other
 *  in the database they would hold all its connections. */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(lane: string | undefined, work: () => Promise<T>): Promise<T> {
    if (lane === undefined) return work()
    const before = this.#last.get(lane)
    const done = before ? before.then(work, work) : work()
    this.#last.set(lane, done)
    try {
      return await done
    } finally {
      if (this.#last.get(lane) === done) this.#last.delete(lane)
    }
  }
}

export function laneOf({ sessions, turn, readers, streams, trigger }: Lock): string | undefined {
  return sessions?.[0] ?? turn ?? readers ?? streams?.[0] ?? trigger
}
