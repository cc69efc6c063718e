import { randomBytes } from "node:crypto"
import type { Context } from "hono"
import type { z } from "zod"
import {
  MAX_WEBHOOK_BYTES,
  type NewTriggerSource,
  triggers,
} from "compositor-core/contract/triggers"
import { type Trigger, WebhookKey } from "compositor-core/triggers/trigger"
import type { Store, StoredTrigger } from "compositor-engine/store/store"
import type { Hooked, Triggers } from "compositor-engine/triggers/triggers"
import { readBody } from "../body.ts"
import { visibleTo } from "../caller.ts"
import { HttpError } from "../errors.ts"
import { meterIn } from "../limits.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"

const SECRET_BYTES = 32
const SHOWN_DELIVERIES = 50

interface TriggerEngine {
  readonly store: Pick<Store, "deliveries">
  readonly equipment: {
    readonly triggers: Pick<
      Triggers,
      "list" | "add" | "get" | "switch" | "remove" | "fire" | "hook"
    >
  }
}

export function triggerRoutes(engine: TriggerEngine): ServedRoute[] {
  return serveRoutes(triggers, {
    async listTriggers({ caller, query }) {
      const { principal } = visibleTo(caller)
      const listed = await engine.equipment.triggers.list(query.session, principal)
      return { triggers: listed.map(shown) }
    },
    async addTrigger({ body }) {
      const source = withKey(body.source)
      const added = await engine.equipment.triggers.add({ ...body, source })
      const key = source.source === "webhook" ? { key: source.key } : {}
      return { trigger: shown(added), ...key }
    },
    async getTrigger({ param }) {
      const trigger = await engine.equipment.triggers.get(param("trigger"))
      const deliveries = await engine.store.deliveries(param("trigger"), SHOWN_DELIVERIES)
      return { trigger: shown(trigger), deliveries }
    },
    async switchTrigger({ param, body }) {
      const switched = await engine.equipment.triggers.switch(param("trigger"), body.enabled)
      return { trigger: shown(switched) }
    },
    async removeTrigger({ param }) {
      const id = param("trigger")
      if (await engine.equipment.triggers.remove(id)) return { removed: true as const }
      throw new HttpError(404, "not_found", `there is no trigger ${id}`)
    },
    async fireTrigger({ param, body, context }) {
      const { payload, delivery_id } = body
      const text = typeof payload === "string" ? payload : JSON.stringify(payload ?? "")
      const given = { payload: text, ...(delivery_id === undefined ? {} : { delivery_id }) }
      return answer(context, await engine.equipment.triggers.fire(param("trigger"), given))
    },
    async deliverWebhook({ param, context }) {
      const body = await readBody(context.req.raw, { max_bytes: MAX_WEBHOOK_BYTES, json: true })
      const headers = Object.fromEntries(context.req.raw.headers)
      const hooked = await engine.equipment.triggers.hook(param("trigger"), { headers, body })
      if (hooked.type === "refused") meterIn(context)?.("requests", 1)
      return answer(context, hooked)
    },
  })
}

type Wanted = z.output<typeof NewTriggerSource>

function withKey(source: Wanted): Exclude<Trigger["source"], { source: "self-schedule" }> {
  if (source.source !== "webhook") return source
  const secret = randomBytes(SECRET_BYTES).toString("base64url")
  return { source: "webhook", key: source.key ?? WebhookKey.parse({ kind: "hmac", secret }) }
}

function shown({ trigger, next_fire_at, fired_at }: StoredTrigger) {
  const { source } = trigger
  if (!("key" in source)) return { ...trigger, source, next_fire_at, fired_at }
  const shown = { source: source.source, key: withoutSecret(source.key) }
  return { ...trigger, source: shown, next_fire_at, fired_at }
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
      throw new HttpError(429, "throttled", "this trigger fired as often as it may; try later")
    case "disabled":
      throw new HttpError(409, "conflict", "this trigger is off, or its time is over")
    case "forestalled":
    case "missing":
    case "refused":
      throw new HttpError(401, "unauthorized", "this delivery is not for a trigger of this server")
  }
}
