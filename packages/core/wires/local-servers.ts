import type { AskServer, ProbedModel } from "./define-wire.ts"
import { readSenses, readTokens } from "./probed.ts"
import { type JsonRecord, record, records, readString } from "./read.ts"

// What servers of one's own say of the models that they run.

/** Ollama is asked about each model by itself. */
const MAX_SHOWN = 100

export async function ollamaModels(ask: AskServer): Promise<ProbedModel[]> {
  const names = records((await ask("/api/tags")).models).slice(0, MAX_SHOWN)
  const found: ProbedModel[] = []
  for (const { name } of names) {
    // A model that was removed in between is no reason to know nothing of the others.
    const shown = await ask("/api/show", { model: name }).catch(() => undefined)
    if (shown) found.push(ollamaModel(name, shown))
  }
  return found
}

function ollamaModel(name: unknown, shown: JsonRecord): ProbedModel {
  const can = Array.isArray(shown.capabilities) ? shown.capabilities : []
  const about = record(shown.model_info) ?? {}
  const context = Object.entries(about).find(([key]) => key.endsWith(".context_length"))
  return {
    model_id: name,
    input: readSenses({ image: can.includes("vision"), audio: can.includes("audio") }),
    context_tokens: readTokens(context?.[1]),
    tools: can.includes("tools"),
    thinking: can.includes("thinking") ? ["off", "effort"] : [],
  }
}

/** The server runs one model, whatever it is called. */
export async function llamaModels(ask: AskServer): Promise<ProbedModel[]> {
  const props = await ask("/props")
  const can = record(props.modalities) ?? {}
  const settings = record(props.default_generation_settings)
  const facts = {
    input: readSenses({ image: can.vision, audio: can.audio, video: can.video }),
    context_tokens: readTokens(settings?.n_ctx),
  }
  const path = readString(props.model_path)
  const name = readString(props.model_alias) || path?.slice(path.lastIndexOf("/") + 1)
  return ["default", ...(name ? [name] : [])].map((model_id) => ({ model_id, ...facts }))
}

export async function studioModels(ask: AskServer): Promise<ProbedModel[]> {
  return records((await ask("/api/v0/models")).data)
    .filter(({ type }) => type !== "embeddings")
    .map(studioModel)
}

function studioModel(model: JsonRecord): ProbedModel {
  const can = Array.isArray(model.capabilities) ? model.capabilities : undefined
  return {
    model_id: model.id,
    input: readSenses({ image: model.type === "vlm" }),
    context_tokens: readTokens(model.loaded_context_length) ?? readTokens(model.max_context_length),
    tools: can?.includes("tool_use"),
  }
}

/** vLLM tells how long a context may be; most others tell nothing but names. */
export async function listedModels(ask: AskServer): Promise<ProbedModel[]> {
  return records((await ask("/v1/models")).data).map((model) => ({
    model_id: model.id,
    context_tokens: readTokens(model.max_model_len),
  }))
}
