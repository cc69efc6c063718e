import { ModelFacts } from "compositor-core/model/layers"
import { type Question, ask } from "./ask.ts"
import { urlOf } from "./exchange.ts"
import { count, type Json, parse, record, records, text } from "./read.ts"

/** Whom to ask what it can do, and in which way. */
export interface Probe {
  readonly provider_id: string
  readonly kind: "anthropic" | "mistral" | "ollama" | "llama-cpp" | "lm-studio" | "models"
  /** Without the version of the API. */
  readonly base_url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Probed =
  | { readonly provider_id: string; readonly models: readonly ModelFacts[] }
  | { readonly provider_id: string; readonly error: string }

const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_MODELS = 1000
/** Ollama is asked about each model by itself. */
const MAX_SHOWN = 100
const TIMEOUTS = { connect_ms: 3000, idle_ms: 10_000 }

/** What a server says of its models, as facts above the tables. Never throws. */
export async function probe(server: Probe, signal: AbortSignal): Promise<Probed> {
  const { provider_id } = server
  const get: Ask = (path, json) => read(server, path, { signal, json })
  try {
    const found = (await READERS[server.kind](get)).slice(0, MAX_MODELS)
    return { provider_id, models: found.flatMap((facts) => checked(provider_id, facts)) }
  } catch (error) {
    return { provider_id, error: error instanceof Error ? error.message : String(error) }
  }
}

type Ask = (path: string, json?: unknown) => Promise<Json>

async function read(
  { base_url, headers }: Probe,
  path: string,
  about: { readonly signal: AbortSignal; readonly json: unknown },
): Promise<Json> {
  const limits = { max_bytes: MAX_ANSWER_BYTES, timeouts: TIMEOUTS }
  const question: Question = { url: urlOf(base_url, path), headers, ...about, ...limits }
  const page = await ask(question)
  const body = parse(page.text)
  if (page.status !== 200 || !body)
    throw new Error(`${question.url} answered with status ${page.status} and no list of models`)
  return body
}

/** What a server says is data from outside too. */
function checked(provider_id: string, facts: Found): ModelFacts[] {
  const parsed = ModelFacts.safeParse({ ...facts, provider_id })
  return parsed.success ? [parsed.data] : []
}

interface Found {
  readonly model_id: unknown
  readonly name?: unknown
  readonly input?: readonly string[] | undefined
  readonly context_tokens?: number | undefined
  readonly output_tokens?: number | undefined
  readonly tools?: boolean | undefined
  readonly thinking?: readonly string[] | undefined
}

const READERS: Readonly<Record<Probe["kind"], (ask: Ask) => Promise<Found[]>>> = {
  anthropic: async (get) => records((await get("/v1/models?limit=1000")).data).map(anthropicModel),
  mistral: async (get) =>
    records((await get("/v1/models")).data)
      .filter(({ capabilities }) => record(capabilities)?.completion_chat !== false)
      .map(mistralModel),
  ollama: ollamaModels,
  "llama-cpp": async (get) => llamaModels(await get("/props")),
  "lm-studio": async (get) =>
    records((await get("/api/v0/models")).data)
      .filter(({ type }) => type !== "embeddings")
      .map(studioModel),
  models: async (get) => records((await get("/v1/models")).data).map(listedModel),
}

function anthropicModel(model: Json): Found {
  const can = record(model.capabilities)
  const thinking = record(can?.thinking)
  const ways = record(thinking?.types)
  return {
    model_id: model.id,
    name: text(model.display_name),
    ...(can ? { input: senses({ image: can.image_input, pdf: can.pdf_input }) } : {}),
    context_tokens: positive(model.max_input_tokens),
    output_tokens: positive(model.max_tokens),
    ...(ways ? { thinking: anthropicThinking(ways) } : {}),
  }
}

function anthropicThinking(ways: Json): string[] {
  const takes = (way: string) => supported(ways[way])
  return [
    ...(takes("disabled") ? ["off"] : []),
    ...(takes("adaptive") ? ["effort"] : []),
    ...(takes("enabled") ? ["budget"] : []),
  ]
}

function mistralModel(model: Json): Found {
  const can = record(model.capabilities) ?? {}
  return {
    model_id: model.id,
    name: text(model.name),
    input: senses({ image: can.vision, audio: can.audio }),
    context_tokens: positive(model.max_context_length),
    tools: flag(can.function_calling),
    ...(can.reasoning === true ? { thinking: ["off", "effort"] } : {}),
  }
}

async function ollamaModels(get: Ask): Promise<Found[]> {
  const names = records((await get("/api/tags")).models).slice(0, MAX_SHOWN)
  const found: Found[] = []
  for (const { name } of names) {
    // A model that was removed in between is no reason to know nothing of the others.
    const shown = await get("/api/show", { model: name }).catch(() => undefined)
    if (shown) found.push(ollamaModel(name, shown))
  }
  return found
}

function ollamaModel(name: unknown, shown: Json): Found {
  const can = Array.isArray(shown.capabilities) ? shown.capabilities : []
  const about = record(shown.model_info) ?? {}
  const context = Object.entries(about).find(([key]) => key.endsWith(".context_length"))
  return {
    model_id: name,
    input: senses({ image: can.includes("vision"), audio: can.includes("audio") }),
    context_tokens: positive(context?.[1]),
    tools: can.includes("tools"),
    thinking: can.includes("thinking") ? ["off", "effort"] : [],
  }
}

/** The server runs one model, whatever it is called. */
function llamaModels(props: Json): Found[] {
  const can = record(props.modalities) ?? {}
  const settings = record(props.default_generation_settings)
  const facts = {
    input: senses({ image: can.vision, audio: can.audio, video: can.video }),
    context_tokens: positive(settings?.n_ctx),
  }
  const path = text(props.model_path)
  const name = text(props.model_alias) || path?.slice(path.lastIndexOf("/") + 1)
  return ["default", ...(name ? [name] : [])].map((model_id) => ({ model_id, ...facts }))
}

function studioModel(model: Json): Found {
  const can = Array.isArray(model.capabilities) ? model.capabilities : undefined
  return {
    model_id: model.id,
    input: senses({ image: model.type === "vlm" }),
    context_tokens: positive(model.loaded_context_length) ?? positive(model.max_context_length),
    tools: can?.includes("tool_use"),
  }
}

/** vLLM tells how long a context may be; most others tell nothing but names. */
function listedModel(model: Json): Found {
  return { model_id: model.id, context_tokens: positive(model.max_model_len) }
}

function senses(has: Readonly<Record<string, unknown>>): string[] {
  return [
    "text",
    ...Object.keys(has).filter((sense) => has[sense] === true || supported(has[sense])),
  ]
}

function supported(value: unknown): boolean {
  return record(value)?.supported === true
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}

function positive(value: unknown): number | undefined {
  return count(value) || undefined
}
