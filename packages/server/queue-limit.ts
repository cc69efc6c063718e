import type { Store } from "compositor-engine/store/store"
import { HttpError } from "./errors.ts"

/** More than this waits for nobody: the sender hears of it instead. */
const MAX_QUEUED = 1000
/** Other nodes let messages in too: after so many a queue is counted again. */
const COUNT_EVERY = 64
const MAX_KNOWN = 10_000

interface KnownQueue {
  /** It can only have grown by what was let in since it was counted. */
  at_most: number
  since: number
  /** Let in, and perhaps not yet stored. */
  sending: number
}

type QueueCounts = Pick<Store, "queuedCount" | "message">

/** How many messages wait in each session, as far as this server knows. */
export class QueueLimit {
  readonly #store: QueueCounts
  readonly #queues = new Map<string, KnownQueue>()

  constructor(store: QueueCounts) {
    this.#store = store
  }

  /** Send where the queue has room. Counting takes as long as the queue is, so it is done now and then,
   *  and before anything is refused. */
  async send<Sent>(
    { session_id, message_id }: { session_id: string; message_id: string | undefined },
    send: () => Promise<Sent>,
  ): Promise<Sent> {
    const queue = this.#queue(session_id)
    if (queue.since >= COUNT_EVERY || queue.at_most >= MAX_QUEUED) {
      const counted = await this.#store.queuedCount(session_id)
      // A retry of what was accepted is answered as it was.
      if (counted >= MAX_QUEUED && !(await this.#isStored(session_id, message_id)))
        throw full(session_id)
      queue.at_most = counted + queue.sending
      queue.since = 0
    }
    queue.at_most += 1
    queue.since += 1
    queue.sending += 1
    return send().finally(() => (queue.sending -= 1))
  }

  #queue(session_id: string): KnownQueue {
    if (this.#queues.size > MAX_KNOWN) this.#queues.clear()
    const queue = this.#queues.get(session_id) ?? { at_most: MAX_QUEUED, since: 0, sending: 0 }
    this.#queues.set(session_id, queue)
    return queue
  }

  async #isStored(session_id: string, message_id: string | undefined): Promise<boolean> {
    return message_id !== undefined && (await this.#store.message(session_id, message_id)) !== null
  }
}

function full(session_id: string): HttpError {
  const message = `the queue of ${session_id} is full: ${MAX_QUEUED} messages wait already`
  return new HttpError(429, "queue_full", message)
}
