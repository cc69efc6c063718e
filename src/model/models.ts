import { type Capabilities, capabilitiesOfApi, type Modality } from "./capabilities.ts"

export interface Model {
  readonly provider_id: string
  readonly model_id: string
  readonly api: string
  readonly name: string
  readonly context_tokens: number
  readonly output_tokens: number
  readonly input: readonly Modality[]
}

/** How a message or a session names a model. */
interface Choice {
  readonly provider_id: string
  readonly model_id: string
}

const SIGHTED: readonly Modality[] = ["text", "image", "pdf"]

function claude(model_id: string, name: string, more: Partial<Model> = {}): Model {
  return {
    provider_id: "anthropic",
    model_id,
    api: "anthropic-messages",
    name,
    context_tokens: 200_000,
    output_tokens: 64_000,
    input: SIGHTED,
    ...more,
  }
}

function offline(provider_id: string, model_id: string, more: Partial<Model>): Model {
  return {
    provider_id,
    model_id,
    api: provider_id,
    name: model_id,
    context_tokens: 200_000,
    output_tokens: 64_000,
    input: SIGHTED,
    ...more,
  }
}

/** The models we know by name. A provider's first entry is its default, and what we assume of a
 *  model of that provider that is not in the list. */
export const MODELS: readonly Model[] = [
  offline("mirror", "mirror", { name: "Mirror — shows what a model would receive" }),
  offline("mirror", "text", {
    name: "Mirror without eyes — shows what a text-only model would receive",
    input: ["text"],
  }),
  offline("scripted", "scripted", { name: "Scripted — answers as a test told it to" }),
  claude("claude-sonnet-5-5", "Claude Sonnet 5.5"),
  claude("claude-opus-5-5", "Claude Opus 5.5"),
  claude("claude-haiku-5-5", "Claude Haiku 5.5"),
  claude("claude-opus-4-8", "Claude Opus 4.8", {
    context_tokens: 1_000_000,
    output_tokens: 128_000,
  }),
  claude("claude-opus-4-5", "Claude Opus 4.5"),
  claude("claude-sonnet-4-5", "Claude Sonnet 4.5"),
  claude("claude-haiku-4-5", "Claude Haiku 4.5"),
]

/** The model a choice names. An unknown id of a known provider takes that provider's defaults, so a
 *  model that came out yesterday can be used today; undefined when the provider is unknown. A bare
 *  provider ("anthropic") is its default model. */
export function findModel(choice: Choice): Model | undefined {
  const { provider_id, model_id } = choice
  const siblings = MODELS.filter((model) => model.provider_id === provider_id)
  const exact = siblings.find((model) => model.model_id === model_id)
  const [fallback] = siblings
  if (exact || !fallback || provider_id === model_id) return exact ?? fallback
  return { ...fallback, model_id, name: model_id }
}

export function capabilitiesOf(model: Model): Capabilities {
  return capabilitiesOfApi(model.api, model.input)
}
