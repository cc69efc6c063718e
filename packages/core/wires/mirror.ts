import { ANTHROPIC_LIMITS } from "./anthropic-messages.ts"
import { CLAUDE, defineInProcessWire, knownModels, type ModelTraits, TEXT } from "./define-wire.ts"
import { encodePlain, plainBody } from "./plain.ts"

const FACTS: ModelTraits = { ...CLAUDE, thinking: [] }

/** The model that is always there: it answers with what a model would have received. */
export const mirrorWire = defineInProcessWire({
  api: "mirror",
  provider_id: "mirror",
  limits: { ...ANTHROPIC_LIMITS, keeps_thoughts: false },
  models: knownModels({ provider_id: "mirror", api: "mirror" }, FACTS, [
    ["mirror", "Mirror — shows what a model would receive"],
    ["text", "Mirror without eyes — shows what a text-only model would receive", { input: TEXT }],
  ]),
  catalog: null,
  sdk_seals: null,
  encodeTool: (tool) => tool,
  encode: encodePlain,
  body: plainBody,
  fold: null,
})
