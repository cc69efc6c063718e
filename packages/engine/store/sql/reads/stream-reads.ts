import type { StreamEvent } from "compositor-core/message/row"
import {
  type EventsRecord,
  type StoredEventRow,
  type MessageRecord,
  messageRowOf,
  type PartRecord,
  readPartRow,
} from "../rows.ts"
import type { SqlReader, Program } from "../program.ts"

/** Reads streams: where they stand, and what they told, opened as it is now. */
export class StreamReads {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *head(stream_id: string): Program<{ first_seq: number; next_seq: number }> {
    const head = yield* this.#asking.get<{ first_seq: number; next_seq: number }>(
      `SELECT first_event AS first_seq, next_event AS next_seq FROM chat_sessions WHERE id = ?
       UNION ALL SELECT first_seq, next_seq FROM streams WHERE id = ?`,
      stream_id,
      stream_id,
    )
    return head ?? { first_seq: 0, next_seq: 0 }
  }

  *events(stream_id: string, from: number, limit: number): Program<StreamEvent[]> {
    const records = yield* this.#asking.all<EventsRecord>(
      `SELECT * FROM events WHERE stream_id = ? AND seq >=
         coalesce((SELECT max(seq) FROM events WHERE stream_id = ? AND seq <= ?), 0)
       ORDER BY seq LIMIT ?`,
      stream_id,
      stream_id,
      from,
      limit,
    )
    const kept = records.flatMap(keptIn).filter((event) => event.seq >= from)
    const rows = yield* this.#rowsOf(kept)
    return kept.map((event) => opened(event, rows))
  }

  // Events of messages and parts name their row and carry no copy of it.
  *#rowsOf(events: readonly NumberedEvent[]): Program<Rows> {
    const named = events.filter(({ value }) => value === undefined)
    const parts = named.filter(({ type }) => type === "part").map(({ key }) => key)
    const messages = named.filter(({ type }) => type !== "part").map(({ key }) => key)
    const [part_rows, message_rows] = [
      yield* this.#asking.each<PartRecord>(
        "SELECT * FROM chat_parts WHERE id = ?",
        parts.map((id) => [id]),
      ),
      yield* this.#asking.each<MessageRecord>(
        "SELECT * FROM chat_messages WHERE id = ?",
        messages.map((id) => [id]),
      ),
    ]
    return new Map<string, Record<string, unknown>>([
      ...part_rows.flat().map((part) => [part.id, readPartRow(part)] as const),
      ...message_rows.flat().map((message) => [message.id, { ...messageRowOf(message) }] as const),
    ])
  }
}

type Rows = ReadonlyMap<string, Record<string, unknown>>
type NumberedEvent = StoredEventRow & { readonly seq: number; readonly txid: string }

function keptIn(record: EventsRecord): NumberedEvent[] {
  const kept: StoredEventRow[] = JSON.parse(record.body_json)
  return kept.map((event, at) => ({ txid: record.txid, ...event, seq: record.seq + at }))
}

function opened(
  { seq, type, key, operation, value, txid }: NumberedEvent,
  rows: Rows,
): StreamEvent {
  const row = value === undefined ? (rows.get(key) ?? null) : value
  return {
    seq,
    type,
    key,
    value: row,
    headers: { operation: row === null ? "delete" : operation, txid },
  }
}
