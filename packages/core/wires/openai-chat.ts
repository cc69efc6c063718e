import { carries } from "../model/capabilities.ts"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Thinking,
  ToolResultBlock,
} from "../model/prompt.ts"
import type { WireBody, WireFragment } from "./body.ts"
import { chatBody, encodeChatCall, encodeChatTool } from "./chat-body.ts"
import { chatStart, readChat } from "./chat-stream.ts"
import { defineWire, type RequestEnvelope, EVENT_HEADERS, urlOf } from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import { messageFragment, paragraphs, type WireString, fragmentWords } from "./fragment.ts"
import { callId } from "./names.ts"
import { type ChatDialect, OPENAI, SERVER_DIALECTS } from "./openai-dialects.ts"
import { withBetween } from "./role-alternation.ts"
import {
  assistantParts,
  captionOf,
  describeMedia,
  EMPTY_MESSAGE_TEXT,
  pointToMedia,
  resultText,
  userSpeech,
} from "./speech.ts"

/** OpenAI's Chat Completions. */
export const openaiChat = chatWire(OPENAI)

/** The same in the dialects of servers of one's own. */
export const chatServers = SERVER_DIALECTS.map(chatWire)

function chatWire(dialect: ChatDialect) {
  const { api, provider_id, limits, models, setup, probe, thoughts } = dialect
  return defineWire({
    api,
    provider_id,
    limits,
    models,
    catalog: null,
    sdk_seals: null,
    setup,
    encodeTool: encodeChatTool,
    encode: (message, model = "") => encode(message, model, dialect),
    body: (envelope, messages) => body(envelope, messages, dialect),
    fold: (messages) => foldMessages(alternating(messages, dialect)),
    request: (_, { base_url, headers }) => ({
      url: urlOf(base_url, "/chat/completions"),
      headers: { ...EVENT_HEADERS, ...headers },
    }),
    count: null,
    probe,
    start: (model) => chatStart({ api: thoughts ? api : null, model }),
    ...readChat,
    example: {
      ...dialect.example,
      answer: {
        type: "text/event-stream",
        bytes: `data: ${JSON.stringify({
          choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }],
          usage: { prompt_tokens: 9, completion_tokens: 2 },
        })}\n\ndata: [DONE]\n\n`,
      },
      refusal: {
        body: { error: { code: "model_not_found", message: "no such model", param: "model" } },
        facts: { code: "model_not_found", message: "no such model", path: "model" },
      },
    },
  })
}

function encode(
  { role, blocks }: PromptMessage,
  model: string,
  dialect: ChatDialect,
): WireFragment {
  const messages = role === "user" ? user(blocks, dialect) : [assistant(blocks, model, dialect)]
  return messageFragment(messages)
}

/** Results answer their calls first. The API has no place for media in them: they follow in a
 *  message of the user's, before what the user says (VIS-002). */
function user(blocks: PromptMessage["blocks"], dialect: ChatDialect): object[] {
  const { results, shown } = userSpeech(blocks)
  if (results.length === 0) return [userMessage(shown, dialect)]
  const answers = results.map((result) => encodeResult(result, dialect))
  const said = [...results.flatMap((result) => hoisted(result, dialect)), ...shown]
  return said.length > 0 ? [...answers, userMessage(said, dialect)] : answers
}

function encodeResult(result: ToolResultBlock, dialect: ChatDialect): object {
  const content = resultText(result, (block) =>
    isNative(block, dialect) ? pointToMedia(block) : describeMedia(block, dialect.api),
  )
  return { role: "tool", tool_call_id: callId(result.id), content }
}

function hoisted(result: ToolResultBlock, dialect: ChatDialect): Block[] {
  return result.blocks.flatMap((block): Block[] => {
    if (block.type === "text" || !isNative(block, dialect)) return []
    return [{ type: "text", text: captionOf(result, block) }, block]
  })
}

function userMessage(said: readonly Block[], dialect: ChatDialect): object {
  const blocks = said.length > 0 ? said : [SILENCE]
  const words = dialect.limits.one_string ? onlyWords(blocks, dialect) : undefined
  return { role: "user", content: words ?? blocks.map((block) => encodeShown(block, dialect)) }
}

const SILENCE: Block = { type: "text", text: EMPTY_MESSAGE_TEXT }

/** All of it as one text, if there is nothing but words in it. */
function onlyWords(blocks: readonly Block[], dialect: ChatDialect): WireString | undefined {
  if (blocks.some((block) => block.type !== "text" && isNative(block, dialect))) return undefined
  const words = blocks.map((block) =>
    block.type === "text"
      ? block
      : ({ type: "text", text: describeMedia(block, dialect.api) } as const),
  )
  return paragraphs(words)
}

function encodeShown(block: Block, dialect: ChatDialect): object {
  if (block.type === "text") return { type: "text", text: fragmentWords(block) }
  const native = isNative(block, dialect) ? dialect.media[block.type]?.(block.media) : undefined
  return native ?? { type: "text", text: describeMedia(block, dialect.api) }
}

function isNative(block: MediaBlock, { limits, media }: ChatDialect): boolean {
  return media[block.type] !== undefined && carries(limits, block)
}

function assistant(blocks: PromptMessage["blocks"], model: string, dialect: ChatDialect): object {
  const { words, thoughts, calls } = assistantParts(blocks, { api: dialect.api, model })
  const silence = calls.length > 0 ? null : EMPTY_MESSAGE_TEXT
  const thought =
    dialect.thoughts && thoughts.length > 0
      ? { [dialect.thoughts]: thoughts.join("\n\n") }
      : undefined
  return {
    role: "assistant",
    content: words.length > 0 ? paragraphs(words) : silence,
    ...thought,
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeChatCall) } : undefined),
  }
}

function body(
  envelope: RequestEnvelope,
  messages: readonly WireFragment[],
  dialect: ChatDialect,
): WireBody {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    [dialect.max_tokens]: max_tokens,
    stream: true,
    stream_options: { include_usage: true },
    ...(dialect.effort ? effortOf(thinking) : {}),
    ...(tools.length > 0 ? { tools: tools.map(encodeChatTool) } : {}),
  }
  const said = alternating(messages, dialect)
  return chatBody(head, { role: dialect.limits.system, content: system }, said)
}

function alternating(
  messages: readonly WireFragment[],
  { alternates }: ChatDialect,
): readonly WireFragment[] {
  return alternates ? withBetween(messages, UNANSWERED, isRepeated) : messages
}

const UNANSWERED = messageFragment([{ role: "assistant", content: "(no answer)" }])

function isRepeated(before: string | undefined, next: string | undefined): boolean {
  return before === "user" && next === "user"
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
