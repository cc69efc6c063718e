import { randomBytes } from "node:crypto"
import type { Context } from "hono"
import { z } from "zod"
import type { Hooked } from "compositor-engine/triggers/triggers"
import type { StoredTrigger } from "compositor-engine/store/store"
import { Schedule } from "compositor-core/triggers/schedule"
import { Trigger, WebhookKey } from "compositor-core/triggers/trigger"
import { MAX_WEBHOOK_BYTES } from "compositor-engine/triggers/webhook"
import { readBody } from "../body.ts"
import { shownTo } from "../caller.ts"
import { DoorError } from "../errors.ts"
import { meterIn } from "../limits.ts"
import { type Route, route } from "../route.ts"
import { SessionId } from "../schemas.ts"

const SECRET_BYTES = 32
const SHOWN_DELIVERIES = 50

/** What a person may set up; what an agent asks for itself comes by its tools. */
const NewSource = z.discriminatedUnion("source", [
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
  source: NewSource,
  prompt: Trigger.shape.prompt,
  reason: Trigger.shape.reason,
  throttle: Trigger.shape.throttle,
  /** Of a webhook whose key signs a time: the same signature again is another delivery (TRG-005). */
  repeats: Trigger.shape.repeats,
  enabled: z.boolean().optional(),
})

/** A trigger without what proves who may fire it. */
const Shown = z.looseObject({
  id: z.string(),
  session_id: z.string(),
  source: z.looseObject({ source: z.string() }),
  next_fire_at: z.int().nullable(),
  fired_at: z.int().nullable(),
})

export const triggerRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/triggers",
    summary: "What wakes sessions, and when it fires next",
    query: z.object({ session: SessionId.optional() }),
    answer: z.object({ triggers: z.array(Shown) }),
    async handle({ host, caller, query }) {
      const { principal } = shownTo(caller)
      const triggers = await host.equipment.triggers.list(query.session, principal)
      return { triggers: triggers.map(shown) }
    },
  }),
  route({
    method: "post",
    path: "/v1/triggers",
    summary: "Have a session woken; a webhook's key is told once, here",
    body: NewTrigger,
    answer: z.object({ trigger: Shown, key: WebhookKey.optional() }),
    status: 201,
    async handle({ host, body }) {
      const source = withKey(body.source)
      const added = await host.equipment.triggers.add({ ...body, source })
      const key = source.source === "webhook" ? { key: source.key } : {}
      return { trigger: shown(added), ...key }
    },
  }),
  route({
    method: "get",
    path: "/v1/triggers/:trigger",
    summary: "One trigger, and what it last fired",
    answer: z.object({ trigger: Shown, deliveries: z.array(z.looseObject({})) }),
    async handle({ host, param }) {
      const trigger = await host.equipment.triggers.get(param("trigger"))
      const deliveries = await host.store.deliveries(param("trigger"), SHOWN_DELIVERIES)
      return { trigger: shown(trigger), deliveries }
    },
  }),
  route({
    method: "patch",
    path: "/v1/triggers/:trigger",
    summary: "Turn a trigger off, or on again",
    body: z.strictObject({ enabled: z.boolean() }),
    answer: z.object({ trigger: Shown }),
    async handle({ host, param, body }) {
      const switched = await host.equipment.triggers.switch(param("trigger"), body.enabled)
      return { trigger: shown(switched) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/triggers/:trigger",
    summary: "Wake the session no more",
    answer: z.object({ removed: z.literal(true) }),
    async handle({ host, param }) {
      const id = param("trigger")
      if (await host.equipment.triggers.remove(id)) return { removed: true }
      throw new DoorError(404, "not_found", `there is no trigger ${id}`)
    },
  }),
  route({
    method: "post",
    path: "/v1/triggers/:trigger/fire",
    summary: "Fire a trigger now, with values for its prompt",
    body: z.strictObject({
      payload: z.unknown().optional(),
      /** The same one twice is one message (TRG-002). */
      delivery_id: z.string().min(1).max(200).optional(),
    }),
    max_bytes: MAX_WEBHOOK_BYTES,
    answer: z.looseObject({ status: z.string() }),
    status: 202,
    async handle({ host, param, body, context }) {
      const { payload, delivery_id } = body
      const text = typeof payload === "string" ? payload : JSON.stringify(payload ?? "")
      const given = { payload: text, ...(delivery_id === undefined ? {} : { delivery_id }) }
      return answer(context, await host.equipment.triggers.fire(param("trigger"), given))
    },
  }),
  route({
    method: "post",
    path: "/v1/hooks/:trigger",
    summary: "Deliver to a webhook: it asks for its own key, and not for the server's token",
    answer: z.looseObject({ status: z.string() }),
    status: 202,
    async handle({ host, param, context }) {
      const body = await readBody(context.req.raw, { max_bytes: MAX_WEBHOOK_BYTES, json: true })
      const headers = Object.fromEntries(context.req.raw.headers)
      const hooked = await host.equipment.triggers.hook(param("trigger"), { headers, body })
      if (hooked.type === "refused") meterIn(context)?.("requests", 1)
      return answer(context, hooked)
    },
  }),
]

type Wanted = z.output<typeof NewSource>

function withKey(source: Wanted): Exclude<Trigger["source"], { source: "self-schedule" }> {
  if (source.source !== "webhook") return source
  const secret = randomBytes(SECRET_BYTES).toString("base64url")
  return { source: "webhook", key: source.key ?? WebhookKey.parse({ kind: "hmac", secret }) }
}

function shown({ trigger, next_fire_at, fired_at }: StoredTrigger) {
  const { source } = trigger
  const told = "key" in source ? { source: source.source, key: withoutSecret(source.key) } : source
  return { ...trigger, source: told, next_fire_at, fired_at }
}

function withoutSecret(key: WebhookKey) {
  if (key.kind === "bearer") return { kind: key.kind }
  const { secret: _, ...rest } = key
  return rest
}

/** A trigger that is not there and a key that does not fit are told alike. */
function answer(context: Context, hooked: Hooked): Response {
  switch (hooked.type) {
    case "accepted":
      return context.json({ status: "accepted", message_id: hooked.message_id }, 202)
    case "duplicate":
      return context.json({ status: "duplicate", message_id: hooked.message_id }, 200)
    case "throttled":
      throw new DoorError(429, "throttled", "this trigger fired as often as it may; try later")
    case "disabled":
      throw new DoorError(409, "conflict", "this trigger is off, or its time is over")
    case "forestalled":
    case "missing":
    case "refused":
      throw new DoorError(401, "unauthorized", "this delivery is not for a trigger of this server")
  }
}
