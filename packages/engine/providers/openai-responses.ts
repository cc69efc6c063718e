import { carries } from "compositor-core/model/capabilities"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Seal,
  Thinking,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { askForCount } from "./count-tokens.ts"
import { bearer, converse, eventRequest, type KeyedAddress, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import { dataUrlOf, messageFragment, type WireString, wordsOf } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import type { Body, Call, Envelope, Fragment, Provider } from "./provider.ts"
import { readResponses, responsesStart } from "./responses-stream.ts"
import {
  type Addressee,
  assistantSpeech,
  describeMedia,
  inputText,
  NOTHING_SAID,
  resultText,
  sealFor,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"
import { readEvents } from "./sse.ts"
import { templated } from "./template.ts"
import { join, withList } from "./wire.ts"

export type ResponsesOptions = KeyedAddress

const API = "openai-responses"
const BASE_URL = "https://api.openai.com/v1"

/** OpenAI's Responses API. Nothing is stored there: what it thought comes back to it encrypted. */
export function openaiResponses(options: ResponsesOptions): Provider {
  const wire = { id: "openai", api: API, encode, body, fold: folded }
  const count = (call: Call) => countTokens(call, options)
  return { ...wire, stream: (call) => stream(call, options), countTokens: count }
}

const encode = templated(encodeMessage)

function encodeMessage({ role, blocks }: PromptMessage, model = ""): Fragment {
  const items = role === "user" ? userItems(blocks) : assistantItems(blocks, model)
  return messageFragment(items)
}

function userItems(blocks: PromptMessage["blocks"]): object[] {
  const { results, shown } = userSpeech(blocks)
  if (results.length === 0) return [userItem(shown)]
  const outputs = results.map(encodeResult)
  return shown.length > 0 ? [...outputs, userItem(shown)] : outputs
}

function userItem(shown: readonly Block[]): object {
  const content = shown.length > 0 ? shown.map(encodeShown) : [textPart(NOTHING_SAID)]
  return { role: "user", content }
}

function encodeResult(result: ToolResultBlock): object {
  const { id, blocks, is_error } = result
  const words = blocks.every((block) => block.type === "text" || !carries(API, block))
  const failed = is_error ? [textPart("Error:")] : []
  const output = words
    ? resultText(result, describe)
    : [...failed, ...userSpeech(blocks).shown.map(encodeShown)]
  return { type: "function_call_output", call_id: callId(id), output }
}

function encodeShown(block: Block): object {
  if (block.type === "text") return textPart(wordsOf(block))
  return carries(API, block) ? native(block) : textPart(describe(block))
}

function native({ type, media }: MediaBlock): object {
  return type === "image"
    ? { type: "input_image", detail: "auto", image_url: dataUrlOf(media) }
    : { type: "input_file", filename: media.name, file_data: dataUrlOf(media) }
}

function describe(block: MediaBlock): string {
  return describeMedia(block, API)
}

function textPart(text: WireString): object {
  return { type: "input_text", text }
}

function assistantItems(blocks: PromptMessage["blocks"], model: string): object[] {
  const to = { api: API, model }
  const items = assistantSpeech(blocks, to).map((block) => encodeSpoken(block, to))
  return items.length > 0 ? items : [encodeText(NOTHING_SAID, undefined)]
}

function encodeSpoken(block: SpokenBlock, to: Addressee): object {
  switch (block.type) {
    case "text":
      return encodeText(wordsOf(block), sealFor(block.seal, to))
    case "reasoning":
      return encodeThought(block.text, block.seal)
    case "tool-call": {
      const { id, name, input } = block
      return {
        type: "function_call",
        call_id: callId(id),
        name: toolName(name),
        arguments: inputText(input),
      }
    }
  }
}

/** The message as the API gave it where it had an id: a thought must be followed by its own. */
function encodeText(text: WireString, seal: Seal | undefined): object {
  const phase = seal?.phase ? { phase: seal.phase } : {}
  if (!seal?.id) return { role: "assistant", content: text, ...phase }
  const content = [{ type: "output_text", text, annotations: [] }]
  return { type: "message", id: seal.id, status: "completed", role: "assistant", content, ...phase }
}

function encodeThought(text: string, seal: Seal | undefined): object {
  return {
    type: "reasoning",
    id: seal?.id ?? "",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(seal?.encrypted === undefined ? {} : { encrypted_content: seal.encrypted }),
  }
}

/** The API refuses to be asked for less. */
const FEWEST_TOKENS = 16

function body(envelope: Envelope, messages: readonly Fragment[]): Body {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    ...(system.trim() === "" ? {} : { instructions: system }),
    max_output_tokens: Math.max(FEWEST_TOKENS, max_tokens),
    ...reasoningOf(thinking),
    ...(tools.length > 0 ? { tools: encodeTools(envelope) } : {}),
    store: false,
    stream: true,
  }
  return withList(head, "input", join(messages, ","))
}

function encodeTools({ tools = [] }: Envelope): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name: toolName(name),
    description,
    parameters: { type: "object", ...parameters },
    strict: false,
  }))
}

const ENCRYPTED = { include: ["reasoning.encrypted_content"] }

function reasoningOf(thinking: Thinking | undefined): object {
  switch (thinking?.type) {
    case undefined:
      return {}
    case "off":
      return { reasoning: { effort: "none" } }
    case "effort":
      return { reasoning: { effort: thinking.effort, summary: "auto" }, ...ENCRYPTED }
    case "budget":
      return { reasoning: { summary: "auto" }, ...ENCRYPTED }
  }
}

function stream(call: Call, options: ResponsesOptions) {
  const sent = body(call.envelope, call.messages)
  return converse(call, {
    start: responsesStart(call.envelope.model),
    request: request("/responses", sent, options),
    frames: readEvents,
    ...readResponses,
  })
}

function request(path: string, sent: Body, options: ResponsesOptions) {
  const { api_key, base_url = BASE_URL, timeouts } = options
  return eventRequest(urlOf(base_url, path), bearer(api_key), { body: sent, timeouts })
}

function countTokens(call: Call, options: ResponsesOptions) {
  const { envelope, messages } = call
  const { model, system, tools = [] } = envelope
  const head = {
    model,
    ...(system.trim() === "" ? {} : { instructions: system }),
    ...(tools.length > 0 ? { tools: encodeTools(envelope) } : {}),
  }
  const sent = withList(head, "input", join(messages, ","))
  return askForCount(call, {
    request: request("/responses/input_tokens", sent, options),
    read: ({ input_tokens }) => input_tokens,
  })
}
