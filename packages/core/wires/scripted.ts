import { ANTHROPIC_LIMITS } from "./anthropic-messages.ts"
import { CLAUDE, defineInProcessWire, knownModels } from "./define-wire.ts"
import { encodePlain, plainBody } from "./plain.ts"

/** A model that answers as it was told to, for tests. */
export const scriptedWire = defineInProcessWire({
  api: "scripted",
  provider_id: "scripted",
  limits: { ...ANTHROPIC_LIMITS, keeps_thoughts: false },
  models: knownModels({ provider_id: "scripted", api: "scripted" }, { ...CLAUDE, thinking: [] }, [
    ["scripted", "Scripted — answers as a test told it to"],
  ]),
  catalog: null,
  sdk_seals: null,
  encodeTool: (tool) => tool,
  encode: encodePlain,
  body: plainBody,
  fold: null,
})
