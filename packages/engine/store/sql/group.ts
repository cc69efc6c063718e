import type { SessionRecord } from "./rows.ts"
import type { Engine } from "./program.ts"

/** What an append reads of its session. */
export type SessionHead = Pick<
  SessionRecord,
  | "id"
  | "title"
  | "archived_at"
  | "last_queued_at"
  | "last_created_at"
  | "updated_at"
  | "next_event"
  | "drain"
> & { readonly live_turn_id: string | null }

/** What an operation changes in its session's row, where nobody looks before it ends. */
export type SessionMarks = Partial<
  Pick<
    SessionRecord,
    | "last_queued_at"
    | "last_created_at"
    | "updated_at"
    | "next_seq"
    | "next_fence"
    | "drain"
    | "model_json"
  >
>

interface Held {
  head: SessionHead
  readonly events: string[]
  txid: string
  used: boolean
}

/** Sessions that several messages of one commit are for: their heads are read once and written once,
 *  and what is told of the messages is one row. Anything but an append finds it all written. */
export class Group {
  readonly #engine: Pick<Engine, "write">
  readonly #held = new Map<string, Held>()

  constructor(engine: Pick<Engine, "write">) {
    this.#engine = engine
  }

  head(session_id: string): SessionHead | undefined {
    return this.#held.get(session_id)?.head
  }

  hold(head: SessionHead) {
    this.#held.set(head.id, { head, events: [], txid: "", used: false })
  }

  holds(session_id: string): boolean {
    return this.#held.has(session_id)
  }

  /** Take events in; false when the session is not held here. */
  tell(
    session_id: string,
    events: readonly string[],
    about: { txid: string; marks?: SessionMarks },
  ) {
    const held = this.#held.get(session_id)
    if (!held) return
    const { txid, marks } = about
    for (const event of events) held.events.push(`${event.slice(0, -1)},"txid":"${txid}"}`)
    held.txid = txid
    held.used ||= marks?.updated_at !== undefined
    const next_event = held.head.next_event + events.length
    held.head = { ...held.head, ...marks, next_event }
  }

  entitle(session_id: string, title: string) {
    const held = this.#held.get(session_id)
    if (held) held.head = { ...held.head, title }
  }

  unhold(session_id: string) {
    const held = this.#held.get(session_id)
    if (held) held.head = { ...held.head, drain: "stopped" }
  }

  write() {
    for (const held of this.#held.values()) if (held.events.length > 0) this.#writeHeld(held)
    this.#held.clear()
  }

  #writeHeld({ head, events, txid, used }: Held) {
    const { id, next_event, last_queued_at, last_created_at, updated_at } = head
    // `updated_at` is indexed three times: a statement that names it pays for that, changed or not.
    if (used)
      this.#engine.write(WRITE_USED, next_event, last_queued_at, last_created_at, updated_at, id)
    else this.#engine.write(WRITE, next_event, last_queued_at, last_created_at, id)
    const first = next_event - events.length
    this.#engine.write(INSERT_EVENTS, id, first, events.length, `[${events.join(",")}]`, txid)
  }
}

const WRITE = `UPDATE chat_sessions SET next_event = ?, last_queued_at = ?, last_created_at = ?
  WHERE id = ?`
const WRITE_USED = `UPDATE chat_sessions SET next_event = ?, last_queued_at = ?,
  last_created_at = ?, updated_at = ? WHERE id = ?`
export const INSERT_EVENTS =
  "INSERT INTO events (stream_id, seq, count, body_json, txid) VALUES (?, ?, ?, ?, ?)"
