import {
  ALL_MODALITIES,
  type ApiLimits,
  type Capabilities,
  capabilitiesFrom,
  type Modality,
} from "../model/capabilities.ts"
import type { ModelReference, Model } from "../model/models.ts"
import { API_LIMITS, WIRES } from "./wires.ts"

/** The models that are known by name, wire after wire. A provider's first entry is its default, and
 *  what is assumed of a model of that provider that is not in the list. */
export const MODELS: readonly Model[] = WIRES.flatMap(({ models }) => models)

/** The model a choice names. An unknown id of a known provider takes that provider's defaults, so a
 *  model that came out yesterday can be used today; undefined when the provider is unknown. A bare
 *  provider ("anthropic") is its default model. */
export function findModel(
  choice: ModelReference,
  models: readonly Model[] = MODELS,
): Model | undefined {
  const { provider_id, model_id } = choice
  const siblings = models.filter((model) => model.provider_id === provider_id)
  const exact = siblings.find((model) => model.model_id === model_id)
  const [fallback] = siblings
  if (exact || !fallback || provider_id === model_id) return exact ?? fallback
  // What its sibling costs says nothing about it.
  return { ...fallback, model_id, name: model_id, price: undefined, layers: [] }
}

export function capabilitiesOf(model: Model, tables = API_LIMITS): Capabilities {
  const { api, input, tools, context_tokens, layers } = model
  return capabilitiesFrom({ api, input, tools, context_tokens, tables, layers })
}

/** The capabilities of a model with these senses behind this API; an API that is not in the table
 *  carries text. */
export function capabilitiesOfApi(
  api: string,
  input: readonly Modality[] = ALL_MODALITIES,
  tables: Readonly<Record<string, ApiLimits>> = API_LIMITS,
): Capabilities {
  return capabilitiesFrom({ api, input, tools: true, context_tokens: 0, tables, layers: [] })
}
