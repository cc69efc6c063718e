import type { Delivery, PendingDelivery, StoredTrigger, TriggerReads } from "../store.ts"
import type { Statements } from "./transaction.ts"
import {
  type DeliveryRecord,
  deliveryOf,
  pendingOf,
  type TriggerRecord,
  triggerOf,
} from "./trigger-rows.ts"

/** So many are taken up at once; the rest are due still. */
const MAX_DUE = 100
const MAX_LISTED = 10_000

// A session that only branches read has no triggers any more.
const LIVING = `SELECT triggers.* FROM triggers
  JOIN chat_sessions ON chat_sessions.id = triggers.session_id
  WHERE chat_sessions.deleted_at IS NULL`

export class SqliteTriggerReads implements TriggerReads {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  triggers({ session_id }: { readonly session_id?: string | undefined }): StoredTrigger[] {
    const [where, values] =
      session_id === undefined ? ["", []] : ["AND triggers.session_id = ?", [session_id]]
    return this.#found(`${LIVING} ${where} ORDER BY triggers.id LIMIT ${MAX_LISTED}`, ...values)
  }

  trigger(id: string): StoredTrigger | null {
    return this.#found(`${LIVING} AND triggers.id = ?`, id)[0] ?? null
  }

  dueTriggers(now: number): StoredTrigger[] {
    return this.#found(
      `${LIVING} AND triggers.enabled = 1 AND triggers.next_fire_at <= ?
       ORDER BY triggers.next_fire_at LIMIT ${MAX_DUE}`,
      now,
    )
  }

  nextTriggerAt(): number | null {
    const sql = `SELECT min(next_fire_at) AS at FROM triggers
      WHERE next_fire_at IS NOT NULL AND enabled = 1`
    return (this.#statements.of(sql).get() as { at: number | null }).at
  }

  deliveries(trigger_id: string, limit: number): Delivery[] {
    const sql = "SELECT * FROM deliveries WHERE trigger_id = ? ORDER BY at DESC LIMIT ?"
    return (this.#statements.of(sql).all(trigger_id, limit) as DeliveryRecord[]).map(deliveryOf)
  }

  pendingDeliveries(before: number): PendingDelivery[] {
    const sql = `SELECT deliveries.*, triggers.session_id FROM deliveries
      JOIN triggers ON triggers.id = deliveries.trigger_id
      WHERE deliveries.state = 'pending' AND deliveries.at < ? ORDER BY deliveries.at LIMIT ?`
    const records = this.#statements.of(sql).all(before, MAX_DUE)
    return (records as (DeliveryRecord & { session_id: string })[]).map(pendingOf)
  }

  #found(sql: string, ...values: (string | number)[]): StoredTrigger[] {
    return (this.#statements.of(sql).all(...values) as TriggerRecord[]).map(triggerOf)
  }
}
