import type { Turn } from "compositor-core/message/row"
import type { LiveTurn, StoredCapture, StoredReceipt } from "../../store.ts"
import { LIVE } from "../operations/claim.ts"
import { type TurnRecord, readTurnRow } from "../rows.ts"
import type { SqlReader, Program } from "../program.ts"

/** Reads turns, and what their requests left behind. */
export class TurnReads {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *turn(id: string): Program<Turn | null> {
    const record = yield* this.#asking.get<TurnRecord>("SELECT * FROM turns WHERE id = ?", id)
    return record ? readTurnRow(record) : null
  }

  *latestTurn(session_id: string): Program<Turn | null> {
    const record = yield* this.#asking.get<TurnRecord>(
      "SELECT * FROM turns WHERE session_id = ? ORDER BY fence DESC LIMIT 1",
      session_id,
    )
    return record ? readTurnRow(record) : null
  }

  *turns(session_id: string, message_id?: string): Program<Turn[]> {
    const records = yield* this.#asking.all<TurnRecord>(
      "SELECT * FROM turns WHERE session_id = ? ORDER BY fence",
      session_id,
    )
    return records
      .filter((record) => message_id === undefined || record.message_id === message_id)
      .map(readTurnRow)
  }

  *receipts(session_id: string, turn_id: string): Program<StoredReceipt[]> {
    const rows = yield* this.#asking.all<ReceiptRecord>(
      "SELECT * FROM receipts WHERE session_id = ? AND turn_id = ? ORDER BY part_id",
      session_id,
      turn_id,
    )
    return rows.map(({ turn_id, message_id, data_json }) => ({
      ...JSON.parse(data_json),
      turn_id,
      message_id,
    }))
  }

  *capture(part_id: string): Program<StoredCapture | null> {
    const row = yield* this.#asking.get<StoredCapture>(
      "SELECT * FROM captures WHERE part_id = ?",
      part_id,
    )
    return row ?? null
  }

  *systemPrompt(digest: string): Program<string | null> {
    const row = yield* this.#asking.get<{ body: string }>(
      "SELECT body FROM system_prompts WHERE digest = ?",
      digest,
    )
    return row?.body ?? null
  }

  *refusals(api: string, model_id: string): Program<string[]> {
    const rows = yield* this.#asking.all<{ content_id: string }>(
      "SELECT content_id FROM refusals WHERE api = ? AND model_id = ? ORDER BY content_id",
      api,
      model_id,
    )
    return rows.map((row) => row.content_id)
  }

  *liveTurns(): Program<LiveTurn[]> {
    const records = yield* this.#asking.all<TurnRecord>(
      `SELECT * FROM turns WHERE state IN ${LIVE}`,
    )
    return records.map((record) => ({
      turn: readTurnRow(record),
      owner: record.owner,
      beat: record.beat,
      abort_requested: record.abort_requested_at !== null,
    }))
  }
}

interface ReceiptRecord {
  readonly turn_id: string
  readonly message_id: string
  readonly data_json: string
}
