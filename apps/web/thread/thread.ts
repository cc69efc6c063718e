import { ApiError, type Client } from "compositor-client/client"
import { follow } from "compositor-client/events"
import { applyEvent, prepend, type SessionView, viewOfPage } from "compositor-client/view"
import type { StreamEvent, Turn } from "compositor-core/message/row"

const PAGE = 40
const RETRY_AFTER = 1_000

interface ThreadEvents {
  readonly changed: (view: SessionView) => void
  readonly linked: (linked: boolean) => void
  /** A row of the stream, whatever it is about. */
  readonly row?: (row: StreamEvent) => void
  /** The session is not there. */
  readonly gone: (error: ApiError) => void
  /** An error that ends the matter, such as a token that is refused. */
  readonly isFinal: (error: unknown) => boolean
}

/** One session as it is now: a page of it, and the stream from there on, for as long as it is shown.
 *  Started again after a stop, it goes on where it was. */
export class Thread {
  readonly id: string
  readonly #client: Client
  readonly #events: ThreadEvents
  #view: SessionView | undefined
  #link: AbortController | undefined

  constructor(client: Client, id: string, events: ThreadEvents) {
    this.#client = client
    this.id = id
    this.#events = events
  }

  get view(): SessionView | undefined {
    return this.#view
  }

  start() {
    if (this.#link) return
    this.#link = new AbortController()
    void this.#follow(this.#link.signal)
  }

  stop() {
    this.#link?.abort()
    this.#link = undefined
  }

  async readOlder() {
    const before = this.#view?.older
    if (!before) return
    const page = await this.#client.messages(this.id, { limit: PAGE, before })
    if (this.#view) this.#show(prepend(this.#view, page))
  }

  async #follow(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal)
      } catch (error) {
        if (signal.aborted || this.#events.isFinal(error)) return
        if (error instanceof ApiError && error.status === 404) return this.#events.gone(error)
        this.#events.linked(false)
        await sleep(RETRY_AFTER)
      }
    }
  }

  async #followOnce(signal: AbortSignal) {
    const view = this.#view?.stale === false ? this.#view : await this.#read(signal)
    if (!view) return
    for await (const event of follow(this.#client, this.id, { after: view.next, signal })) {
      if (event.type === "connection") {
        this.#events.linked(event.state === "open")
        continue
      }
      if (!this.#view) return
      const isNew = event.type === "row" && event.row.seq >= this.#view.next
      const { path_revision } = this.#view.session
      const next = applyEvent(this.#view, event)
      if (next !== this.#view) this.#show(next)
      if (isNew) this.#events.row?.(event.row)
      // Another path through the history: what is on show may not be on it.
      if (next.stale || next.session.path_revision !== path_revision) break
      if (isNew && hasActed(next, event.row)) break
    }
    if (!signal.aborted) await this.#read(signal)
  }

  async #read(signal: AbortSignal): Promise<SessionView | undefined> {
    const [page, answer] = await Promise.all([
      this.#client.messages(this.id, { limit: PAGE }),
      this.#client.sessions.get(this.id),
    ])
    const queue = await this.#client.queue.list(this.id)
    if (signal.aborted) return undefined
    const view = viewOfPage(page, queue, answer)
    this.#show(view)
    return view
  }

  #show(view: SessionView) {
    this.#view = view
    this.#events.changed(view)
  }
}

/** Whether a command that acts on the session, such as `/rewind` or `/clear`, has just done so. */
function hasActed(view: SessionView, { type, value }: StreamEvent): boolean {
  if (type !== "turn" || !value) return false
  const { message_id, ended_at } = value as unknown as Turn
  if (ended_at === null) return false
  const message = view.messages.findLast(({ id }) => id === message_id)
  return message?.metadata.action !== undefined
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
