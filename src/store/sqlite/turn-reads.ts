import type { Turn } from "../../message/row.ts"
import type { LiveTurn, StoredCapture, StoredReceipt } from "../store.ts"
import { LIVE } from "./operations/claim.ts"
import { type TurnRecord, turnOf } from "./rows.ts"
import type { Statements } from "./transaction.ts"

type Value = string | number | null

/** Reads turns, and what their requests left behind. */
export class TurnReads {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  turn(id: string): Turn | null {
    const record = this.#get<TurnRecord>("SELECT * FROM turns WHERE id = ?", id)
    return record ? turnOf(record) : null
  }

  latest(session_id: string): Turn | null {
    const record = this.#get<TurnRecord>(
      "SELECT * FROM turns WHERE session_id = ? ORDER BY fence DESC LIMIT 1",
      session_id,
    )
    return record ? turnOf(record) : null
  }

  of(session_id: string, message_id?: string): Turn[] {
    return this.#all<TurnRecord>(
      "SELECT * FROM turns WHERE session_id = ? ORDER BY fence",
      session_id,
    )
      .filter((record) => message_id === undefined || record.message_id === message_id)
      .map(turnOf)
  }

  receipts(session_id: string, turn_id: string): StoredReceipt[] {
    return this.#all<{ turn_id: string; message_id: string; data_json: string }>(
      "SELECT * FROM receipts WHERE session_id = ? AND turn_id = ? ORDER BY part_id",
      session_id,
      turn_id,
    ).map(({ turn_id, message_id, data_json }) => ({
      ...JSON.parse(data_json),
      turn_id,
      message_id,
    }))
  }

  capture(part_id: string): StoredCapture | null {
    return this.#get<StoredCapture>("SELECT * FROM captures WHERE part_id = ?", part_id) ?? null
  }

  systemPrompt(digest: string): string | null {
    const row = this.#get<{ body: string }>(
      "SELECT body FROM system_prompts WHERE digest = ?",
      digest,
    )
    return row?.body ?? null
  }

  refusals(api: string, model_id: string): string[] {
    const rows = this.#all<{ content_id: string }>(
      "SELECT content_id FROM refusals WHERE api = ? AND model_id = ? ORDER BY content_id",
      api,
      model_id,
    )
    return rows.map((row) => row.content_id)
  }

  live(): LiveTurn[] {
    return this.#all<TurnRecord>(`SELECT * FROM turns WHERE state IN ${LIVE}`).map((record) => ({
      turn: turnOf(record),
      owner: record.owner,
      beat: record.beat,
      abort_requested: record.abort_requested_at !== null,
    }))
  }

  #get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statements.of(sql).get(...values) as Row | undefined
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statements.of(sql).all(...values) as Row[]
  }
}
