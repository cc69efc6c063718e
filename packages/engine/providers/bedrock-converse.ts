import { carries } from "compositor-core/model/capabilities"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Seal,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { bedrockStart, readBedrock } from "./bedrock-stream.ts"
import { thinkingFields } from "./bedrock-thinking.ts"
import { askForCount } from "./count-tokens.ts"
import { type Address, bearer, converse, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import { base64Of, endingIn, messageFragment, wordsOf } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import type { Body, Call, Envelope, Fragment, Piece, Provider } from "./provider.ts"
import {
  assistantSpeech,
  captionOf,
  describeMedia,
  inputObject,
  NOTHING_SAID,
  pointToMedia,
  resultWords,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"
import { templated } from "./template.ts"
import type { Post } from "./transport.ts"
import { inTurns, withAtEnd } from "./role-alternation.ts"
import { assemble, join, withList } from "./wire.ts"

export interface BedrockOptions extends Address {
  readonly region: string
  /** A key of the API's own, or a key pair that signs each request. */
  readonly credentials: Credentials
}

export type Credentials =
  | { readonly type: "bearer"; readonly token: string }
  | {
      readonly type: "key-pair"
      readonly access_key_id: string
      readonly secret_access_key: string
      readonly session_token?: string | undefined
    }

const API = "bedrock-converse"

/** Amazon Bedrock's Converse. The two sides take turns: what one says in a row becomes one
 *  message. */
export function bedrockConverse(options: BedrockOptions): Provider {
  const wire = { id: "amazon-bedrock", api: API, encode, body, fold }
  const count = (call: Call) => countTokens(call, options)
  return { ...wire, stream: (call) => stream(call, options), countTokens: count }
}

const encode = templated(encodeMessage)

function encodeMessage({ role, blocks }: PromptMessage, model = ""): Fragment {
  const said = role === "user" ? userBlocks(blocks, model) : assistantBlocks(blocks, model)
  const content = said.length > 0 ? said : [{ text: NOTHING_SAID }]
  const tools = blocks.flatMap((block) => (block.type === "tool-call" ? block.name : []))
  return messageFragment([{ role, content }], { tools })
}

/** Stands for the number of a document: no two of a request may have the same name, and a message
 *  does not know what came before it. `body` finds it by its identity. */
const DOCUMENT_NUMBER: Uint8Array = Buffer.from("0")

const CLAUDE = /anthropic\.claude/
const CACHES = /anthropic\.claude|amazon\.nova/

function userBlocks(blocks: PromptMessage["blocks"], model: string): object[] {
  const { results, shown } = userSpeech(blocks)
  const words = needsWords(shown) ? [{ text: DOCUMENTS_SHOWN }] : []
  const said = shown.map((block) => encodeShown(block, model))
  return [...results.map(encodeResult), ...results.flatMap(hoisted), ...said, ...words]
}

/** A message with a document must have words too, and no cache point may follow a document. */
function needsWords(shown: readonly Block[]): boolean {
  const last = shown.at(-1)
  const silent = !shown.some((block) => block.type === "text" || !carries(API, block))
  return isDocument(last) || (silent && shown.some(isDocument))
}

function isDocument(block: Block | undefined): boolean {
  return block?.type === "document" && carries(API, block)
}

const DOCUMENTS_SHOWN = "(The documents are above.)"

function encodeResult(result: ToolResultBlock): object {
  const { id, is_error, blocks } = result
  const words = blocks.every((block) => block.type === "text" || !isInside(block))
  const content = words
    ? [{ text: resultWords(result, nameOf) }]
    : userSpeech(blocks).shown.map(encodeInside)
  const failed = is_error ? { status: "error" } : {}
  return { toolResult: { toolUseId: callId(id), content, ...failed } }
}

function encodeInside(block: Block): object {
  if (block.type !== "text" && !isInside(block)) return { text: nameOf(block) }
  return encodeShown(block, "")
}

/** A result has no place for audio. */
function isInside(block: MediaBlock): boolean {
  return block.type !== "audio" && carries(API, block)
}

function nameOf(block: MediaBlock): string {
  return carries(API, block) ? pointToMedia(block) : describeMedia(block, API)
}

function hoisted(result: ToolResultBlock): object[] {
  return result.blocks.flatMap((block) => {
    if (block.type === "text" || isInside(block) || !carries(API, block)) return []
    return [{ text: captionOf(result, block) }, encodeShown(block, "")]
  })
}

function encodeShown(block: Block, model: string): object {
  if (block.type === "text") return { text: wordsOf(block) }
  const format = FORMATS[block.media.mime]
  if (!format || !carries(API, block)) return { text: describeMedia(block, API) }
  const source = { bytes: base64Of(block.media) }
  if (block.type !== "document") return { [block.type]: { format, source } }
  // Without citations Claude is given the text of a PDF and not its pages.
  const pages = format === "pdf" && CLAUDE.test(model) ? { citations: { enabled: true } } : {}
  return { document: { format, name: endingIn("document-", DOCUMENT_NUMBER), source, ...pages } }
}

const FORMATS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp4": "mp4",
  "audio/x-m4a": "m4a",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/ogg; codecs=opus": "opus",
  "audio/aac": "aac",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "video/matroska": "mkv",
  "video/x-flv": "flv",
  "video/mpeg": "mpeg",
  "video/3gpp": "three_gp",
}

function assistantBlocks(blocks: PromptMessage["blocks"], model: string): object[] {
  return assistantSpeech(blocks, { api: API, model }).map(encodeSpoken)
}

function encodeSpoken(block: SpokenBlock): object {
  switch (block.type) {
    case "text":
      return { text: wordsOf(block) }
    case "reasoning":
      return { reasoningContent: encodeThought(block.text, block.seal) }
    case "tool-call": {
      const { id, name, input } = block
      return { toolUse: { toolUseId: callId(id), name: toolName(name), input: inputObject(input) } }
    }
  }
}

function encodeThought(text: string, seal: Seal | undefined): object {
  if (seal?.encrypted !== undefined) return { redactedContent: seal.encrypted }
  return { reasoningText: { text, ...(seal?.signature ? { signature: seal.signature } : {}) } }
}

/** Cache points go where the Messages API has its breakpoints, for the models that have a cache. */
function body(envelope: Envelope, messages: readonly Fragment[]): Body {
  const { max_tokens } = envelope
  const { system, ...about } = aboutMessages(envelope, messages)
  const head = { ...system, inferenceConfig: { maxTokens: max_tokens }, ...about }
  return withMessages(head, messages, envelope)
}

function aboutMessages(envelope: Envelope, messages: readonly Fragment[]) {
  const { model, system } = envelope
  const point = CACHES.test(model) ? [CACHE_POINT] : []
  const tools = encodeTools(envelope, messages)
  return {
    system: system.trim() === "" ? {} : { system: [{ text: system }, ...point] },
    ...(tools.length > 0 ? { toolConfig: { tools: [...tools, ...point] } } : {}),
    ...thinkingFields(envelope),
  }
}

function withMessages(head: object, messages: readonly Fragment[], { model }: Envelope): Body {
  return withList(head, "messages", join(encodeTurns(messages, CACHES.test(model)), ","))
}

const CACHE_POINT = { cachePoint: { type: "default" } }

/** A request that offers no tools must still define those that were called in its history. */
function encodeTools({ tools = [] }: Envelope, messages: readonly Fragment[]): object[] {
  const called = tools.length > 0 ? [] : messages.flatMap((message) => message.tools ?? [])
  const defined = [...new Set(called)].map((name) => ({ name, description: "", parameters: {} }))
  return [...tools, ...defined].map(({ name, description, parameters }) => ({
    toolSpec: {
      name: toolName(name),
      ...(description === "" ? {} : { description }),
      inputSchema: { json: { type: "object", ...parameters } },
    },
  }))
}

function encodeTurns(messages: readonly Fragment[], caches: boolean): readonly Fragment[] {
  const turns = beginWithUser(inTurns(numbered(messages), opening))
  return caches ? withCachePoints(turns) : turns
}

function fold(messages: readonly Fragment[]): Fragment {
  return folded(inTurns(messages, opening))
}

/** How a message begins. */
function opening(role: string): string {
  return `{"role":"${role}","content":[`
}

function beginWithUser(turns: readonly Fragment[]): readonly Fragment[] {
  return turns[0]?.roles?.[0] === "user" ? turns : [FIRST, ...turns]
}

const FIRST = encodeMessage({ role: "user", blocks: [] })

/** In the newest words of the user's and in those before, where the last request ended. */
function withCachePoints(turns: readonly Fragment[]): readonly Fragment[] {
  const newest = turns.findLastIndex(isUser)
  const before = turns.findLastIndex((turn, index) => index < newest && isUser(turn))
  return [newest, before].reduce((marked, at) => {
    const turn = marked[at]
    return turn ? marked.with(at, withAtEnd(turn, JSON.stringify(CACHE_POINT))) : marked
  }, turns)
}

function isUser({ roles }: Fragment): boolean {
  return roles?.at(-1) === "user"
}

/** Each document under a name of its own. The file's name would be refused for its characters. */
function numbered(messages: readonly Fragment[]): readonly Fragment[] {
  if (!messages.some(hasDocuments)) return messages
  let count = 0
  return messages.map((message) => {
    if (!hasDocuments(message)) return message
    let { size } = message
    const pieces = message.pieces.map((piece): Piece => {
      if (piece !== DOCUMENT_NUMBER) return piece
      count += 1
      const number = Buffer.from(String(count))
      size += number.length - DOCUMENT_NUMBER.length
      return number
    })
    return { ...message, pieces, size }
  })
}

function hasDocuments({ pieces }: Fragment): boolean {
  return pieces.length > 1 && pieces.includes(DOCUMENT_NUMBER)
}

function stream(call: Call, options: BedrockOptions) {
  const sent = body(call.envelope, call.messages)
  return converse(call, {
    start: bedrockStart(call.envelope.model),
    request: request(call, { path: "converse-stream", sent }, options),
    sign: (post) => sign(post, options),
    ...readBedrock,
  })
}

function request(
  { envelope }: Call,
  { path, sent }: { readonly path: string; readonly sent: Body },
  { region, base_url, timeouts }: BedrockOptions,
) {
  const host = base_url ?? `https://bedrock-runtime.${region}.amazonaws.com`
  return {
    url: urlOf(host, `/model/${encodeURIComponent(envelope.model)}/${path}`),
    headers: {
      "content-type": "application/json",
      accept: "application/vnd.amazon.eventstream",
    },
    body: sent,
    timeouts,
  }
}

async function sign(post: Post, { credentials, region }: BedrockOptions) {
  if (credentials.type === "bearer") return bearer(credentials.token)
  const { signed } = await import("./sigv4.ts")
  return signed(post, { ...credentials, region, service: "bedrock" })
}

function countTokens(call: Call, options: BedrockOptions) {
  const { envelope, messages } = call
  const { system, ...about } = aboutMessages(envelope, messages)
  const converse = withMessages({ ...system, ...about }, messages, envelope)
  const sent = assemble(`{"input":{"converse":`, converse, "}}")
  return askForCount(call, {
    request: request(call, { path: "count-tokens", sent }, options),
    sign: (post) => sign(post, options),
    read: ({ inputTokens }) => inputTokens,
  })
}
