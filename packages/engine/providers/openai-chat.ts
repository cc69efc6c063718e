import { carries } from "compositor-core/model/capabilities"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Thinking,
  ToolCallBlock,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { chatFrames, chatReader, chatStart } from "./chat-stream.ts"
import { type Address, bearer, converse, eventRequest, urlOf } from "./exchange.ts"
import { folded } from "./fold.ts"
import { messageFragment, paragraphs, type WireString, wordsOf } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import { type Dialect, OPENAI } from "./openai-dialects.ts"
import type { Body, Call, Envelope, Fragment, Provider } from "./provider.ts"
import {
  assistantParts,
  captionOf,
  describeMedia,
  inputText,
  NOTHING_SAID,
  pointToMedia,
  resultText,
  userSpeech,
} from "./speech.ts"
import { templated } from "./template.ts"
import { withBetween } from "./role-alternation.ts"
import { assemble, join, withList } from "./wire.ts"

/** `base_url` as the server documents it, with its version: `http://localhost:8000/v1`. */
export interface ChatOptions extends Address {
  /** A server on this machine often has none. */
  readonly api_key?: string | undefined
  readonly dialect?: Dialect | undefined
}

const BASE_URL = "https://api.openai.com/v1"

/** Chat Completions, in the dialect of whoever answers. */
export function openaiChat(options: ChatOptions): Provider {
  const { dialect = OPENAI } = options
  return {
    id: dialect.id,
    api: dialect.api,
    encode: templated((message, model = "") => encode(message, model, dialect)),
    body: (envelope, messages) => body(envelope, messages, dialect),
    fold: (messages) => folded(alternating(messages, dialect)),
    stream: (call) => stream(call, options, dialect),
  }
}

function encode({ role, blocks }: PromptMessage, model: string, dialect: Dialect): Fragment {
  const messages = role === "user" ? user(blocks, dialect) : [assistant(blocks, model, dialect)]
  return messageFragment(messages)
}

/** Results answer their calls first. The API has no place for media in them: they follow in a
 *  message of the user's, before what the user says (VIS-002). */
function user(blocks: PromptMessage["blocks"], dialect: Dialect): object[] {
  const { results, shown } = userSpeech(blocks)
  if (results.length === 0) return [userMessage(shown, dialect)]
  const answers = results.map((result) => encodeResult(result, dialect))
  const said = [...results.flatMap((result) => hoisted(result, dialect)), ...shown]
  return said.length > 0 ? [...answers, userMessage(said, dialect)] : answers
}

function encodeResult(result: ToolResultBlock, dialect: Dialect): object {
  const content = resultText(result, (block) =>
    isNative(block, dialect) ? pointToMedia(block) : describeMedia(block, dialect.api),
  )
  return { role: "tool", tool_call_id: callId(result.id), content }
}

function hoisted(result: ToolResultBlock, dialect: Dialect): Block[] {
  return result.blocks.flatMap((block): Block[] => {
    if (block.type === "text" || !isNative(block, dialect)) return []
    return [{ type: "text", text: captionOf(result, block) }, block]
  })
}

function userMessage(said: readonly Block[], dialect: Dialect): object {
  const blocks = said.length > 0 ? said : [SILENCE]
  const words = dialect.plain_text ? onlyWords(blocks, dialect) : undefined
  return { role: "user", content: words ?? blocks.map((block) => encodeShown(block, dialect)) }
}

const SILENCE: Block = { type: "text", text: NOTHING_SAID }

/** All of it as one text, if there is nothing but words in it. */
function onlyWords(blocks: readonly Block[], dialect: Dialect): WireString | undefined {
  if (blocks.some((block) => block.type !== "text" && isNative(block, dialect))) return undefined
  const words = blocks.map((block) =>
    block.type === "text"
      ? block
      : ({ type: "text", text: describeMedia(block, dialect.api) } as const),
  )
  return paragraphs(words)
}

function encodeShown(block: Block, dialect: Dialect): object {
  if (block.type === "text") return { type: "text", text: wordsOf(block) }
  const native = isNative(block, dialect) ? dialect.media[block.type]?.(block.media) : undefined
  return native ?? { type: "text", text: describeMedia(block, dialect.api) }
}

function isNative(block: MediaBlock, { api, media }: Dialect): boolean {
  return media[block.type] !== undefined && carries(api, block)
}

function assistant(blocks: PromptMessage["blocks"], model: string, dialect: Dialect): object {
  const { words, thoughts, calls } = assistantParts(blocks, { api: dialect.api, model })
  const silence = calls.length > 0 ? null : NOTHING_SAID
  const thought =
    dialect.thoughts && thoughts.length > 0
      ? { [dialect.thoughts]: thoughts.join("\n\n") }
      : undefined
  return {
    role: "assistant",
    content: words.length > 0 ? paragraphs(words) : silence,
    ...thought,
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeCall) } : undefined),
  }
}

export function encodeCall({ id, name, input }: ToolCallBlock): object {
  const made = { name: toolName(name), arguments: inputText(input) }
  return { id: callId(id), type: "function", function: made }
}

function body(envelope: Envelope, messages: readonly Fragment[], dialect: Dialect): Body {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    [dialect.max_tokens]: max_tokens,
    stream: true,
    stream_options: { include_usage: true },
    ...(dialect.effort ? effortOf(thinking) : {}),
    ...(tools.length > 0 ? { tools: encodeTools(envelope) } : {}),
  }
  const said = alternating(messages, dialect)
  return chatBody(head, { role: dialect.system, content: system }, said)
}

function alternating(messages: readonly Fragment[], { alternates }: Dialect): readonly Fragment[] {
  return alternates ? withBetween(messages, UNANSWERED, isRepeated) : messages
}

const UNANSWERED = messageFragment([{ role: "assistant", content: "(no answer)" }])

function isRepeated(before: string | undefined, next: string | undefined): boolean {
  return before === "user" && next === "user"
}

/** A request whose first message is the system prompt, unless there is none. */
export function chatBody(
  head: object,
  system: { readonly role: string; readonly content: string },
  messages: readonly Fragment[],
): Body {
  const first = system.content.trim() === "" ? [] : [assemble(JSON.stringify(system))]
  const said = messages.length > 0 ? [join(messages, ",")] : []
  return withList(head, "messages", join([...first, ...said], ","))
}

export function encodeTools({ tools = [] }: Envelope): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: {
      name: toolName(name),
      description,
      parameters: { type: "object", ...parameters },
    },
  }))
}

function effortOf(thinking: Thinking | undefined): object {
  switch (thinking?.type) {
    case "off":
      return { reasoning_effort: "none" }
    case "effort":
      return { reasoning_effort: thinking.effort }
    case "budget":
    case undefined:
      return {}
  }
}

function stream(call: Call, options: ChatOptions, dialect: Dialect) {
  const { api_key, base_url = BASE_URL, timeouts } = options
  const url = urlOf(base_url, "/chat/completions")
  const sent = { body: body(call.envelope, call.messages, dialect), timeouts }
  return converse(call, {
    start: chatStart({ api: dialect.thoughts ? dialect.api : null, model: call.envelope.model }),
    request: eventRequest(url, bearer(api_key), sent),
    frames: chatFrames,
    ...chatReader,
  })
}
