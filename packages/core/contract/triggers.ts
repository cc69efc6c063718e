import { z } from "zod"
import { Schedule } from "../triggers/schedule.ts"
import { Source, Trigger, WebhookKey } from "../triggers/trigger.ts"
import { SessionId } from "./fields.ts"
import { route, type SentRequest } from "./route.ts"

/** A delivery, or what fires a trigger by hand, is at most this large. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024

/** What a person may set up; what an agent asks for itself comes by its tools. */
export const NewTriggerSource = z.discriminatedUnion("source", [
  z.strictObject({ source: z.literal("schedule"), schedule: Schedule }),
  z.strictObject({ source: z.literal("webhook"), key: WebhookKey.optional() }),
  z.strictObject({ source: z.literal("api") }),
  z.strictObject({
    source: z.literal("mcp-event"),
    server: z.string().min(1).max(64),
    uri: z.string().min(1).max(8192).optional(),
  }),
])

const NewTrigger = z.strictObject({
  session_id: SessionId,
  source: NewTriggerSource,
  prompt: Trigger.shape.prompt,
  reason: Trigger.shape.reason,
  throttle: Trigger.shape.throttle,
  /** Of a webhook whose key signs a time: the same signature again is another delivery (TRG-005). */
  repeats: Trigger.shape.repeats,
  enabled: z.boolean().optional(),
})
export type NewTrigger = SentRequest<typeof NewTrigger>

/** A key without what proves who may fire the trigger. */
const ShownKey = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("bearer") }),
  z.object({
    kind: z.literal("hmac"),
    header: z.string(),
    time_header: z.string().optional(),
  }),
])

const [schedule, selfSchedule, , api, mcpEvent] = Source.options

/** A trigger without what proves who may fire it. */
export const ListedTrigger = Trigger.extend({
  source: z.discriminatedUnion("source", [
    schedule,
    selfSchedule,
    z.object({ source: z.literal("webhook"), key: ShownKey }),
    api,
    mcpEvent,
  ]),
  /** When it fires next by the clock; null for one that is fired, or that is over. */
  next_fire_at: z.int().nullable(),
  fired_at: z.int().nullable(),
})
export type ListedTrigger = z.infer<typeof ListedTrigger>

/** One firing of a trigger, and what became of it (TRG-004). */
export const Delivery = z.object({
  trigger_id: z.string(),
  delivery_id: z.string(),
  /** The message's id is given here, so that sending it twice sends it once. */
  message_id: z.string(),
  state: z.enum(["pending", "sent", "throttled", "refused"]),
  auth_subject: z.string().nullable(),
  at: z.int(),
})
export type Delivery = z.infer<typeof Delivery>

const Fired = z.object({ status: z.enum(["accepted", "duplicate"]), message_id: z.string() })
const errors = {
  401: "The delivery is not for a trigger of this server",
  409: "The trigger is off, or its time is over",
  429: "The trigger fired as often as it may",
}

export const triggers = {
  listTriggers: route("GET /v1/triggers", {
    about: "What wakes sessions, and when it fires next",
    query: z.object({ session: SessionId.optional() }),
    answer: z.object({ triggers: z.array(ListedTrigger) }),
  }),
  addTrigger: route("POST /v1/triggers", {
    about: "Have a session woken; a webhook's key is told once, here",
    body: NewTrigger,
    answer: z.object({ trigger: ListedTrigger, key: WebhookKey.optional() }),
    status: 201,
  }),
  getTrigger: route("GET /v1/triggers/:trigger", {
    about: "One trigger, and what it last fired",
    answer: z.object({ trigger: ListedTrigger, deliveries: z.array(Delivery) }),
  }),
  switchTrigger: route("PATCH /v1/triggers/:trigger", {
    about: "Turn a trigger off, or on again",
    body: z.strictObject({ enabled: z.boolean() }),
    answer: z.object({ trigger: ListedTrigger }),
  }),
  removeTrigger: route("DELETE /v1/triggers/:trigger", {
    about: "Wake the session no more",
    answer: z.object({ removed: z.literal(true) }),
  }),
  fireTrigger: route("POST /v1/triggers/:trigger/fire", {
    about: "Fire a trigger now, with values for its prompt",
    body: z.strictObject({
      payload: z.unknown().optional(),
      /** The same one twice is one message (TRG-002). */
      delivery_id: z.string().min(1).max(200).optional(),
    }),
    max_bytes: MAX_WEBHOOK_BYTES,
    answer: Fired,
    status: 202,
    errors,
  }),
  deliverWebhook: route("POST /v1/hooks/:trigger", {
    about: "Deliver to a webhook: it asks for its own key, and not for the server's token",
    answer: Fired,
    status: 202,
    errors,
  }),
}
