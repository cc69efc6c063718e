import type { Block, PromptMessage } from "../model/prompt.ts"
import type { WireBody, WireFragment } from "./body.ts"
import { chatBody, encodeChatCall, encodeChatTool } from "./chat-body.ts"
import { chatStart, readChat } from "./chat-stream.ts"
import {
  bearer,
  type Connection,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVENT_HEADERS,
  knownModels,
  UNDOCUMENTED,
  urlOf,
} from "./define-wire.ts"
import { messageFragment } from "./fragment.ts"
import { callId } from "./names.ts"
import { assistantParts, describeMedia, resultText, userSpeech } from "./speech.ts"

const API = "telegraph-chat"
const PROVIDER = "telegraph"

/** A vendor that takes words and tools, and streams as many others do. */
export const telegraphChat = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: {
    media: {},
    max_request_bytes: UNDOCUMENTED.request,
    tool_result_media: [],
    system: "system",
    synthetic_tool_call: "always",
    keeps_thoughts: false,
    one_string: false,
  },
  models: knownModels({ provider_id: PROVIDER, api: API }, {}, [["morse-1", "Morse 1"]]),
  catalog: null,
  sdk_seals: null,
  setup,
  encodeTool: encodeChatTool,
  encode,
  body,
  fold: null,
  request: (_, { base_url, headers }) => ({
    url: urlOf(base_url, "/chat"),
    headers: { ...EVENT_HEADERS, ...headers },
  }),
  count: null,
  probe: () => null,
  start: (model) => chatStart({ api: API, model }),
  frames: readChat.frames,
  step: readChat.step,
  close: readChat.close,
  readRefusal: readChat.readRefusal,
  example: {
    environment: { TELEGRAPH_API_KEY: "key" },
    base_url_variable: "TELEGRAPH_BASE_URL",
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

function setup({
  TELEGRAPH_API_KEY: key,
  TELEGRAPH_BASE_URL: url,
}: ProviderEnvironment): Connection[] {
  return key && url ? [{ kind: "vendor", base_url: url, headers: bearer(key) }] : []
}

function encode({ role, blocks }: PromptMessage, model = ""): WireFragment {
  return messageFragment(role === "user" ? user(blocks) : [assistant(blocks, model)])
}

function user(blocks: PromptMessage["blocks"]): object[] {
  const { results, shown } = userSpeech(blocks)
  const answers = results.map((result) => ({
    role: "tool",
    tool_call_id: callId(result.id),
    content: resultText(result, (block) => describeMedia(block, API)),
  }))
  const said = shown.length > 0 || results.length === 0
  return said ? [...answers, { role: "user", content: shown.map(encodeShown) }] : answers
}

function encodeShown(block: Block): object {
  const text = block.type === "text" ? block.text : describeMedia(block, API)
  return { type: "text", text }
}

function assistant(blocks: PromptMessage["blocks"], model: string): object {
  const { words, calls } = assistantParts(blocks, { api: API, model })
  return {
    role: "assistant",
    content: words,
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeChatCall) } : {}),
  }
}

function body(
  { model, max_tokens, system, tools = [] }: RequestEnvelope,
  messages: readonly WireFragment[],
): WireBody {
  const head = {
    model,
    max_tokens,
    stream: true,
    ...(tools.length > 0 ? { tools: tools.map(encodeChatTool) } : {}),
  }
  return chatBody(head, { role: "system", content: system }, messages)
}
