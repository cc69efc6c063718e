import type { ApiLimits, MediaLimits } from "../model/capabilities.ts"
import { SPEECH, WEB_IMAGES } from "../model/media-types.ts"
import type { Model } from "../model/models.ts"
import type { Media, MediaBlock } from "../model/prompt.ts"
import {
  bearer,
  type Connection,
  type ProviderEnvironment,
  HEARS,
  knownModels,
  type ModelProbe,
  type RemoteWire,
  UNDOCUMENTED,
  type WireExample,
} from "./define-wire.ts"
import { base64Of, dataUrlOf } from "./fragment.ts"
import { listedModels, llamaModels, ollamaModels, studioModels } from "./local-servers.ts"
import { GPT, OPENAI_BASE_URL, OPENAI_IMAGE, OPENAI_PDF } from "./openai-shared.ts"

/** How a server that speaks Chat Completions differs from the others. */
export interface ChatDialect
  extends Pick<RemoteWire, "api" | "provider_id" | "limits" | "models" | "setup" | "probe"> {
  /** As `COMPOSITOR_OPENAI_DIALECT` names it. */
  readonly name: string
  readonly max_tokens: "max_completion_tokens" | "max_tokens"
  /** The templates of many models on such a server fail when a user speaks twice in a row. */
  readonly alternates: boolean
  /** Under which name thoughts come and are sent back; null where they stay with the server. */
  readonly thoughts: "reasoning_content" | "reasoning" | null
  /** Takes `reasoning_effort`. */
  readonly effort: boolean
  /** How a medium is written, where the dialect has a place for it. */
  readonly media: Readonly<Partial<Record<MediaBlock["type"], (media: Media) => object>>>
  readonly example: Pick<WireExample, "environment" | "base_url_variable">
}

function imageUrl(media: Media): object {
  return { type: "image_url", image_url: { url: dataUrlOf(media) } }
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" }

function inputAudio(media: Media): object {
  const format = AUDIO_FORMATS[media.mime]
  return { type: "input_audio", input_audio: { data: base64Of(media), format } }
}

function file(media: Media): object {
  return { type: "file", file: { filename: media.name, file_data: dataUrlOf(media) } }
}

function inputVideo(media: Media): object {
  return { type: "input_video", input_video: { data: base64Of(media) } }
}

function videoUrl(media: Media): object {
  return { type: "video_url", video_url: { url: dataUrlOf(media) } }
}

const CHAT: ApiLimits = {
  media: {
    image: OPENAI_IMAGE,
    pdf: { ...OPENAI_PDF, sources: ["base64", "file-id"] },
    audio: { mimes: SPEECH, sources: ["base64"], max_bytes: UNDOCUMENTED.media },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: [],
  system: "developer",
  synthetic_tool_call: "always",
  keeps_thoughts: false,
  one_string: false,
}

export const OPENAI: ChatDialect = {
  name: "openai",
  provider_id: "openai-chat",
  api: "openai-chat",
  limits: CHAT,
  models: knownModels({ provider_id: "openai-chat", api: "openai-chat" }, GPT, [
    ["gpt-5.6-sol", "GPT-5.6 Sol (Chat Completions)"],
    [
      "gpt-audio-mini",
      "GPT Audio mini",
      { context_tokens: 128_000, output_tokens: 16_384, input: HEARS, thinking: [] },
    ],
  ]),
  setup: (environment) => [...keyed(environment), ...named(environment, "openai")],
  probe: probeWith(listedModels),
  max_tokens: "max_completion_tokens",
  alternates: false,
  thoughts: null,
  effort: true,
  media: { image: imageUrl, audio: inputAudio, document: file },
  example: { environment: { OPENAI_API_KEY: "key" }, base_url_variable: "OPENAI_BASE_URL" },
}

/** Words alone go to such a server as one string: some make a message of its own of each piece. */
function local(media: ApiLimits["media"]): ApiLimits {
  return { ...CHAT, media, system: "system", one_string: true }
}

function small(mimes: readonly string[]): MediaLimits {
  return { mimes, sources: ["base64"], max_bytes: UNDOCUMENTED.media }
}

/** What a model on this machine is taken for until its server was asked. */
function localModel(provider_id: string, api: string, [model_id, name]: [string, string]): Model[] {
  const facts = { context_tokens: 8192, output_tokens: 4096 }
  return knownModels({ provider_id, api }, facts, [[model_id, name]])
}

const SERVER = { max_tokens: "max_tokens", alternates: true } as const

const FILMS = ["video/mp4", "video/webm", "video/quicktime"]

/** The dialects of servers of one's own, by the name of the program. */
export const SERVER_DIALECTS: readonly ChatDialect[] = [
  {
    ...SERVER,
    ...about("ollama"),
    setup: (environment) => [...named(environment, "ollama"), ...ollama(environment)],
    models: localModel("ollama", "openai-chat/ollama", ["gpt-oss:20b", "gpt-oss 20B (Ollama)"]),
    limits: local({
      image: small(["image/png", "image/jpeg", "image/webp"]),
      audio: small(SPEECH),
    }),
    probe: probeWith(ollamaModels),
    thoughts: "reasoning",
    effort: true,
    media: { image: imageUrl, audio: inputAudio },
  },
  {
    ...SERVER,
    ...about("llama-cpp"),
    models: localModel("llama-cpp", "openai-chat/llama-cpp", ["default", "llama.cpp"]),
    limits: local({
      image: small(["image/png", "image/jpeg", "image/gif", "image/bmp"]),
      audio: small(SPEECH),
      video: small(FILMS),
    }),
    probe: probeWith(llamaModels),
    thoughts: "reasoning_content",
    effort: false,
    media: { image: imageUrl, audio: inputAudio, video: inputVideo },
  },
  {
    ...SERVER,
    ...about("vllm"),
    models: localModel("vllm", "openai-chat/vllm", ["default", "vLLM"]),
    limits: local({ image: small(WEB_IMAGES), audio: small(SPEECH), video: small(FILMS) }),
    probe: probeWith(listedModels),
    thoughts: "reasoning_content",
    effort: true,
    media: { image: imageUrl, audio: inputAudio, video: videoUrl },
  },
  {
    ...SERVER,
    ...about("lm-studio"),
    models: localModel("lm-studio", "openai-chat/lm-studio", ["default", "LM Studio"]),
    limits: local({ image: small(["image/png", "image/jpeg", "image/webp"]) }),
    probe: probeWith(studioModels),
    thoughts: null,
    effort: false,
    media: { image: imageUrl },
  },
  {
    ...SERVER,
    ...about("plain"),
    provider_id: "openai-compatible",
    models: localModel("openai-compatible", "openai-chat/plain", ["default", "OpenAI-compatible"]),
    limits: local({ image: small(["image/png", "image/jpeg"]) }),
    probe: probeWith(listedModels),
    thoughts: null,
    effort: false,
    media: { image: imageUrl },
  },
]

export const DIALECTS: readonly ChatDialect[] = [OPENAI, ...SERVER_DIALECTS]

function about(name: string) {
  return {
    name,
    provider_id: name,
    api: `openai-chat/${name}`,
    setup: (environment: ProviderEnvironment) => named(environment, name),
    example: {
      environment: { COMPOSITOR_OPENAI_DIALECT: name },
      base_url_variable: "COMPOSITOR_OPENAI_BASE_URL",
    },
  }
}

function keyed({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }: ProviderEnvironment): Connection[] {
  return key ? [{ kind: "vendor", base_url: url || OPENAI_BASE_URL, headers: bearer(key) }] : []
}

/** Any server that speaks Chat Completions: `COMPOSITOR_OPENAI_BASE_URL` as the server documents it,
 *  with its version, with `COMPOSITOR_OPENAI_DIALECT` where it is one that we know, `…_API_KEY` where
 *  it wants one and `…_MODEL` for the model that answers when nobody chose one. Throws when nobody
 *  speaks that dialect. */
function named(environment: ProviderEnvironment, dialect: string): Connection[] {
  const { COMPOSITOR_OPENAI_BASE_URL: base_url, COMPOSITOR_OPENAI_API_KEY } = environment
  if (!base_url || dialectIn(environment) !== dialect) return []
  const headers = bearer(COMPOSITOR_OPENAI_API_KEY)
  const model_id = environment.COMPOSITOR_OPENAI_MODEL || undefined
  return [{ kind: "server", base_url, headers, model_id }]
}

function dialectIn({ COMPOSITOR_OPENAI_DIALECT }: ProviderEnvironment): string {
  const name = COMPOSITOR_OPENAI_DIALECT || "plain"
  const known = DIALECTS.map((dialect) => dialect.name)
  if (known.includes(name)) return name
  const list = known.join(", ")
  throw new Error(`COMPOSITOR_OPENAI_DIALECT is "${name}"; the dialects are ${list}`)
}

function ollama({ OLLAMA_HOST: host }: ProviderEnvironment): Connection[] {
  return host ? [{ kind: "machine", base_url: ollamaUrl(host), headers: {} }] : []
}

const OLLAMA_PORT = "11434"

/** As Ollama reads it: a scheme and a port may be missing, and `0.0.0.0` means everywhere. */
export function ollamaUrl(host: string): string {
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (url.port === "" && !/:\d+\/?$/.test(host) && url.protocol === "http:") url.port = OLLAMA_PORT
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  return `${url.origin}/v1`
}

/** What these servers say of themselves stands beside the version of the API, not under it. */
function probeWith(read: ModelProbe["read"]) {
  return ({ kind, base_url, headers }: Connection) => {
    if (kind === "vendor") return null
    return { url: base_url.replace(/\/+$/, "").replace(/\/v1$/, ""), headers, read }
  }
}
