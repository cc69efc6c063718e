import type {
  Delivery,
  PendingDelivery,
  StoredTrigger,
  TriggerFilter,
  TriggerReads,
} from "../../store.ts"
import type { SqlReader, Program, Programs } from "../program.ts"
import {
  type DeliveryRecord,
  deliveryOf,
  pendingOf,
  type TriggerRecord,
  triggerOf,
} from "../trigger-rows.ts"

/** So many are taken up at once; the rest are due still. */
const MAX_DUE = 100
const MAX_LISTED = 10_000

// A session that only branches read has no triggers any more.
const LIVING = `SELECT triggers.* FROM triggers
  JOIN chat_sessions ON chat_sessions.id = triggers.session_id
  WHERE chat_sessions.deleted_at IS NULL`

export class TriggerPrograms implements Programs<TriggerReads> {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  triggers({ session_id, principal }: TriggerFilter): Program<StoredTrigger[]> {
    const bySession = session_id === undefined ? "" : "AND triggers.session_id = ?"
    const byPrincipal = principal === undefined ? "" : "AND chat_sessions.principal = ?"
    return this.#found(
      `${LIVING} ${bySession} ${byPrincipal} ORDER BY triggers.id LIMIT ${MAX_LISTED}`,
      ...[session_id, principal].filter((value) => value !== undefined),
    )
  }

  *trigger(id: string): Program<StoredTrigger | null> {
    const found = yield* this.#found(`${LIVING} AND triggers.id = ?`, id)
    return found[0] ?? null
  }

  dueTriggers(now: number): Program<StoredTrigger[]> {
    return this.#found(
      `${LIVING} AND triggers.enabled = 1 AND triggers.next_fire_at <= ?
       ORDER BY triggers.next_fire_at LIMIT ${MAX_DUE}`,
      now,
    )
  }

  *nextTriggerAt(): Program<number | null> {
    const row = yield* this.#asking.get<{ at: number | null }>(
      `SELECT min(next_fire_at) AS at FROM triggers
       WHERE next_fire_at IS NOT NULL AND enabled = 1`,
    )
    return row?.at ?? null
  }

  *deliveries(trigger_id: string, limit: number): Program<Delivery[]> {
    const records = yield* this.#asking.all<DeliveryRecord>(
      "SELECT * FROM deliveries WHERE trigger_id = ? ORDER BY at DESC LIMIT ?",
      trigger_id,
      limit,
    )
    return records.map(deliveryOf)
  }

  *pendingDeliveries(before: number): Program<PendingDelivery[]> {
    const records = yield* this.#asking.all<DeliveryRecord & { session_id: string }>(
      `SELECT deliveries.*, triggers.session_id FROM deliveries
       JOIN triggers ON triggers.id = deliveries.trigger_id
       WHERE deliveries.state = 'pending' AND deliveries.at < ? ORDER BY deliveries.at LIMIT ?`,
      before,
      MAX_DUE,
    )
    return records.map(pendingOf)
  }

  *#found(sql: string, ...values: string[] | number[]): Program<StoredTrigger[]> {
    const records = yield* this.#asking.all<TriggerRecord>(sql, ...values)
    return records.map(triggerOf)
  }
}
