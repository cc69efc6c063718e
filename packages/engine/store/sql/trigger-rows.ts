import { Trigger } from "compositor-core/triggers/trigger"
import type { Delivery, PendingDelivery, StoredTrigger } from "../store.ts"

export interface TriggerRecord {
  readonly id: string
  readonly session_id: string
  readonly data_json: string
  readonly enabled: number
  readonly next_fire_at: number | null
  readonly fired_at: number | null
}

export interface DeliveryRecord extends Delivery {
  readonly data_json: string | null
}

export function triggerOf(record: TriggerRecord): StoredTrigger {
  const { data_json, enabled, next_fire_at, fired_at } = record
  const trigger = Trigger.parse({ ...JSON.parse(data_json), enabled: enabled === 1 })
  return { trigger, next_fire_at, fired_at }
}

export function deliveryOf(record: DeliveryRecord): Delivery {
  const { trigger_id, delivery_id, message_id, state, auth_subject, at } = record
  return { trigger_id, delivery_id, message_id, state, auth_subject, at }
}

export function pendingOf(record: DeliveryRecord & { session_id: string }): PendingDelivery {
  const { text, envelope } = JSON.parse(record.data_json ?? "{}")
  return { ...deliveryOf(record), session_id: record.session_id, text, envelope }
}
