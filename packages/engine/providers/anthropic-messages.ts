import { carries } from "compositor-core/model/capabilities"
import type {
  Block,
  Media,
  PromptMessage,
  Seal,
  Thinking,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { readAnthropic, START, said } from "./anthropic-stream.ts"
import { askForCount } from "./count-tokens.ts"
import { converse, eventRequest, type KeyedAddress, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import { base64Of, messageFragment, wordsOf } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import type { Body, Call, Envelope, Fragment, Provider } from "./provider.ts"
import {
  assistantSpeech,
  describeMedia,
  inputObject,
  NOTHING_SAID,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"
import { readEvents } from "./sse.ts"
import { templated } from "./template.ts"
import { assemble, join, withList } from "./wire.ts"

export interface AnthropicOptions extends KeyedAddress {
  /** The `anthropic-version` header. */
  readonly version?: string | undefined
}

const API = "anthropic-messages"
const BASE_URL = "https://api.anthropic.com"
const VERSION = "2023-06-01"
const MAX_TITLE_CHARACTERS = 500

/** Anthropic's Messages API. */
export function anthropicMessages(options: AnthropicOptions): Provider {
  const wire = { id: "anthropic", api: API, encode, body, fold: folded }
  const count = (call: Call) => countTokens(call, options)
  return { ...wire, stream: (call) => stream(call, options), countTokens: count }
}

const encode = templated(encodeMessage)

function encodeMessage({ role, blocks }: PromptMessage, model = ""): Fragment {
  const content = role === "user" ? userContent(blocks) : assistantContent(blocks, model)
  return messageFragment([{ role, content: content.length > 0 ? content : [EMPTY] }])
}

const EMPTY = { type: "text", text: NOTHING_SAID }

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
  if (block.type === "text") return { type: "text", text: wordsOf(block) }
  if (!carries(API, block)) return { type: "text", text: describeMedia(block, API) }
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
      return { type: "text", text: wordsOf(block) }
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
function body(envelope: Envelope, messages: readonly Fragment[]): Body {
  const { model, max_tokens } = envelope
  const head = { model, max_tokens, ...aboutMessages(envelope) }
  const marked = join(withBreakpoint(messages), ",")
  const tail = `],"stream":true,${JSON.stringify(CACHED).slice(1)}`
  return assemble(`${JSON.stringify(head).slice(0, -1)},"messages":[`, marked, tail)
}

function aboutMessages(envelope: Envelope): object {
  const { system, tools = [] } = envelope
  const hasSystem = system.trim() !== ""
  return {
    ...thinkingOf(envelope),
    ...(tools.length > 0 ? { tools: encodeTools(envelope, !hasSystem) } : {}),
    ...(hasSystem ? { system: [{ type: "text", text: system, ...CACHED }] } : {}),
  }
}

function encodeTools({ tools = [] }: Envelope, marked: boolean): object[] {
  return tools.map(({ name, description, parameters }, index) => ({
    name: toolName(name),
    description,
    input_schema: { type: "object", ...parameters },
    ...(marked && index === tools.length - 1 ? CACHED : {}),
  }))
}

const SMALLEST_BUDGET = 1024

function thinkingOf({ thinking, max_tokens }: Envelope): object {
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

function withBreakpoint(messages: readonly Fragment[]): readonly Fragment[] {
  const newest = messages.findLastIndex(isUser)
  const before = messages.findLastIndex((message, index) => index < newest && isUser(message))
  const message = messages[before]
  return message ? messages.with(before, withMark(message)) : messages
}

function isUser({ roles }: Fragment): boolean {
  return roles?.at(-1) === "user"
}

/** How a message ends: its last block, and then itself. */
const CLOSING = "}]}"
const STAMP = Buffer.from(`,${JSON.stringify(CACHED).slice(1, -1)}${CLOSING}`)

function withMark(message: Fragment): Fragment {
  const { pieces, size } = message
  const last = pieces.at(-1)
  if (!(last instanceof Uint8Array)) return message
  const marked = [...pieces.slice(0, -1), last.subarray(0, -CLOSING.length), STAMP]
  return { ...message, pieces: marked, size: size + STAMP.length - CLOSING.length }
}

function stream(call: Call, options: AnthropicOptions) {
  const sent = body(call.envelope, call.messages)
  return converse(call, {
    start: { ...START, model: call.envelope.model },
    request: request("/v1/messages", sent, options),
    frames: readEvents,
    ...readAnthropic,
    said,
  })
}

function request(path: string, sent: Body, options: AnthropicOptions) {
  const { api_key, base_url = BASE_URL, version = VERSION, timeouts } = options
  const headers = { "x-api-key": api_key, "anthropic-version": version }
  return eventRequest(urlOf(base_url, path), headers, { body: sent, timeouts })
}

function countTokens(call: Call, options: AnthropicOptions) {
  const { envelope, messages } = call
  const head = { model: envelope.model, ...aboutMessages(envelope) }
  const sent = withList(head, "messages", join(messages, ","))
  return askForCount(call, {
    request: request("/v1/messages/count_tokens", sent, options),
    read: ({ input_tokens }) => input_tokens,
  })
}
