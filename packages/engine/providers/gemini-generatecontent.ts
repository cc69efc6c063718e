import { carries, mediaKind } from "compositor-core/model/capabilities"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Thinking,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { askForCount } from "./count-tokens.ts"
import { converse, eventRequest, type KeyedAddress, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import { base64Of, messageFragment, wordsOf } from "./fragment.ts"
import { geminiStart, readGemini } from "./gemini-stream.ts"
import { callId, toolName } from "./names.ts"
import type { Body, Call, Envelope, Fragment, Provider } from "./provider.ts"
import {
  type Addressee,
  assistantSpeech,
  captionOf,
  describeMedia,
  inputObject,
  NOTHING_SAID,
  pointToMedia,
  resultWords,
  type SpokenBlock,
  sealFor,
  userSpeech,
} from "./speech.ts"
import { readEvents } from "./sse.ts"
import { templated } from "./template.ts"
import { inTurns } from "./role-alternation.ts"
import { assemble, join, withList } from "./wire.ts"

export type GeminiOptions = KeyedAddress

const API = "gemini-generatecontent"
const BASE_URL = "https://generativelanguage.googleapis.com/v1beta"

/** Google's generateContent. What one side says in a row becomes one content, so that the answers to
 *  all calls of a turn stand together. */
export function geminiGenerateContent(options: GeminiOptions): Provider {
  return {
    id: "google",
    api: API,
    encode,
    body,
    fold,
    stream: (call) => stream(call, options),
    countTokens: (call) => countTokens(call, options),
  }
}

const encode = templated(encodeMessage)

function encodeMessage({ role, blocks }: PromptMessage, model = ""): Fragment {
  const said = role === "user" ? userParts(blocks, model) : modelParts(blocks, { api: API, model })
  const parts = said.length > 0 ? said : [{ text: NOTHING_SAID }]
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
    THIRD_GENERATION.test(model) && KINDS_IN_RESULTS.has(mediaKind(block)) && carries(API, block)
  )
}

function placeOf(block: MediaBlock, model: string): string {
  if (isInside(block, model)) return `[${block.media.name}, ${block.media.mime}]`
  return carries(API, block) ? pointToMedia(block) : describeMedia(block, API)
}

function hoisted(result: ToolResultBlock, model: string): object[] {
  return result.blocks.flatMap((block) => {
    if (block.type === "text" || isInside(block, model) || !carries(API, block)) return []
    return [{ text: captionOf(result, block) }, inlineData(block)]
  })
}

function encodeShown(block: Block): object {
  if (block.type === "text") return { text: wordsOf(block) }
  return carries(API, block) ? inlineData(block) : { text: describeMedia(block, API) }
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
      return { text: wordsOf(block) }
    case "reasoning":
      return { text: block.text, thought: true }
    case "tool-call": {
      const { id, name, input } = block
      return { functionCall: { id: callId(id), name: toolName(name), args: inputObject(input) } }
    }
  }
}

function body(envelope: Envelope, messages: readonly Fragment[]): Body {
  const { max_tokens, thinking } = envelope
  const generationConfig = { maxOutputTokens: max_tokens, ...thinkingOf(thinking) }
  return withContents({ ...aboutContents(envelope), generationConfig }, messages)
}

function aboutContents(envelope: Envelope): object {
  const { system, tools = [] } = envelope
  return {
    ...(system.trim() === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: encodeTools(envelope) }] } : {}),
  }
}

function withContents(head: object, messages: readonly Fragment[]): Body {
  return withList(head, "contents", join(inTurns(messages, opening), ","))
}

function fold(messages: readonly Fragment[]): Fragment {
  return folded(inTurns(messages, opening))
}

/** How a content begins. */
function opening(role: string): string {
  return `{"role":"${role}","parts":[`
}

function encodeTools({ tools = [] }: Envelope): object[] {
  return tools.map(({ name, description, parameters }) => ({
    name: toolName(name),
    description,
    parametersJsonSchema: { type: "object", ...parameters },
  }))
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

function stream(call: Call, options: GeminiOptions) {
  const sent = body(call.envelope, call.messages)
  return converse(call, {
    start: geminiStart(call.envelope.model),
    request: request(call, { method: "streamGenerateContent?alt=sse", sent }, options),
    frames: readEvents,
    ...readGemini,
  })
}

function request(
  { envelope }: Call,
  { method, sent }: { readonly method: string; readonly sent: Body },
  { api_key, base_url = BASE_URL, timeouts }: GeminiOptions,
) {
  const url = urlOf(base_url, `/models/${encodeURIComponent(envelope.model)}:${method}`)
  return eventRequest(url, { "x-goog-api-key": api_key }, { body: sent, timeouts })
}

function countTokens(call: Call, options: GeminiOptions) {
  const { envelope, messages } = call
  const about = { model: `models/${envelope.model}`, ...aboutContents(envelope) }
  const sent = assemble(`{"generateContentRequest":`, withContents(about, messages), "}")
  return askForCount(call, {
    request: request(call, { method: "countTokens", sent }, options),
    read: ({ totalTokens }) => totalTokens,
  })
}
