import type { ModelChoice } from "compositor-core/message/message"
import { type Model, thinkingFor } from "compositor-core/model/models"
import type { Effort, Thinking } from "compositor-core/model/prompt"
import type { Envelope } from "../providers/provider.ts"
import type { Document, ToolCatalog } from "./system-prompt.ts"

/** No answer is longer, whatever a model could write. */
const MAX_OUTPUT_TOKENS = 32_000

/** What a request says beside its messages. */
export function envelopeOf(
  model: Model,
  said: {
    readonly system: Document
    readonly catalog?: ToolCatalog
    readonly thinking?: Thinking | undefined
  },
): Envelope {
  const { system, catalog, thinking } = said
  return {
    model: model.model_id,
    system: system.body,
    max_tokens: Math.min(model.output_tokens, MAX_OUTPUT_TOKENS),
    ...(catalog && catalog.tools.length > 0 ? { tools: catalog.tools } : {}),
    ...(thinking ? { thinking } : {}),
  }
}

/** How much a choice of model asks it to think: its variant, where that is an effort. */
export function thinkingOf(model: Model, { variant }: ModelChoice): Thinking | undefined {
  return isWish(variant) ? thinkingFor(model, variant) : undefined
}

const WISHES: ReadonlySet<string> = new Set(["off", "low", "medium", "high", "max"])

function isWish(variant: string | undefined): variant is Effort | "off" {
  return variant !== undefined && WISHES.has(variant)
}
