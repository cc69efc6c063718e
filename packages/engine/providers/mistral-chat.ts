import { carries } from "compositor-core/model/capabilities"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  ReasoningBlock,
  TextBlock,
  Thinking,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { chatFrames, chatReader, chatStart } from "./chat-stream.ts"
import { bearer, converse, eventRequest, type KeyedAddress, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import {
  base64Of,
  dataUrlOf,
  messageFragment,
  paragraphs,
  type WireString,
  wordsOf,
} from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import { chatBody, encodeCall, encodeTools } from "./openai-chat.ts"
import type { Body, Call, Envelope, Fragment, Provider } from "./provider.ts"
import { assistantSpeech, describeMedia, NOTHING_SAID, resultText, userSpeech } from "./speech.ts"
import { templated } from "./template.ts"
import { withBetween } from "./role-alternation.ts"

export type MistralOptions = KeyedAddress

const API = "mistral-chat"
const BASE_URL = "https://api.mistral.ai"

/** Mistral's chat completions: near to OpenAI's, with its own pieces of content. */
export function mistralChat(options: MistralOptions): Provider {
  const wire = { id: "mistral", api: API, encode, body, fold }
  return { ...wire, stream: (call) => stream(call, options) }
}

const encode = templated(encodeMessage)

function encodeMessage({ role, blocks }: PromptMessage, model = ""): Fragment {
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
  const content = shown.length > 0 ? shown.map(encodeShown) : [textChunk(NOTHING_SAID)]
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
  if (block.type === "text") return textChunk(wordsOf(block))
  return native(block) ?? textChunk(describe(block))
}

function native(block: MediaBlock): object | undefined {
  if (!carries(API, block)) return undefined
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
    content: spoken.length === 0 ? NOTHING_SAID : contentOf(said),
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeCall) } : undefined),
  }
}

/** Words alone are one string, as the API gives them. */
function contentOf(said: readonly (TextBlock | ReasoningBlock)[]): WireString | object[] {
  const words = said.filter((block) => block.type === "text")
  return words.length === said.length ? paragraphs(words) : said.map(encodeSaid)
}

function encodeSaid(block: TextBlock | ReasoningBlock): object {
  if (block.type === "text") return textChunk(wordsOf(block))
  const { text, seal } = block
  const signature = seal?.signature ? { signature: seal.signature } : {}
  return { type: "thinking", thinking: [textChunk(text)], ...signature }
}

function body(envelope: Envelope, messages: readonly Fragment[]): Body {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    max_tokens,
    stream: true,
    ...effortOf(thinking),
    ...(tools.length > 0 ? { tools: encodeTools(envelope) } : {}),
  }
  return chatBody(head, { role: "system", content: system }, spoken(messages))
}

function fold(messages: readonly Fragment[]): Fragment {
  return folded(spoken(messages))
}

function spoken(messages: readonly Fragment[]): readonly Fragment[] {
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

function stream(call: Call, options: MistralOptions) {
  const { api_key, base_url = BASE_URL, timeouts } = options
  const url = urlOf(base_url, "/v1/chat/completions")
  const sent = { body: body(call.envelope, call.messages), timeouts }
  return converse(call, {
    start: chatStart({ api: API, model: call.envelope.model }),
    request: eventRequest(url, bearer(api_key), sent),
    frames: chatFrames,
    ...chatReader,
  })
}
