import { carries } from "../model/capabilities.ts"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Seal,
  ToolDefinition,
  ToolResultBlock,
} from "../model/prompt.ts"
import { BEDROCK_FORMATS, BEDROCK_LIMITS } from "./bedrock-limits.ts"
import { BEDROCK_ANSWER, bedrockStart, readBedrock } from "./bedrock-stream.ts"
import { thinkingFields } from "./bedrock-thinking.ts"
import {
  assemble,
  type WireBody,
  type WireFragment,
  join,
  type WirePiece,
  utf8,
  withList,
} from "./body.ts"
import {
  bearer,
  BUDGETED,
  CLAUDE,
  type Connection,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVERY_SENSE,
  knownModels,
  LONG_CONTEXT,
  TEXT,
  urlOf,
  type WireRequest,
} from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import { base64Of, endingIn, messageFragment, fragmentWords } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import {
  assistantSpeech,
  captionOf,
  describeMedia,
  inputObject,
  EMPTY_MESSAGE_TEXT,
  pointToMedia,
  resultWords,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"
import { inTurns, withAtEnd } from "./role-alternation.ts"

const API = "bedrock-converse"
const PROVIDER = "amazon-bedrock"

/** Amazon Bedrock's Converse. The two sides take turns: what one says in a row becomes one
 *  message. */
export const bedrockConverse = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: BEDROCK_LIMITS,
  models: knownModels({ provider_id: PROVIDER, api: API }, CLAUDE, [
    ["global.anthropic.claude-sonnet-4-6", "Claude Sonnet 4.6 (Bedrock)"],
    ["global.anthropic.claude-opus-4-8", "Claude Opus 4.8 (Bedrock)", LONG_CONTEXT],
    ["global.anthropic.claude-haiku-4-5-20251001-v1:0", "Claude Haiku 4.5 (Bedrock)", BUDGETED],
    [
      "global.amazon.nova-2-lite-v1:0",
      "Nova 2 Lite (Bedrock)",
      { ...LONG_CONTEXT, output_tokens: 64_000, input: EVERY_SENSE },
    ],
    [
      "deepseek.v3.2",
      "DeepSeek V3.2 (Bedrock)",
      { context_tokens: 128_000, output_tokens: 16_384, input: TEXT, thinking: [] },
    ],
  ]),
  catalog: PROVIDER,
  sdk_seals: {
    provider: "bedrock",
    options: { signature: "signature", encrypted: "redactedData" },
  },
  setup,
  encodeTool,
  encode: encodeMessage,
  body,
  fold: (messages) => foldMessages(inTurns(messages, opening)),
  request: (envelope, connection) => request(envelope, "converse-stream", connection),
  count: {
    request: (envelope, connection) => request(envelope, "count-tokens", connection),
    body: countBody,
    read: ({ inputTokens }) => inputTokens,
  },
  probe: () => null,
  start: bedrockStart,
  ...readBedrock,
  example: {
    environment: { AWS_BEARER_TOKEN_BEDROCK: "key", AWS_REGION: "eu-central-1" },
    base_url_variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    answer: {
      type: "application/vnd.amazon.eventstream",
      bytes: Uint8Array.from(atob(BEDROCK_ANSWER), (character) => character.charCodeAt(0)),
    },
    refusal: {
      body: { __type: "ValidationException", message: "no such model" },
      facts: { code: "ValidationException", message: "no such model" },
    },
  },
})

function setup(environment: ProviderEnvironment): Connection[] {
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_BEDROCK_RUNTIME } = environment
  const region = AWS_REGION || AWS_DEFAULT_REGION
  const credentials = region ? credentialsIn(environment, region) : undefined
  if (!credentials) return []
  const host = `https://bedrock-runtime.${region}.amazonaws.com`
  return [{ kind: "vendor", base_url: AWS_ENDPOINT_URL_BEDROCK_RUNTIME || host, ...credentials }]
}

/** A key of the API's own, or a key pair that signs each request. */
function credentialsIn(
  environment: ProviderEnvironment,
  region: string,
): Pick<Connection, "headers" | "signing"> | undefined {
  const { AWS_BEARER_TOKEN_BEDROCK: token, AWS_SESSION_TOKEN } = environment
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = environment
  if (token) return { headers: bearer(token) }
  if (!id || !secret) return undefined
  const session_token = AWS_SESSION_TOKEN || undefined
  const pair = { access_key_id: id, secret_access_key: secret, session_token }
  return { headers: {}, signing: { ...pair, region, service: "bedrock" } }
}

function request(
  { model }: RequestEnvelope,
  path: string,
  { base_url, headers }: Connection,
): WireRequest {
  const accept = "application/vnd.amazon.eventstream"
  return {
    url: urlOf(base_url, `/model/${encodeURIComponent(model)}/${path}`),
    headers: { "content-type": "application/json", accept, ...headers },
  }
}

function encodeMessage({ role, blocks }: PromptMessage, model = ""): WireFragment {
  const said = role === "user" ? userBlocks(blocks, model) : assistantBlocks(blocks, model)
  const content = said.length > 0 ? said : [{ text: EMPTY_MESSAGE_TEXT }]
  const tools = blocks.flatMap((block) => (block.type === "tool-call" ? block.name : []))
  return messageFragment([{ role, content }], { tools })
}

/** Stands for the number of a document: no two of a request may have the same name, and a message
 *  does not know what came before it. `body` finds it by its identity. */
const DOCUMENT_NUMBER: Uint8Array = utf8("0")

const IS_CLAUDE = /anthropic\.claude/
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
  const silent = !shown.some((block) => block.type === "text" || !carries(BEDROCK_LIMITS, block))
  return isDocument(last) || (silent && shown.some(isDocument))
}

function isDocument(block: Block | undefined): boolean {
  return block?.type === "document" && carries(BEDROCK_LIMITS, block)
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
  return block.type !== "audio" && carries(BEDROCK_LIMITS, block)
}

function nameOf(block: MediaBlock): string {
  return carries(BEDROCK_LIMITS, block) ? pointToMedia(block) : describeMedia(block, API)
}

function hoisted(result: ToolResultBlock): object[] {
  return result.blocks.flatMap((block) => {
    if (block.type === "text" || isInside(block) || !carries(BEDROCK_LIMITS, block)) return []
    return [{ text: captionOf(result, block) }, encodeShown(block, "")]
  })
}

function encodeShown(block: Block, model: string): object {
  if (block.type === "text") return { text: fragmentWords(block) }
  const format = BEDROCK_FORMATS[block.media.mime]
  if (!format || !carries(BEDROCK_LIMITS, block)) return { text: describeMedia(block, API) }
  const source = { bytes: base64Of(block.media) }
  if (block.type !== "document") return { [block.type]: { format, source } }
  // Without citations Claude is given the text of a PDF and not its pages.
  const pages = format === "pdf" && IS_CLAUDE.test(model) ? { citations: { enabled: true } } : {}
  return { document: { format, name: endingIn("document-", DOCUMENT_NUMBER), source, ...pages } }
}

function assistantBlocks(blocks: PromptMessage["blocks"], model: string): object[] {
  return assistantSpeech(blocks, { api: API, model }).map(encodeSpoken)
}

function encodeSpoken(block: SpokenBlock): object {
  switch (block.type) {
    case "text":
      return { text: fragmentWords(block) }
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
function body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { max_tokens } = envelope
  const { system, ...about } = aboutMessages(envelope, messages)
  const head = { ...system, inferenceConfig: { maxTokens: max_tokens }, ...about }
  return withMessages(head, messages, envelope)
}

function aboutMessages(envelope: RequestEnvelope, messages: readonly WireFragment[]) {
  const { model, system } = envelope
  const point = CACHES.test(model) ? [CACHE_POINT] : []
  const tools = encodeTools(envelope, messages)
  return {
    system: system.trim() === "" ? {} : { system: [{ text: system }, ...point] },
    ...(tools.length > 0 ? { toolConfig: { tools: [...tools, ...point] } } : {}),
    ...thinkingFields(envelope),
  }
}

function withMessages(
  head: object,
  messages: readonly WireFragment[],
  { model }: RequestEnvelope,
): WireBody {
  return withList(head, "messages", join(encodeTurns(messages, CACHES.test(model)), ","))
}

const CACHE_POINT = { cachePoint: { type: "default" } }

/** A request that offers no tools must still define those that were called in its history. */
function encodeTools({ tools = [] }: RequestEnvelope, messages: readonly WireFragment[]): object[] {
  const called = tools.length > 0 ? [] : messages.flatMap((message) => message.tools ?? [])
  const defined = [...new Set(called)].map((name) => ({ name, description: "", parameters: {} }))
  return [...tools, ...defined].map(encodeTool)
}

function encodeTool({ name, description, parameters }: ToolDefinition): object {
  return {
    toolSpec: {
      name: toolName(name),
      ...(description === "" ? {} : { description }),
      inputSchema: { json: { type: "object", ...parameters } },
    },
  }
}

function encodeTurns(messages: readonly WireFragment[], caches: boolean): readonly WireFragment[] {
  const turns = beginWithUser(inTurns(numbered(messages), opening))
  return caches ? withCachePoints(turns) : turns
}

/** How a message begins. */
function opening(role: string): string {
  return `{"role":"${role}","content":[`
}

function beginWithUser(turns: readonly WireFragment[]): readonly WireFragment[] {
  return turns[0]?.roles?.[0] === "user" ? turns : [FIRST, ...turns]
}

const FIRST = encodeMessage({ role: "user", blocks: [] })

/** In the newest words of the user's and in those before, where the last request ended. */
function withCachePoints(turns: readonly WireFragment[]): readonly WireFragment[] {
  const newest = turns.findLastIndex(isUser)
  const before = turns.findLastIndex((turn, index) => index < newest && isUser(turn))
  return [newest, before].reduce((marked, at) => {
    const turn = marked[at]
    return turn ? marked.with(at, withAtEnd(turn, JSON.stringify(CACHE_POINT))) : marked
  }, turns)
}

function isUser({ roles }: WireFragment): boolean {
  return roles?.at(-1) === "user"
}

/** Each document under a name of its own. The file's name would be refused for its characters. */
function numbered(messages: readonly WireFragment[]): readonly WireFragment[] {
  if (!messages.some(hasDocuments)) return messages
  let count = 0
  return messages.map((message) => {
    if (!hasDocuments(message)) return message
    let { size } = message
    const pieces = message.pieces.map((piece): WirePiece => {
      if (piece !== DOCUMENT_NUMBER) return piece
      count += 1
      const number = utf8(String(count))
      size += number.length - DOCUMENT_NUMBER.length
      return number
    })
    return { ...message, pieces, size }
  })
}

function hasDocuments({ pieces }: WireFragment): boolean {
  return pieces.length > 1 && pieces.includes(DOCUMENT_NUMBER)
}

function countBody(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { system, ...about } = aboutMessages(envelope, messages)
  const converse = withMessages({ ...system, ...about }, messages, envelope)
  return assemble(`{"input":{"converse":`, converse, "}}")
}
