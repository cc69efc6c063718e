import type { Delivery } from "compositor-core/contract/triggers"
import type { TriggerEnvelope, Trigger } from "compositor-core/triggers/trigger"

export interface StoredTrigger {
  readonly trigger: Trigger
  /** When it fires next by the clock; null for one that is fired, or that is over. */
  readonly next_fire_at: number | null
  readonly fired_at: number | null
}

export type { Delivery }

export interface PendingDelivery extends Delivery {
  readonly session_id: string
  readonly text: string
  readonly envelope: TriggerEnvelope
}

export interface NewTrigger {
  readonly trigger: Trigger
  readonly next_fire_at: number | null
  /** A session has at most so many. */
  readonly max_per_session: number
}

export interface Firing {
  readonly trigger_id: string
  readonly delivery_id: string
  readonly message_id: string
  readonly text: string
  readonly envelope: TriggerEnvelope
  /** What proved a webhook's delivery: the same one again is the same delivery, whatever id it bears
   *  (TRG-005). */
  readonly signature?: string
  /** Of a schedule: when it was due, and when it is due again. Whoever finds another time there has
   *  been forestalled. */
  readonly due?: { readonly at: number; readonly next: number | null }
}

export type FireOutcome =
  | { readonly type: "fired"; readonly delivery: PendingDelivery }
  /** The same delivery came before, and this is the message it became (TRG-002). */
  | { readonly type: "duplicate"; readonly message_id: string }
  | { readonly type: "throttled" }
  /** Another process fired it. */
  | { readonly type: "forestalled" }
  | { readonly type: "disabled" }
  | { readonly type: "missing" }

export interface TriggerWrites {
  addTrigger(input: NewTrigger): StoredTrigger
  /** With a session, only if the trigger is that session's. */
  removeTrigger(input: { readonly id: string; readonly session_id?: string }): { removed: boolean }
  /** Turn it on, to fire next at this time, or off; null when it is not there. */
  switchTrigger(input: {
    readonly id: string
    readonly enabled: boolean
    readonly next_fire_at: number | null
  }): StoredTrigger | null
  /** Dedup, throttle and the claim of a schedule, in one commit: at most one caller has it fired. */
  fireTrigger(input: Firing): FireOutcome
  /** The delivery's message is on disk, or will never be. */
  settleDelivery(input: {
    readonly trigger_id: string
    readonly delivery_id: string
    readonly state: "sent" | "refused"
  }): null
  /** Be the one who listens for a trigger's events, for a while; false when another does. */
  holdTrigger(input: { readonly id: string; readonly owner: string; readonly for_ms: number }): {
    held: boolean
  }
}

export interface TriggerFilter {
  readonly session_id?: string | undefined
  /** Only those that wake sessions of one principal. */
  readonly principal?: string | undefined
}

export interface TriggerReads {
  triggers(filter: TriggerFilter): StoredTrigger[]
  trigger(id: string): StoredTrigger | null
  /** Those whose time has come, the earliest first. */
  dueTriggers(now: number): StoredTrigger[]
  nextTriggerAt(): number | null
  /** The newest first. */
  deliveries(trigger_id: string, limit: number): Delivery[]
  /** Fired so long ago that whoever fired them has died on the way. */
  pendingDeliveries(before: number): PendingDelivery[]
}
