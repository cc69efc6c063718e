import type { Block, EndReason, ModelEvent, ModelUsage, PromptMessage } from "../model/prompt.ts"
import { ABORTED } from "./abort.ts"
import type { Call, Envelope, Fragment, Provider } from "./provider.ts"
import { readEvents, type ServerEvent } from "./sse.ts"
import type { Answer, Timeouts, TransportError } from "./transport.ts"
import { fragment, joinFragments } from "./wire.ts"

export interface AnthropicOptions {
  readonly api_key: string
  readonly base_url?: string | undefined
  /** The `anthropic-version` header. */
  readonly version?: string | undefined
  readonly timeouts?: Timeouts | undefined
}

const BASE_URL = "https://api.anthropic.com"
const VERSION = "2023-06-01"
const MAX_TITLE_CHARACTERS = 500

/** Anthropic's Messages API. */
export function anthropicMessages(options: AnthropicOptions): Provider {
  return {
    id: "anthropic",
    api: "anthropic-messages",
    encode,
    body,
    stream: (call) => stream(call, options),
  }
}

function encode(message: PromptMessage): Fragment {
  const blocks = message.blocks.filter((block) => block.type !== "text" || block.text.trim() !== "")
  const content = blocks.length > 0 ? blocks.map(encodeBlock) : [encodeBlock(EMPTY)]
  return fragment(`{"role":"${message.role}","content":[`, joinFragments(content, ","), "]}")
}

/** The API refuses a message without content; a message of resolved commands has none. */
const EMPTY: Block = { type: "text", text: "(empty message)" }

function encodeBlock(block: Block): Fragment {
  switch (block.type) {
    case "text":
      return fragment(`{"type":"text","text":${JSON.stringify(block.text)}}`)
    case "image":
      return fragment('{"type":"image",', ...encodeSource(block), "}")
    case "document":
      return fragment('{"type":"document",', ...encodeSource(block), `,"title":${titleOf(block)}}`)
  }
}

type MediaBlock = Exclude<Block, { type: "text" }>

function encodeSource({ media }: MediaBlock) {
  const type = JSON.stringify(media.mime)
  return [`"source":{"type":"base64","media_type":${type},"data":"`, media, '"}'] as const
}

function titleOf({ media }: MediaBlock): string {
  return JSON.stringify(media.name.slice(0, MAX_TITLE_CHARACTERS).toWellFormed())
}

/** The top-level mark lets the server cache the longest prefix; fragments carry none themselves. */
function body(envelope: Envelope, messages: readonly Fragment[]): Fragment {
  const { model, max_tokens, system } = envelope
  const head = `{"model":${JSON.stringify(model)},"max_tokens":${max_tokens},`
  const instructions =
    system.trim() === "" ? "" : `"system":[{"type":"text","text":${JSON.stringify(system)}}],`
  const tail = '],"stream":true,"cache_control":{"type":"ephemeral"}}'
  return fragment(head, instructions, '"messages":[', joinFragments(messages, ","), tail)
}

async function* stream(call: Call, options: AnthropicOptions): AsyncIterable<ModelEvent> {
  let state = START
  try {
    const answer = await send(call, options)
    if (answer.status === 200) {
      for await (const event of readEvents(answer.chunks)) {
        const result = step(state, event)
        state = result.state
        yield* result.events
        if (state.ended) return
      }
    }
    yield* last(state, answer.status === 200 ? TRUNCATED : await refusal(answer))
  } catch (error) {
    yield* last(state, faultOf(error, call.signal))
  }
}

// Loaded on the first request: commands that send nothing start faster without it.
async function send(call: Call, options: AnthropicOptions): Promise<Answer> {
  const { post } = await import("./transport.ts")
  const { api_key, base_url = BASE_URL, version = VERSION, timeouts } = options
  return post({
    url: `${base_url.replace(/\/+$/, "")}/v1/messages`,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "x-api-key": api_key,
      "anthropic-version": version,
    },
    body: body(call.envelope, call.messages),
    open: call.open,
    signal: call.signal,
    timeouts,
  })
}

type Fault = Extract<ModelEvent, { type: "error" }>

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 529])

async function refusal(answer: Answer): Promise<Fault> {
  const { readErrorText } = await import("./transport.ts")
  const { status } = answer
  const text = await readErrorText(answer)
  const said = apiError(parse(text))
  return {
    type: "error",
    code: said?.type ?? `http-${status}`,
    message: said?.message ?? `the API answered with status ${status}`,
    retryable: RETRYABLE_STATUS.has(status),
  }
}

const TRUNCATED: Fault = {
  type: "error",
  code: "stream-truncated",
  message: "the answer broke off before its end",
  retryable: true,
}

function faultOf(error: unknown, signal: AbortSignal): Fault {
  if (signal.aborted) return ABORTED
  const { code = "bad-stream", message, retryable = true } = error as Partial<TransportError>
  return { type: "error", code, message: message ?? String(error), retryable }
}

/** What the stream has told so far. */
export interface StreamState {
  readonly usage: ModelUsage | undefined
  readonly reason: EndReason
  readonly ended: boolean
}

export const START: StreamState = { usage: undefined, reason: "stop", ended: false }

interface Step {
  readonly state: StreamState
  readonly events: readonly ModelEvent[]
}

/** One event of the stream. Usage is told once, before the last event. */
export function step(state: StreamState, { data }: ServerEvent): Step {
  const event = parse(data)
  switch (event?.type) {
    case "message_start":
      return quiet({ ...state, usage: readUsage(state.usage, record(event.message)?.usage) })
    case "content_block_delta":
      return { state, events: readDelta(record(event.delta)) }
    case "message_delta":
      return quiet(closing(state, event))
    case "message_stop":
      return end(state, { type: "end", reason: state.reason })
    case "error":
      return end(state, readError(event))
  }
  // Pings, block boundaries, and what the API learns to say later.
  return quiet(state)
}

function quiet(state: StreamState): Step {
  return { state, events: [] }
}

function readDelta(delta: Json | undefined): ModelEvent[] {
  if (delta?.type === "text_delta") return [{ type: "text-delta", text: String(delta.text) }]
  if (delta?.type === "thinking_delta")
    return [{ type: "reasoning-delta", text: String(delta.thinking) }]
  return []
}

function closing(state: StreamState, event: Json): StreamState {
  const stop = record(event.delta)?.stop_reason
  const reason = typeof stop === "string" ? (END_REASONS[stop] ?? "stop") : state.reason
  return { ...state, reason, usage: readUsage(state.usage, event.usage) }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
}

const RETRYABLE_ERRORS: ReadonlySet<unknown> = new Set([
  "overloaded_error",
  "rate_limit_error",
  "api_error",
  "timeout_error",
])

function readError(event: Json): Fault {
  const { type, message } = apiError(event) ?? {
    type: "error",
    message: "the API reported an error",
  }
  return { type: "error", code: type, message, retryable: RETRYABLE_ERRORS.has(type) }
}

function apiError(answer: Json | undefined) {
  const error = record(answer?.error)
  if (typeof error?.type !== "string" || typeof error.message !== "string") return undefined
  return { type: error.type, message: error.message }
}

function end(state: StreamState, event: ModelEvent): Step {
  return { state: { ...state, ended: true }, events: last(state, event) }
}

function last({ usage }: StreamState, event: ModelEvent): ModelEvent[] {
  return usage ? [{ type: "usage", usage }, event] : [event]
}

/** Five figures that add up: input without what the cache gave or took, output without reasoning.
 *  Later figures replace earlier ones; a missing one leaves it. */
function readUsage(before: ModelUsage | undefined, value: unknown): ModelUsage | undefined {
  const said = record(value)
  if (!said) return before
  const reasoning = count(record(said.output_tokens_details)?.thinking_tokens, before?.reasoning)
  const written = (before?.output ?? 0) + (before?.reasoning ?? 0)
  return {
    input: count(said.input_tokens, before?.input),
    output: Math.max(0, count(said.output_tokens, written) - reasoning),
    reasoning,
    cache_read: count(said.cache_read_input_tokens, before?.cache_read),
    cache_write: count(said.cache_creation_input_tokens, before?.cache_write),
  }
}

function count(value: unknown, before = 0): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : before
}

type Json = Readonly<Record<string, unknown>>

function parse(text: string): Json | undefined {
  try {
    return record(JSON.parse(text))
  } catch {
    return undefined
  }
}

function record(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null ? (value as Json) : undefined
}
