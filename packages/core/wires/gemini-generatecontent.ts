import { type ApiLimits, carries, mediaKind } from "../model/capabilities.ts"
import { PDF } from "../model/media-types.ts"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Thinking,
  ToolDefinition,
  ToolResultBlock,
} from "../model/prompt.ts"
import { assemble, type WireBody, type WireFragment, join, withList } from "./body.ts"
import {
  type Connection,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVENT_HEADERS,
  EVERY_SENSE,
  knownModels,
  MEGABYTE,
  type ModelTraits,
  urlOf,
  type WireRequest,
} from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import { base64Of, messageFragment, fragmentWords } from "./fragment.ts"
import { geminiStart, readGemini } from "./gemini-stream.ts"
import { callId, toolName } from "./names.ts"
import {
  type Addressee,
  assistantSpeech,
  captionOf,
  describeMedia,
  inputObject,
  EMPTY_MESSAGE_TEXT,
  pointToMedia,
  resultWords,
  type SpokenBlock,
  sealFor,
  userSpeech,
} from "./speech.ts"
import { inTurns } from "./role-alternation.ts"

const API = "gemini-generatecontent"
const PROVIDER = "google"
const BASE_URL = "https://generativelanguage.googleapis.com/v1beta"

const INLINE = { sources: ["base64", "url", "file-id"], max_bytes: 70 * MEGABYTE } as const

const LIMITS: ApiLimits = {
  media: {
    image: {
      mimes: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
      ...INLINE,
      max_count: 3000,
    },
    pdf: { mimes: PDF, ...INLINE, max_bytes: 50 * MEGABYTE, max_pages: 1000 },
    office: {
      mimes: ["text/plain", "text/markdown", "text/html", "text/css", "text/csv", "text/xml"],
      ...INLINE,
      implied_by: "text",
    },
    audio: {
      mimes: [
        "audio/wav",
        "audio/mpeg",
        "audio/aiff",
        "audio/aac",
        "audio/flac",
        "audio/ogg",
        "audio/ogg; codecs=opus",
      ],
      ...INLINE,
    },
    video: {
      mimes: [
        "video/mp4",
        "video/mpeg",
        "video/quicktime",
        "video/webm",
        "video/vnd.avi",
        "video/x-flv",
        "video/3gpp",
      ],
      ...INLINE,
    },
  },
  max_request_bytes: 100 * MEGABYTE,
  tool_result_media: ["image", "pdf"],
  system: "beside",
  synthetic_tool_call: "always",
  keeps_thoughts: true,
  one_string: false,
}

const GEMINI: ModelTraits = {
  context_tokens: 1_048_576,
  output_tokens: 65_536,
  input: EVERY_SENSE,
  thinking: ["effort"],
}

/** Google's generateContent. What one side says in a row becomes one content, so that the answers to
 *  all calls of a turn stand together. */
export const geminiGenerateContent = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: LIMITS,
  models: knownModels({ provider_id: PROVIDER, api: API }, GEMINI, [
    ["gemini-3.8-flash", "Gemini 3.8 Flash"],
    ["gemini-3.1-pro-preview", "Gemini 3.1 Pro"],
    ["gemini-3.1-flash-lite", "Gemini 3.1 Flash-Lite"],
    ["gemini-2.5-pro", "Gemini 2.5 Pro", { thinking: ["budget"] }],
    ["gemini-2.5-flash", "Gemini 2.5 Flash", { thinking: ["off", "budget"] }],
  ]),
  catalog: PROVIDER,
  sdk_seals: { provider: "google", options: { signature: "thoughtSignature" } },
  setup,
  encodeTool,
  encode: encodeMessage,
  body,
  fold: (messages) => foldMessages(inTurns(messages, opening)),
  request: (envelope, connection) => request(envelope, "streamGenerateContent?alt=sse", connection),
  count: {
    request: (envelope, connection) => request(envelope, "countTokens", connection),
    body: countBody,
    read: ({ totalTokens }) => totalTokens,
  },
  probe: () => null,
  start: geminiStart,
  ...readGemini,
  example: {
    environment: { GEMINI_API_KEY: "key" },
    base_url_variable: "GEMINI_BASE_URL",
    answer: {
      type: "text/event-stream",
      bytes: `data: ${JSON.stringify({
        candidates: [{ content: { parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
      })}\n\n`,
    },
    refusal: {
      body: { error: { code: 404, status: "NOT_FOUND", message: "no such model" } },
      facts: { code: "NOT_FOUND", message: "no such model" },
    },
  },
})

function setup(environment: ProviderEnvironment): Connection[] {
  const { GEMINI_API_KEY, GOOGLE_API_KEY, GEMINI_BASE_URL } = environment
  const key = GEMINI_API_KEY || GOOGLE_API_KEY
  if (!key) return []
  const headers = { "x-goog-api-key": key }
  return [{ kind: "vendor", base_url: GEMINI_BASE_URL || BASE_URL, headers }]
}

function request(
  { model }: RequestEnvelope,
  method: string,
  { base_url, headers }: Connection,
): WireRequest {
  const url = urlOf(base_url, `/models/${encodeURIComponent(model)}:${method}`)
  return { url, headers: { ...EVENT_HEADERS, ...headers } }
}

function encodeMessage({ role, blocks }: PromptMessage, model = ""): WireFragment {
  const said = role === "user" ? userParts(blocks, model) : modelParts(blocks, { api: API, model })
  const parts = said.length > 0 ? said : [{ text: EMPTY_MESSAGE_TEXT }]
  return messageFragment([{ role: role === "user" ? "user" : "model", parts }])
}

/** From the third generation on, media may stand in a result and calls must carry a signature. */
const THIRD_GENERATION = /gemini-(?:[3-9]|[1-9]\d)/

/** The API's own word for a call that it did not make. */
const NO_SIGNATURE = "skip_thought_signature_validator"

function userParts(blocks: PromptMessage["blocks"], model: string): object[] {
  const { results, shown } = userSpeech(blocks)
  return [
    ...results.map((result) => encodeResult(result, model)),
    ...results.flatMap((result) => hoisted(result, model)),
    ...shown.map(encodeShown),
  ]
}

function encodeResult(result: ToolResultBlock, model: string): object {
  const { id, name, blocks, is_error } = result
  const output = resultWords(result, (block) => placeOf(block, model))
  const media = blocks.filter((block) => block.type !== "text")
  const parts = media.filter((block) => isInside(block, model)).map(inlineData)
  const functionResponse = {
    id: callId(id),
    name: toolName(name),
    response: is_error ? { error: output } : { output },
    ...(parts.length > 0 ? { parts } : {}),
  }
  return { functionResponse }
}

const KINDS_IN_RESULTS: ReadonlySet<string> = new Set(["image", "pdf"])

function isInside(block: MediaBlock, model: string): boolean {
  return (
    THIRD_GENERATION.test(model) && KINDS_IN_RESULTS.has(mediaKind(block)) && carries(LIMITS, block)
  )
}

function placeOf(block: MediaBlock, model: string): string {
  if (isInside(block, model)) return `[${block.media.name}, ${block.media.mime}]`
  return carries(LIMITS, block) ? pointToMedia(block) : describeMedia(block, API)
}

function hoisted(result: ToolResultBlock, model: string): object[] {
  return result.blocks.flatMap((block) => {
    if (block.type === "text" || isInside(block, model) || !carries(LIMITS, block)) return []
    return [{ text: captionOf(result, block) }, inlineData(block)]
  })
}

function encodeShown(block: Block): object {
  if (block.type === "text") return { text: fragmentWords(block) }
  return carries(LIMITS, block) ? inlineData(block) : { text: describeMedia(block, API) }
}

function inlineData({ media }: MediaBlock): object {
  const mimeType = WIRE_TYPES[media.mime] ?? media.mime
  return { inlineData: { mimeType, data: base64Of(media) } }
}

/** What the API calls otherwise. */
const WIRE_TYPES: Readonly<Record<string, string>> = {
  "video/vnd.avi": "video/avi",
  "audio/ogg; codecs=opus": "audio/ogg",
}

function modelParts(blocks: PromptMessage["blocks"], to: Addressee): object[] {
  const spoken = assistantSpeech(blocks, to)
  const unsigned = unsignedCall(spoken, to)
  return spoken.map((block) => {
    const thoughtSignature = block === unsigned ? NO_SIGNATURE : sealFor(block.seal, to)?.signature
    return thoughtSignature ? { ...encodeSpoken(block), thoughtSignature } : encodeSpoken(block)
  })
}

/** The call that must be marked as not the model's own: the first, if none is signed. */
function unsignedCall(spoken: readonly SpokenBlock[], to: Addressee): SpokenBlock | undefined {
  if (!THIRD_GENERATION.test(to.model)) return undefined
  const calls = spoken.filter(({ type }) => type === "tool-call")
  return calls.some(({ seal }) => sealFor(seal, to)?.signature) ? undefined : calls[0]
}

function encodeSpoken(block: SpokenBlock): object {
  switch (block.type) {
    case "text":
      return { text: fragmentWords(block) }
    case "reasoning":
      return { text: block.text, thought: true }
    case "tool-call": {
      const { id, name, input } = block
      return { functionCall: { id: callId(id), name: toolName(name), args: inputObject(input) } }
    }
  }
}

function body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { max_tokens, thinking } = envelope
  const generationConfig = { maxOutputTokens: max_tokens, ...thinkingOf(thinking) }
  return withContents({ ...aboutContents(envelope), generationConfig }, messages)
}

function aboutContents(envelope: RequestEnvelope): object {
  const { system, tools = [] } = envelope
  return {
    ...(system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(encodeTool) }] } : {}),
  }
}

function withContents(head: object, messages: readonly WireFragment[]): WireBody {
  return withList(head, "contents", join(inTurns(messages, opening), ","))
}

/** How a content begins. */
function opening(role: string): string {
  return `{"role":"${role}","parts":[`
}

function encodeTool({ name, description, parameters }: ToolDefinition): object {
  const parametersJsonSchema = { type: "object", ...parameters }
  return { name: toolName(name), description, parametersJsonSchema }
}

function thinkingOf(thinking: Thinking | undefined): object {
  switch (thinking?.type) {
    case undefined:
      return {}
    case "off":
      return { thinkingConfig: { thinkingBudget: 0 } }
    case "budget":
      return { thinkingConfig: { includeThoughts: true, thinkingBudget: thinking.tokens } }
    case "effort":
      return { thinkingConfig: { includeThoughts: true, thinkingLevel: LEVELS[thinking.effort] } }
  }
}

const LEVELS = { low: "LOW", medium: "MEDIUM", high: "HIGH", max: "HIGH" } as const

function countBody(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const about = { model: `models/${envelope.model}`, ...aboutContents(envelope) }
  return assemble(`{"generateContentRequest":`, withContents(about, messages), "}")
}
