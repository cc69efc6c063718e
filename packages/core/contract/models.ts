import { z } from "zod"
import { ModelChoice, parseModelChoice } from "../message/message.ts"
import { Price } from "../model/price.ts"
import { Outcome } from "../model/receipt.ts"
import { SessionId } from "./fields.ts"
import { route } from "./route.ts"

/** When the catalog of models was last asked for news. */
export const CatalogState = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  fetched_at: z.int(),
  checked_at: z.int(),
})
export type CatalogState = z.infer<typeof CatalogState>

export const ModelInfo = z.object({
  provider_id: z.string(),
  model_id: z.string(),
  api: z.string(),
  name: z.string(),
  context_tokens: z.int(),
  output_tokens: z.int(),
  input: z.array(z.string()),
  tools: z.boolean(),
  /** The ways to say how much it is to think; none when it does not, or cannot be told. */
  thinking: z.array(z.enum(["off", "budget", "effort"])),
  /** Absent where nobody told. */
  price: Price.optional(),
  /** Who had a say above the embedded list. */
  layers: z.array(z.string()),
  /** What a request records as the knowledge that it was lowered by. */
  revision: z.string(),
  available: z.boolean(),
})
export type ModelInfo = z.infer<typeof ModelInfo>

export const ModelsAnswer = z.object({
  models: z.array(ModelInfo),
  default: ModelChoice,
  refreshed: CatalogState.nullable(),
})
export type ModelsAnswer = z.infer<typeof ModelsAnswer>

export const RefreshAnswer = z.object({
  catalog: z.object({
    type: z.enum(["recent", "unchanged", "updated", "failed"]),
    reason: z.string().nullable(),
  }),
  probed: z.array(
    z.object({ provider_id: z.string(), models: z.int(), error: z.string().nullable() }),
  ),
  refreshed: CatalogState.nullable(),
})
export type RefreshAnswer = z.infer<typeof RefreshAnswer>

/** What a receipt says of a part, without who wrote it. */
export const PartOutcome = z.object({
  outcome: Outcome,
  rule: z.string(),
  reason: z.string(),
  bytes: z.int(),
  tokens: z.int(),
  content_id: z.string().nullable(),
})
export type PartOutcome = z.infer<typeof PartOutcome>

/** A part whose receipts differ; null where it has none on that side. */
export const ReceiptChange = z.object({
  message_id: z.string(),
  part: z.string(),
  type: z.string(),
  before: PartOutcome.nullable(),
  after: PartOutcome.nullable(),
})
export type ReceiptChange = z.infer<typeof ReceiptChange>

/** One model's side of a switch. */
export const SwitchSide = z.object({
  provider_id: z.string(),
  model_id: z.string(),
  api: z.string(),
  capabilities_revision: z.string(),
  context_tokens: z.int(),
  /** What the history comes to for it, its system prompt included; an estimate. */
  tokens: z.int(),
  /** Whether that leaves room for an answer. */
  fits: z.boolean(),
})
export type SwitchSide = z.infer<typeof SwitchSide>

export const SwitchAnswer = z.object({
  session_id: z.string(),
  from: SwitchSide,
  to: SwitchSide,
  changes: z.array(ReceiptChange),
})
export type SwitchAnswer = z.infer<typeof SwitchAnswer>

/** One stored turn that would be lowered differently now. */
const TurnDifference = z.object({
  session_id: z.string(),
  turn_id: z.string(),
  model: ModelChoice,
  /** Which version wrote its receipts. */
  version: z.int(),
  /** What was known of the model then, and what is known now: where the two differ, that may be the
   *  reason and not the lowering. */
  capabilities_revision: z.object({ stored: z.string().nullable(), now: z.string().nullable() }),
  changes: z.array(ReceiptChange),
})
export type TurnDifference = z.infer<typeof TurnDifference>

export const DiffLoweringAnswer = z.object({
  since: z.int(),
  now: z.int(),
  /** Turns that were looked at: those whose messages are still in their session's history. */
  compared: z.int(),
  turns: z.array(TurnDifference),
  /** Whether there are more than are told. */
  more: z.boolean(),
})
export type DiffLoweringAnswer = z.infer<typeof DiffLoweringAnswer>

export const models = {
  listModels: route("GET /v1/models", {
    about: "The models that are known, what of them, and whether each can be asked here",
    answer: ModelsAnswer,
  }),
  refreshModels: route("POST /v1/models/refresh", {
    about: "Ask the catalog of models and the configured servers for news now",
    answer: RefreshAnswer,
  }),
  reportModelSwitch: route("GET /v1/sessions/:id/switch", {
    about: "What changes when the session goes on with another model",
    query: z.object({ model: z.string().min(1).max(400).transform(parseModelChoice) }),
    answer: SwitchAnswer,
  }),
  diffLowering: route("GET /v1/diff-lowering", {
    about: "Which stored turns would be lowered differently now, part by part",
    query: z.object({
      since: z.coerce.number<number>().int().min(0).default(0),
      session: SessionId.optional(),
    }),
    answer: DiffLoweringAnswer,
  }),
}
