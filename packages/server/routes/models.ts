import { z } from "zod"
import { ModelChoice, parseModelChoice } from "compositor-core/message/message"
import { Outcome } from "compositor-core/model/receipt"
import { shownTo } from "../caller.ts"
import { type Route, route } from "../route.ts"
import { SessionId } from "../schemas.ts"

const Refreshed = z
  .object({
    url: z.string(),
    etag: z.string().nullable(),
    fetched_at: z.int(),
    checked_at: z.int(),
  })
  .nullable()

const ShownModel = z.looseObject({
  provider_id: z.string(),
  model_id: z.string(),
  api: z.string(),
  name: z.string(),
  context_tokens: z.int(),
  output_tokens: z.int(),
  input: z.array(z.string()),
  tools: z.boolean(),
  /** Who had a say above the embedded list. */
  layers: z.array(z.string()),
  /** What a request records as the knowledge that it was lowered by. */
  revision: z.string(),
  available: z.boolean(),
})

const Fate = z
  .object({
    outcome: Outcome,
    rule: z.string(),
    reason: z.string(),
    bytes: z.int(),
    tokens: z.int(),
    content_id: z.string().nullable(),
  })
  .nullable()

const Change = z.object({
  message_id: z.string(),
  part: z.string(),
  type: z.string(),
  before: Fate,
  after: Fate,
})

const Side = z.object({
  provider_id: z.string(),
  model_id: z.string(),
  api: z.string(),
  capabilities_revision: z.string(),
  context_tokens: z.int(),
  tokens: z.int(),
  fits: z.boolean(),
})

export const modelRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/models",
    summary: "The models that are known, what of them, and whether each can be asked here",
    answer: z.object({
      models: z.array(ShownModel),
      default: ModelChoice,
      refreshed: Refreshed,
    }),
    async handle({ host }) {
      const { default_model, known, providers } = host
      const models = known.models.map((model) => ({
        ...model,
        revision: known.capabilities(model).revision,
        available: providers.has(model.provider_id),
      }))
      return { models, default: default_model, refreshed: known.refreshed }
    },
  }),
  route({
    method: "post",
    path: "/v1/models/refresh",
    summary: "Ask the catalog of models and the configured servers for news now",
    answer: z.object({
      catalog: z.object({
        type: z.enum(["recent", "unchanged", "updated", "failed"]),
        reason: z.string().nullable(),
      }),
      probed: z.array(
        z.object({ provider_id: z.string(), models: z.int(), error: z.string().nullable() }),
      ),
      refreshed: Refreshed,
    }),
    async handle({ host }) {
      const { catalog, probed } = await host.known.renew()
      const reason = catalog.type === "failed" ? catalog.reason : null
      return {
        catalog: { type: catalog.type, reason },
        probed: probed.map((answer) => ({
          provider_id: answer.provider_id,
          models: "models" in answer ? answer.models.length : 0,
          error: "error" in answer ? answer.error : null,
        })),
        refreshed: host.known.refreshed,
      }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/switch",
    summary: "What changes when the session goes on with another model",
    query: z.object({ model: z.string().min(1).max(400).transform(parseModelChoice) }),
    answer: z.object({
      session_id: z.string(),
      from: Side,
      to: Side,
      changes: z.array(Change),
    }),
    async handle({ host, param, query }) {
      return host.what_if.switchReport(param("id"), query.model)
    },
  }),
  route({
    method: "get",
    path: "/v1/diff-lowering",
    summary: "Which stored turns would be lowered differently now, part by part",
    query: z.object({
      since: z.coerce.number().int().min(0).default(0),
      session: SessionId.optional(),
    }),
    answer: z.object({
      since: z.int(),
      now: z.int(),
      compared: z.int(),
      turns: z.array(
        z.object({
          session_id: z.string(),
          turn_id: z.string(),
          model: ModelChoice,
          version: z.int(),
          capabilities_revision: z.object({
            stored: z.string().nullable(),
            now: z.string().nullable(),
          }),
          changes: z.array(Change),
        }),
      ),
      more: z.boolean(),
    }),
    async handle({ host, caller, query }) {
      const { since, session: session_id } = query
      return host.what_if.diffLowering({ since, session_id, ...shownTo(caller) })
    },
  }),
]
