import { Undecided } from "./failure.ts"
import type { Pool } from "./pool.ts"
import type { Performed, OperationRequest, Writer } from "./writer.ts"

/** At most so many share a transaction. */
const MAX_GROUP = 32

type Single = OperationRequest & { readonly session_id: string }

interface Waiting {
  readonly request: Single
  readonly answer: PromiseWithResolvers<Performed>
}

/** What arrives while others commit commits together next, as on SQLite: of ten operations in one
 *  transaction each costs a tenth of its round trips. All of a group are about different sessions.
 *  When one goes wrong, or must wait for a row that another node has, each is done by itself. */
export class Groups {
  readonly #writer: Writer
  readonly #pool: Pool
  readonly #lanes: number
  readonly #waiting: Waiting[] = []
  #running = 0

  /** The pool has a connection for each of the lanes. */
  constructor(writer: Writer, about: { pool: Pool; lanes: number }) {
    this.#writer = writer
    this.#pool = about.pool
    this.#lanes = about.lanes
  }

  perform(request: Single): Promise<Performed> {
    const answer = Promise.withResolvers<Performed>()
    this.#waiting.push({ request, answer })
    if (this.#running < this.#lanes) {
      this.#running += 1
      // Whoever calls in the same tick goes along.
      queueMicrotask(() => void this.#run())
    }
    return answer.promise
  }

  async #run() {
    while (this.#waiting.length > 0)
      // All nodes lock in the same order.
      await this.#group(this.#waiting.splice(0, MAX_GROUP).sort(bySession))
    this.#running -= 1
  }

  async #group(group: readonly Waiting[]) {
    try {
      const requests = group.map(({ request }) => request)
      const performed = await this.#writer.together(this.#pool, requests)
      for (const [at, one] of performed.entries()) group[at]?.answer.resolve(one)
    } catch (error) {
      if (error instanceof Undecided) return refuse(group, error)
      // Nothing of it was done: each tries by itself, and those who come meanwhile need not wait.
      for (const { request, answer } of group)
        this.#writer.alone(request).then(answer.resolve, answer.reject)
    }
  }
}

function bySession(one: Waiting, other: Waiting): number {
  return one.request.session_id < other.request.session_id ? -1 : 1
}

function refuse(group: readonly Waiting[], error: Undecided) {
  for (const { answer } of group) answer.reject(error)
}
