import { Refusal } from "compositor-core/message/refusal"
import { mayPass } from "compositor-core/triggers/trigger"
import type { FireOutcome, Firing, NewTrigger, StoredTrigger, TriggerWrites } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { type DeliveryRecord, pendingOf, type TriggerRecord, triggerOf } from "../trigger-rows.ts"

/** So long a sender may send the same delivery again and be understood. */
const DELIVERIES_KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** So many of a trigger's accepted signatures are known again, however old they are (TRG-005). */
const SIGNATURES_KEPT = 1000

export function* addTrigger(tx: Transaction, input: NewTrigger): Program<StoredTrigger> {
  const { trigger, next_fire_at, max_per_session } = input
  const session = yield* tx.session(trigger.session_id)
  const known = yield* tx.get<{ count: number }>(
    "SELECT count(*) AS count FROM triggers WHERE session_id = ?",
    session.id,
  )
  if ((known?.count ?? 0) >= max_per_session)
    throw new Refusal("conflict", `session ${session.id} has ${max_per_session} triggers already`)
  tx.write(
    `INSERT INTO triggers (id, session_id, data_json, enabled, next_fire_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    trigger.id,
    session.id,
    JSON.stringify(trigger),
    trigger.enabled ? 1 : 0,
    next_fire_at,
    tx.now,
  )
  return { trigger, next_fire_at, fired_at: null }
}

export function* removeTrigger(
  tx: Transaction,
  { id, session_id }: Parameters<TriggerWrites["removeTrigger"]>[0],
): Program<{ removed: boolean }> {
  const record = yield* find(tx, id)
  if (!record || (session_id !== undefined && record.session_id !== session_id))
    return { removed: false }
  tx.write("DELETE FROM triggers WHERE id = ?", id)
  return { removed: true }
}

export function* switchTrigger(
  tx: Transaction,
  { id, enabled, next_fire_at }: Parameters<TriggerWrites["switchTrigger"]>[0],
): Program<StoredTrigger | null> {
  const record = yield* find(tx, id)
  if (!record) return null
  const on = enabled ? 1 : 0
  tx.write("UPDATE triggers SET enabled = ?, next_fire_at = ? WHERE id = ?", on, next_fire_at, id)
  return triggerOf({ ...record, enabled: on, next_fire_at })
}

export function* fireTrigger(tx: Transaction, firing: Firing): Program<FireOutcome> {
  const record = yield* find(tx, firing.trigger_id)
  if (!record) return { type: "missing" }
  if (record.enabled === 0) return { type: "disabled" }
  if (firing.due && record.next_fire_at !== firing.due.at) return { type: "forestalled" }
  const before = yield* deliveryOf(tx, firing)
  if (before) return { type: "duplicate", message_id: before.message_id }
  if (firing.due) advance(tx, record, firing.due.next)
  forgetOld(tx, record.id)
  const passes = mayPass(triggerOf(record).trigger.throttle, yield* passedOf(tx, record), tx.now)
  insertDelivery(tx, firing, passes ? "pending" : "throttled")
  if (!passes) return { type: "throttled" }
  tx.write("UPDATE triggers SET fired_at = ? WHERE id = ?", tx.now, record.id)
  const delivery = yield* deliveryOf(tx, firing)
  if (!delivery) throw new Error(`delivery ${firing.delivery_id} was not written`)
  return { type: "fired", delivery: pendingOf({ ...delivery, session_id: record.session_id }) }
}

export function* settleDelivery(
  tx: Transaction,
  { trigger_id, delivery_id, state }: Parameters<TriggerWrites["settleDelivery"]>[0],
): Program<null> {
  // What was sent stands in its message; it is not kept twice.
  tx.write(
    `UPDATE deliveries SET state = ?, data_json = NULL
     WHERE trigger_id = ? AND delivery_id = ? AND state = 'pending'`,
    state,
    trigger_id,
    delivery_id,
  )
  yield* removeSpent(tx, trigger_id)
  return null
}

export function* holdTrigger(
  tx: Transaction,
  { id, owner, for_ms }: Parameters<TriggerWrites["holdTrigger"]>[0],
): Program<{ held: boolean }> {
  const changes = yield* tx.run(
    `UPDATE triggers SET held_by = ?, held_until = ?
     WHERE id = ? AND (held_by IS NULL OR held_by = ? OR held_until < ?)`,
    owner,
    tx.now + for_ms,
    id,
    owner,
    tx.now,
  )
  return { held: changes > 0 }
}

function* find(tx: Transaction, id: string): Program<TriggerRecord | undefined> {
  return yield* tx.get<TriggerRecord>(
    `SELECT triggers.* FROM triggers JOIN chat_sessions ON chat_sessions.id = triggers.session_id
     WHERE triggers.id = ? AND chat_sessions.deleted_at IS NULL`,
    id,
  )
}

function* deliveryOf(tx: Transaction, { trigger_id, delivery_id, signature = "" }: Firing) {
  return yield* tx.get<DeliveryRecord>(
    `SELECT * FROM deliveries WHERE trigger_id = ? AND (delivery_id = ? OR signature = ?)`,
    trigger_id,
    delivery_id,
    signature,
  )
}

// One that fires no more stays as a note of what it did, except where an agent asked for it.
function advance(tx: Transaction, record: TriggerRecord, next: number | null) {
  tx.write(
    "UPDATE triggers SET next_fire_at = ?, enabled = ? WHERE id = ?",
    next,
    next === null ? 0 : 1,
    record.id,
  )
}

function* removeSpent(tx: Transaction, id: string): Program<void> {
  const spent = yield* tx.get<TriggerRecord>(
    "SELECT * FROM triggers WHERE id = ? AND enabled = 0 AND next_fire_at IS NULL",
    id,
  )
  if (spent && triggerOf(spent).trigger.source.source === "self-schedule")
    tx.write("DELETE FROM triggers WHERE id = ?", id)
}

function* passedOf(tx: Transaction, record: TriggerRecord): Program<number[]> {
  const { throttle } = triggerOf(record).trigger
  if (!throttle) return []
  return (yield* tx.all<{ at: number }>(
    `SELECT at FROM deliveries
       WHERE trigger_id = ? AND at > ? AND state IN ('pending', 'sent') ORDER BY at DESC LIMIT ?`,
    record.id,
    tx.now - throttle.per_ms,
    throttle.count,
  )).map(({ at }) => at)
}

function forgetOld(tx: Transaction, id: string) {
  tx.write(
    `DELETE FROM deliveries WHERE trigger_id = ? AND at < ? AND state <> 'pending'
       AND (signature IS NULL OR at <
         (SELECT signed.at FROM deliveries AS signed
          WHERE signed.trigger_id = ? AND signed.signature IS NOT NULL
          ORDER BY signed.at DESC LIMIT 1 OFFSET ${SIGNATURES_KEPT - 1}))`,
    id,
    tx.now - DELIVERIES_KEPT_MS,
    id,
  )
}

function insertDelivery(tx: Transaction, firing: Firing, state: "pending" | "throttled") {
  const { text, envelope, signature = null } = firing
  tx.write(
    `INSERT INTO deliveries
       (trigger_id, delivery_id, message_id, state, auth_subject, data_json, at, signature)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    firing.trigger_id,
    firing.delivery_id,
    firing.message_id,
    state,
    envelope.auth_subject ?? null,
    state === "pending" ? JSON.stringify({ text, envelope }) : null,
    tx.now,
    // What was throttled was not accepted: it may come again.
    state === "pending" ? signature : null,
  )
}
