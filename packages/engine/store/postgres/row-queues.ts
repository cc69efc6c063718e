import type { Turn } from "compositor-core/message/row"
import type { Lock } from "./locks.ts"

/** So many turns are remembered; of one that is forgotten nothing goes wrong, it only waits longer. */
const MAX_TURNS = 10_000

/** Operations about the same row go one after the other in this process already: waiting for each other
 *  in the database they would hold all its connections. */
export class RowQueues {
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #sessions = new Map<string, string>()

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

  laneOf({ sessions, turn, readers, streams, trigger }: Lock): string | undefined {
    const session = turn === undefined ? undefined : this.#sessions.get(turn)
    return sessions?.[0] ?? session ?? turn ?? readers ?? streams?.[0] ?? trigger
  }

  /** The one session that an operation is about, when it is about nothing else. */
  sessionOf({ sessions, turn, readers, streams, trigger, blobs }: Lock): string | undefined {
    if (blobs || readers !== undefined || streams || trigger !== undefined) return undefined
    if (turn !== undefined) return this.#sessions.get(turn)
    return sessions?.length === 1 ? sessions[0] : undefined
  }

  /** Remember of which session the turns are that an operation told of. */
  learn(value: unknown) {
    const { turn, claim, next } = (value ?? {}) as Told
    for (const one of [turn, claim?.turn, next?.turn]) {
      if (typeof one?.session_id !== "string") continue
      this.#sessions.delete(one.id)
      this.#sessions.set(one.id, one.session_id)
      if (this.#sessions.size <= MAX_TURNS) continue
      for (const oldest of this.#sessions.keys()) {
        this.#sessions.delete(oldest)
        break
      }
    }
  }
}

interface Told {
  readonly turn?: Turn | null
  readonly claim?: { readonly turn: Turn } | null
  readonly next?: { readonly turn: Turn } | null
}
