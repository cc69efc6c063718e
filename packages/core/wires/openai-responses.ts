import { type ApiLimits, carries } from "../model/capabilities.ts"
import { SHEET, SLIDES, DOCX } from "../model/media-types.ts"
import type {
  Block,
  MediaBlock,
  PromptMessage,
  Seal,
  Thinking,
  ToolDefinition,
  ToolResultBlock,
} from "../model/prompt.ts"
import { type WireBody, type WireFragment, join, withList } from "./body.ts"
import {
  bearer,
  type Connection,
  defineWire,
  type RequestEnvelope,
  type ProviderEnvironment,
  EVENT_HEADERS,
  knownModels,
  MEGABYTE,
  UNDOCUMENTED,
  urlOf,
  type WireRequest,
} from "./define-wire.ts"
import { foldMessages } from "./fold.ts"
import { dataUrlOf, messageFragment, type WireString, fragmentWords } from "./fragment.ts"
import { callId, toolName } from "./names.ts"
import { GPT, OPENAI_BASE_URL, OPENAI_IMAGE, OPENAI_PDF } from "./openai-shared.ts"
import { readResponses, responsesStart } from "./responses-stream.ts"
import {
  type Addressee,
  assistantSpeech,
  describeMedia,
  inputText,
  EMPTY_MESSAGE_TEXT,
  resultText,
  sealFor,
  type SpokenBlock,
  userSpeech,
} from "./speech.ts"

const API = "openai-responses"
const PROVIDER = "openai"

const LIMITS: ApiLimits = {
  media: {
    image: OPENAI_IMAGE,
    pdf: OPENAI_PDF,
    office: {
      mimes: [
        DOCX,
        SHEET,
        SLIDES,
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/rtf",
        "text/csv",
        "text/tab-separated-values",
      ],
      sources: ["base64", "url", "file-id"],
      max_bytes: 50 * MEGABYTE,
      implied_by: "text",
    },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: ["image", "pdf", "office"],
  system: "beside",
  synthetic_tool_call: "always",
  keeps_thoughts: true,
  one_string: false,
}

/** OpenAI's Responses API. Nothing is stored there: what it thought comes back to it encrypted. */
export const openaiResponses = defineWire({
  api: API,
  provider_id: PROVIDER,
  limits: LIMITS,
  models: knownModels({ provider_id: PROVIDER, api: API }, GPT, [
    ["gpt-5.6-sol", "GPT-5.6 Sol"],
    ["gpt-6-astra", "GPT-6 Astra", { thinking: ["effort"] }],
    ["gpt-5.6-terra", "GPT-5.6 Terra"],
    ["gpt-5.6-luna", "GPT-5.6 Luna"],
    ["gpt-5.4-mini", "GPT-5.4 mini", { context_tokens: 400_000 }],
  ]),
  catalog: PROVIDER,
  sdk_seals: {
    provider: "openai",
    options: { id: "itemId", encrypted: "reasoningEncryptedContent", phase: "phase" },
  },
  setup,
  encodeTool,
  encode: encodeMessage,
  body,
  fold: foldMessages,
  request: (_, connection) => request("/responses", connection),
  count: {
    request: (_, connection) => request("/responses/input_tokens", connection),
    body: countBody,
    read: ({ input_tokens }) => input_tokens,
  },
  probe: () => null,
  start: responsesStart,
  ...readResponses,
  example: {
    environment: { OPENAI_API_KEY: "key" },
    base_url_variable: "OPENAI_BASE_URL",
    answer: {
      type: "text/event-stream",
      bytes: [
        { type: "response.output_text.delta", delta: "Hello." },
        {
          type: "response.completed",
          response: { status: "completed", usage: { input_tokens: 9, output_tokens: 2 } },
        },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
    },
    refusal: {
      body: { error: { code: "model_not_found", message: "no such model", param: "model" } },
      facts: { code: "model_not_found", message: "no such model", path: "model" },
    },
  },
})

function setup({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }: ProviderEnvironment): Connection[] {
  return key ? [{ kind: "vendor", base_url: url || OPENAI_BASE_URL, headers: bearer(key) }] : []
}

function request(path: string, { base_url, headers }: Connection): WireRequest {
  return { url: urlOf(base_url, path), headers: { ...EVENT_HEADERS, ...headers } }
}

function encodeMessage({ role, blocks }: PromptMessage, model = ""): WireFragment {
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
  const content = shown.length > 0 ? shown.map(encodeShown) : [textPart(EMPTY_MESSAGE_TEXT)]
  return { role: "user", content }
}

function encodeResult(result: ToolResultBlock): object {
  const { id, blocks, is_error } = result
  const words = blocks.every((block) => block.type === "text" || !carries(LIMITS, block))
  const failed = is_error ? [textPart("Error:")] : []
  const output = words
    ? resultText(result, describe)
    : [...failed, ...userSpeech(blocks).shown.map(encodeShown)]
  return { type: "function_call_output", call_id: callId(id), output }
}

function encodeShown(block: Block): object {
  if (block.type === "text") return textPart(fragmentWords(block))
  return carries(LIMITS, block) ? native(block) : textPart(describe(block))
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
  return items.length > 0 ? items : [encodeText(EMPTY_MESSAGE_TEXT, undefined)]
}

function encodeSpoken(block: SpokenBlock, to: Addressee): object {
  switch (block.type) {
    case "text":
      return encodeText(fragmentWords(block), sealFor(block.seal, to))
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

function body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { model, max_tokens, system, tools = [], thinking } = envelope
  const head = {
    model,
    ...(system.trim() === "" ? {} : { instructions: system }),
    max_output_tokens: Math.max(FEWEST_TOKENS, max_tokens),
    ...reasoningOf(thinking),
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
    store: false,
    stream: true,
  }
  return withList(head, "input", join(messages, ","))
}

function encodeTool({ name, description, parameters }: ToolDefinition): object {
  const schema = { type: "object", ...parameters }
  return { type: "function", name: toolName(name), description, parameters: schema, strict: false }
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

function countBody(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  const { model, system, tools = [] } = envelope
  const head = {
    model,
    ...(system.trim() === "" ? {} : { instructions: system }),
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
  }
  return withList(head, "input", join(messages, ","))
}
