import { type ApiLimits, carries, type Modality } from "../model/capabilities.ts"
import { PDF, SPEECH, WEB_IMAGES } from "../model/media-types.ts"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  ReasoningBlock,
  TextBlock,
  Thinking,
  ToolResultBlock,
} from "../model/prompt.ts"
import type { WireBody, WireFragment } from "./body.ts"
import { chatBody, encodeChatCall, encodeChatTool } from "./chat-body.ts"
import { chatStart, readChat } from "./chat-stream.ts"
import {
  bearer,
  type Connection,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVENT_HEADERS,
  HEARS,
  knownModels,
  MEGABYTE,
  type ProbedModel,
  TEXT,
  UNDOCUMENTED,
  urlOf,
} from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import {
  base64Of,
  dataUrlOf,
  messageFragment,
  paragraphs,
  type WireString,
  fragmentWords,
} from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import { readFlag, readSenses, readTokens } from "./probed.ts"
import { type JsonRecord, record, records, readString } from "./read.ts"
import {
  assistantSpeech,
  describeMedia,
  EMPTY_MESSAGE_TEXT,
  resultText,
  userSpeech,
} from "./speech.ts"
import { withBetween } from "./role-alternation.ts"

const API = "mistral-chat"
const PROVIDER = "mistral"
const BASE_URL = "https://api.mistral.ai"

const LIMITS: ApiLimits = {
  media: {
    image: {
      mimes: WEB_IMAGES,
      sources: ["base64", "url"],
      max_bytes: 10 * MEGABYTE,
      max_side_pixels: 10_000,
      max_count: 8,
    },
    pdf: {
      mimes: PDF,
      sources: ["base64", "url", "file-id"],
      max_bytes: UNDOCUMENTED.media,
      implied_by: "image",
    },
    audio: { mimes: SPEECH, sources: ["base64", "url"], max_bytes: UNDOCUMENTED.media },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: ["image", "pdf", "audio"],
  system: "system",
  synthetic_tool_call: "always",
  keeps_thoughts: false,
  one_string: false,
}

const SEES_IMAGES: readonly Modality[] = ["text", "image"]

/** Mistral's chat completions: near to OpenAI's, with its own pieces of content. */
export const mistralChat = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: LIMITS,
  models: knownModels(
    { provider_id: PROVIDER, api: API },
    { context_tokens: 256_000, output_tokens: 32_768, input: SEES_IMAGES },
    [
      ["mistral-medium-latest", "Mistral Medium", { thinking: ["off", "effort"] }],
      ["mistral-large-latest", "Mistral Large"],
      ["mistral-small-latest", "Mistral Small"],
      ["devstral-medium-latest", "Devstral Medium", { input: TEXT }],
      [
        "voxtral-small-latest",
        "Voxtral Small",
        { context_tokens: 32_000, output_tokens: 8192, input: HEARS, tools: false },
      ],
    ],
  ),
  catalog: PROVIDER,
  sdk_seals: null,
  setup,
  encodeTool: encodeChatTool,
  encode: encodeMessage,
  body,
  fold: (messages) => foldMessages(spoken(messages)),
  request: (_, { base_url, headers }) => ({
    url: urlOf(base_url, "/v1/chat/completions"),
    headers: { ...EVENT_HEADERS, ...headers },
  }),
  count: null,
  probe: ({ base_url, headers }) => ({
    url: base_url,
    headers,
    read: async (ask) =>
      records((await ask("/v1/models")).data)
        .filter(({ capabilities }) => record(capabilities)?.completion_chat !== false)
        .map(readModel),
  }),
  start: (model) => chatStart({ api: API, model }),
  ...readChat,
  example: {
    environment: { MISTRAL_API_KEY: "key" },
    base_url_variable: "MISTRAL_BASE_URL",
    answer: {
      type: "text/event-stream",
      bytes: `data: ${JSON.stringify({
        choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 9, completion_tokens: 2 },
      })}\n\ndata: [DONE]\n\n`,
    },
    refusal: {
      body: { object: "error", type: "invalid_model", message: "no such model" },
      facts: { code: "invalid_model", message: "no such model", path: undefined },
    },
  },
})

function setup({ MISTRAL_API_KEY: key, MISTRAL_BASE_URL: url }: ProviderEnvironment): Connection[] {
  return key ? [{ kind: "vendor", base_url: url || BASE_URL, headers: bearer(key) }] : []
}

function readModel(model: JsonRecord): ProbedModel {
  const can = record(model.capabilities) ?? {}
  return {
    model_id: model.id,
    name: readString(model.name),
    input: readSenses({ image: can.vision, audio: can.audio }),
    context_tokens: readTokens(model.max_context_length),
    tools: readFlag(can.function_calling),
    ...(can.reasoning === true ? { thinking: ["off", "effort"] } : {}),
  }
}

function encodeMessage({ role, blocks }: PromptMessage, model = ""): WireFragment {
  return messageFragment(role === "user" ? user(blocks) : [assistant(blocks, model)])
}

function user(blocks: PromptMessage["blocks"]): object[] {
  const { results, shown } = userSpeech(blocks)
  if (results.length === 0) return [userMessage(shown)]
  const answers = results.map(encodeResult)
  return shown.length > 0 ? [...answers, BETWEEN, userMessage(shown)] : answers
}

/** The API refuses a user who speaks right after a tool. */
const BETWEEN = { role: "assistant", content: "(reading the results)" }

function userMessage(shown: readonly Block[]): object {
  const content = shown.length > 0 ? shown.map(encodeShown) : [textChunk(EMPTY_MESSAGE_TEXT)]
  return { role: "user", content }
}

function encodeResult(result: ToolResultBlock): object {
  const { id, name, blocks, is_error } = result
  const words = blocks.every((block) => block.type === "text" || !native(block))
  const failed = is_error ? [textChunk("Error:")] : []
  const content = words
    ? resultText(result, describe)
    : [...failed, ...userSpeech(blocks).shown.map(encodeShown)]
  return { role: "tool", tool_call_id: callId(id), name: toolName(name), content }
}

function encodeShown(block: Block): object {
  if (block.type === "text") return textChunk(fragmentWords(block))
  return native(block) ?? textChunk(describe(block))
}

function native(block: MediaBlock): object | undefined {
  if (!carries(LIMITS, block)) return undefined
  const { type, media } = block
  switch (type) {
    case "image":
      return { type: "image_url", image_url: dataUrlOf(media) }
    case "document":
      return { type: "document_url", document_url: dataUrlOf(media), document_name: media.name }
    case "audio":
      return { type: "input_audio", input_audio: base64Of(media) }
    case "video":
      return undefined
  }
}

function describe(block: MediaBlock): string {
  return describeMedia(block, API)
}

function textChunk(text: WireString): object {
  return { type: "text", text }
}

function assistant(blocks: PromptMessage["blocks"], model: string): object {
  const spoken = assistantSpeech(blocks, { api: API, model })
  const calls = spoken.filter((block) => block.type === "tool-call")
  const said = spoken.filter((block) => block.type !== "tool-call")
  return {
    role: "assistant",
    content: spoken.length === 0 ? EMPTY_MESSAGE_TEXT : contentOf(said),
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeChatCall) } : undefined),
  }
}

/** Words alone are one string, as the API gives them. */
function contentOf(said: readonly (TextBlock | ReasoningBlock)[]): WireString | object[] {
  const words = said.filter((block) => block.type === "text")
  return words.length === said.length ? paragraphs(words) : said.map(encodeSaid)
}

function encodeSaid(block: TextBlock | ReasoningBlock): object {
  if (block.type === "text") return textChunk(fragmentWords(block))
  const { text, seal } = block
  const signature = seal?.signature ? { signature: seal.signature } : {}
  return { type: "thinking", thinking: [textChunk(text)], ...signature }
}

function body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    max_tokens,
    stream: true,
    ...effortOf(thinking),
    ...(tools.length > 0 ? { tools: tools.map(encodeChatTool) } : {}),
  }
  return chatBody(head, { role: "system", content: system }, spoken(messages))
}

function spoken(messages: readonly WireFragment[]): readonly WireFragment[] {
  return withBetween(
    messages,
    SPOKEN_BETWEEN,
    (before, next) => before === "tool" && next === "user",
  )
}

const SPOKEN_BETWEEN = messageFragment([BETWEEN])

/** The API knows no more than this. */
function effortOf(thinking: Thinking | undefined): object {
  if (!thinking) return {}
  return { reasoning_effort: thinking.type === "off" ? "none" : "high" }
}
