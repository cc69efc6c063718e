import { type ApiLimits, carries } from "../model/capabilities.ts"
import { PDF, WEB_IMAGES } from "../model/media-types.ts"
import type { Price } from "../model/price.ts"
import type {
  Block,
  Media,
  PromptMessage,
  Seal,
  Thinking,
  ToolDefinition,
  ToolResultBlock,
} from "../model/prompt.ts"
import { anthropicStart, readAnthropic } from "./anthropic-stream.ts"
import { assemble, type WireBody, type WireFragment, join, utf8, withList } from "./body.ts"
import {
  BUDGETED,
  CLAUDE,
  type Connection,
  decodedBytes,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVENT_HEADERS,
  knownModels,
  LONG_CONTEXT,
  MEGABYTE,
  type ProbedModel,
  urlOf,
  type WireRequest,
} from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import { base64Of, messageFragment, fragmentWords } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import { isSupported, readSenses, readTokens } from "./probed.ts"
import { type JsonRecord, record, records, readString } from "./read.ts"
import {
  assistantSpeech,
  describeMedia,
  inputObject,
  EMPTY_MESSAGE_TEXT,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"

const API = "anthropic-messages"
const PROVIDER = "anthropic"
const BASE_URL = "https://api.anthropic.com"
const VERSION = "2023-06-01"
const MAX_TITLE_CHARACTERS = 500

/** What the API takes; the mirror and the scripted model take the same, so that they show the same
 *  blocks. */
export const ANTHROPIC_LIMITS: ApiLimits = {
  media: {
    image: {
      mimes: WEB_IMAGES,
      sources: ["base64", "url", "file-id"],
      max_bytes: decodedBytes(5 * MEGABYTE),
      max_side_pixels: 8000,
      crowded: { count: 20, max_side_pixels: 2000 },
      max_count: 100,
    },
    pdf: {
      mimes: PDF,
      sources: ["base64", "url", "file-id"],
      // What fits into a request as base64, with room for the rest of it.
      max_bytes: 22 * MEGABYTE,
      max_pages: 600,
      small_context: { tokens: 200_000, max_pages: 100 },
    },
  },
  max_request_bytes: 32 * MEGABYTE,
  tool_result_media: ["image", "pdf"],
  system: "beside",
  // With a budget, the newest assistant message must begin with a thought of the model's own.
  synthetic_tool_call: "without-budget",
  keeps_thoughts: true,
  one_string: false,
}

/** Anthropic's Messages API. */
export const anthropicMessages = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: ANTHROPIC_LIMITS,
  models: knownModels({ provider_id: PROVIDER, api: API }, CLAUDE, [
    ["claude-sonnet-5-5", "Claude Sonnet 5.5"],
    ["claude-opus-5-5", "Claude Opus 5.5"],
    ["claude-haiku-5-5", "Claude Haiku 5.5"],
    ["claude-opus-4-8", "Claude Opus 4.8", LONG_CONTEXT],
    ["claude-opus-4-5", "Claude Opus 4.5", { ...BUDGETED, price: dollars(5, 25) }],
    ["claude-sonnet-4-5", "Claude Sonnet 4.5", { ...BUDGETED, price: dollars(3, 15) }],
    ["claude-haiku-4-5", "Claude Haiku 4.5", { ...BUDGETED, price: dollars(1, 5) }],
  ]),
  catalog: PROVIDER,
  sdk_seals: {
    provider: "anthropic",
    options: { signature: "signature", encrypted: "redactedData" },
  },
  setup,
  encodeTool,
  encode: encodeMessage,
  body,
  fold: foldMessages,
  request: (_, connection) => request("/v1/messages", connection),
  count: {
    request: (_, connection) => request("/v1/messages/count_tokens", connection),
    body: countBody,
    read: ({ input_tokens }) => input_tokens,
  },
  probe: ({ base_url, headers }) => ({
    url: base_url,
    headers,
    read: async (ask) => records((await ask("/v1/models?limit=1000")).data).map(readModel),
  }),
  start: anthropicStart,
  ...readAnthropic,
  example: {
    environment: { ANTHROPIC_API_KEY: "key" },
    base_url_variable: "ANTHROPIC_BASE_URL",
    answer: {
      type: "text/event-stream",
      bytes: [
        { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
    },
    refusal: {
      body: { type: "error", error: { type: "invalid_request_error", message: "no such model" } },
      facts: { code: "invalid_request_error", message: "no such model" },
    },
  },
})

function setup({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL }: ProviderEnvironment): Connection[] {
  if (!key) return []
  const headers = { "x-api-key": key, "anthropic-version": VERSION }
  return [{ kind: "vendor", base_url: ANTHROPIC_BASE_URL || BASE_URL, headers }]
}

function request(path: string, { base_url, headers }: Connection): WireRequest {
  return { url: urlOf(base_url, path), headers: { ...EVENT_HEADERS, ...headers } }
}

/** Reading the cache costs a tenth of input, and writing it a quarter more. The other models' prices
 *  come with the refreshed catalog. */
function dollars(input: number, output: number): Price {
  return { input, output, cache_read: input / 10, cache_write: input * 1.25 }
}

function encodeMessage({ role, blocks }: PromptMessage, model = ""): WireFragment {
  const content = role === "user" ? userContent(blocks) : assistantContent(blocks, model)
  return messageFragment([{ role, content: content.length > 0 ? content : [EMPTY] }])
}

const EMPTY = { type: "text", text: EMPTY_MESSAGE_TEXT }

function userContent(blocks: PromptMessage["blocks"]): object[] {
  const { results, shown } = userSpeech(blocks)
  return [...results.map(encodeResult), ...shown.map(encodeShown)]
}

function encodeResult({ id, blocks, is_error }: ToolResultBlock): object {
  const content = userSpeech(blocks).shown.map(encodeShown)
  return {
    type: "tool_result",
    tool_use_id: callId(id),
    ...(content.length > 0 ? { content } : {}),
    ...(is_error ? { is_error } : {}),
  }
}

function encodeShown(block: Block): object {
  if (block.type === "text") return { type: "text", text: fragmentWords(block) }
  if (!carries(ANTHROPIC_LIMITS, block)) return { type: "text", text: describeMedia(block, API) }
  const { type, media } = block
  const source = { type: "base64", media_type: media.mime, data: base64Of(media) }
  const title = type === "document" ? { title: titleOf(media) } : {}
  return { type, source, ...title }
}

function titleOf({ name }: Media): string {
  return name.slice(0, MAX_TITLE_CHARACTERS).toWellFormed()
}

function assistantContent(blocks: PromptMessage["blocks"], model: string): object[] {
  return assistantSpeech(blocks, { api: API, model }).map(encodeSpoken)
}

function encodeSpoken(block: SpokenBlock): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: fragmentWords(block) }
    case "reasoning":
      return encodeThought(block.text, block.seal)
    case "tool-call": {
      const { id, name, input } = block
      return {
        type: "tool_use",
        id: callId(id),
        name: toolName(name),
        input: inputObject(input),
      }
    }
  }
}

function encodeThought(thinking: string, seal: Seal | undefined): object {
  if (seal?.encrypted !== undefined) return { type: "redacted_thinking", data: seal.encrypted }
  return { type: "thinking", thinking, signature: seal?.signature ?? "" }
}

const CACHED = { cache_control: { type: "ephemeral" } }

/** Three breakpoints: after tools and system, after the user's words before the newest (where the
 *  last request ended, so that it is found however much a step added), and at the end, by the
 *  top-level mark. */
function body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { model, max_tokens } = envelope
  const head = { model, max_tokens, ...aboutMessages(envelope) }
  const marked = join(withBreakpoint(messages), ",")
  const tail = `],"stream":true,${JSON.stringify(CACHED).slice(1)}`
  return assemble(`${JSON.stringify(head).slice(0, -1)},"messages":[`, marked, tail)
}

function aboutMessages(envelope: RequestEnvelope): object {
  const { system, tools = [] } = envelope
  const hasSystem = system.trim() !== ""
  return {
    ...thinkingOf(envelope),
    ...(tools.length > 0 ? { tools: encodeTools(envelope, !hasSystem) } : {}),
    ...(hasSystem ? { system: [{ type: "text", text: system, ...CACHED }] } : {}),
  }
}

function encodeTools({ tools = [] }: RequestEnvelope, marked: boolean): object[] {
  return tools.map((tool, index) => ({
    ...encodeTool(tool),
    ...(marked && index === tools.length - 1 ? CACHED : {}),
  }))
}

function encodeTool({ name, description, parameters }: ToolDefinition): object {
  return { name: toolName(name), description, input_schema: { type: "object", ...parameters } }
}

const SMALLEST_BUDGET = 1024

function thinkingOf({ thinking, max_tokens }: RequestEnvelope): object {
  switch (thinking?.type) {
    case undefined:
      return {}
    case "off":
      return { thinking: { type: "disabled" } }
    case "effort":
      return { thinking: { type: "adaptive" }, output_config: { effort: thinking.effort } }
    case "budget":
      return budgetOf(thinking, max_tokens)
  }
}

function budgetOf({ tokens }: Extract<Thinking, { type: "budget" }>, max_tokens: number): object {
  const budget_tokens = Math.min(tokens, max_tokens - 1)
  if (budget_tokens < SMALLEST_BUDGET) return {}
  return { thinking: { type: "enabled", budget_tokens } }
}

function withBreakpoint(messages: readonly WireFragment[]): readonly WireFragment[] {
  const newest = messages.findLastIndex(isUser)
  const before = messages.findLastIndex((message, index) => index < newest && isUser(message))
  const message = messages[before]
  return message ? messages.with(before, withMark(message)) : messages
}

function isUser({ roles }: WireFragment): boolean {
  return roles?.at(-1) === "user"
}

/** How a message ends: its last block, and then itself. */
const CLOSING = "}]}"
const STAMP = utf8(`,${JSON.stringify(CACHED).slice(1, -1)}${CLOSING}`)

function withMark(message: WireFragment): WireFragment {
  const { pieces, size } = message
  const last = pieces.at(-1)
  if (!(last instanceof Uint8Array)) return message
  const marked = [...pieces.slice(0, -1), last.subarray(0, -CLOSING.length), STAMP]
  return { ...message, pieces: marked, size: size + STAMP.length - CLOSING.length }
}

function countBody(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const head = { model: envelope.model, ...aboutMessages(envelope) }
  return withList(head, "messages", join(messages, ","))
}

function readModel(model: JsonRecord): ProbedModel {
  const can = record(model.capabilities)
  const ways = record(record(can?.thinking)?.types)
  return {
    model_id: model.id,
    name: readString(model.display_name),
    ...(can ? { input: readSenses({ image: can.image_input, pdf: can.pdf_input }) } : {}),
    context_tokens: readTokens(model.max_input_tokens),
    output_tokens: readTokens(model.max_tokens),
    ...(ways ? { thinking: readThinking(ways) } : {}),
  }
}

function readThinking(ways: JsonRecord): string[] {
  return [
    ...(isSupported(ways.disabled) ? ["off"] : []),
    ...(isSupported(ways.adaptive) ? ["effort"] : []),
    ...(isSupported(ways.enabled) ? ["budget"] : []),
  ]
}
