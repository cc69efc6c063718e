import type { StreamEvent } from "../../message/row.ts"
import {
  type EventsRecord,
  type KeptEvent,
  type MessageRecord,
  messageRowOf,
  type PartRecord,
  partOf,
} from "./rows.ts"
import type { Statements } from "./transaction.ts"

type Value = string | number | null

/** Reads streams: where they stand, and what they told, opened as it is now. */
export class StreamReads {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  head(stream_id: string): { first_seq: number; next_seq: number } {
    const head = this.#get<{ first_seq: number; next_seq: number }>(
      `SELECT first_event AS first_seq, next_event AS next_seq FROM chat_sessions WHERE id = ?
       UNION ALL SELECT first_seq, next_seq FROM streams WHERE id = ?`,
      stream_id,
      stream_id,
    )
    return head ?? { first_seq: 0, next_seq: 0 }
  }

  events(stream_id: string, from: number, limit: number): StreamEvent[] {
    const records = this.#all<EventsRecord>(
      `SELECT * FROM events WHERE stream_id = ? AND seq >=
         coalesce((SELECT max(seq) FROM events WHERE stream_id = ? AND seq <= ?), 0)
       ORDER BY seq LIMIT ?`,
      stream_id,
      stream_id,
      from,
      limit,
    )
    return records.flatMap((record) => this.#opened(record)).filter((event) => event.seq >= from)
  }

  #opened(record: EventsRecord): StreamEvent[] {
    const kept = JSON.parse(record.body_json) as KeptEvent[]
    return kept.map(({ type, key, operation, value, txid = record.txid }, at) => {
      const row = value === undefined ? this.#row(type, key) : value
      const gone = row === null
      return {
        seq: record.seq + at,
        type,
        key,
        value: row,
        headers: { operation: gone ? "delete" : operation, txid },
      }
    })
  }

  #row(type: string, key: string): Record<string, unknown> | null {
    if (type === "part") {
      const part = this.#get<PartRecord>("SELECT * FROM chat_parts WHERE id = ?", key)
      return part ? partOf(part) : null
    }
    const message = this.#get<MessageRecord>("SELECT * FROM chat_messages WHERE id = ?", key)
    return message ? messageRowOf(message) : null
  }

  #get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statements.of(sql).get(...values) as Row | undefined
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statements.of(sql).all(...values) as Row[]
  }
}
