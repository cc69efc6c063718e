import type { EndReason, ModelEvent, ModelUsage, Seal } from "../model/prompt.ts"
import { endCall, type OpenCall, startCall, tellCall } from "./calls.ts"
import {
  brokenOff,
  finishStream,
  NO_PROGRESS,
  type StreamProgress,
  quiet,
  type Step,
} from "./progress.ts"
import { type RefusalFacts, reportedFault } from "./refusal.ts"
import { readCount, type JsonRecord, parseJsonRecord, record, readString } from "./read.ts"
import { readEvents, type ServerEvent } from "./sse.ts"

/** What the stream has told so far; the blocks come one after the other. */
export interface AnthropicState extends StreamProgress {
  /** Who seals what is said. */
  readonly model: string
  readonly block: OpenBlock | undefined
}

type OpenBlock =
  | { readonly type: "text" }
  | { readonly type: "thinking"; readonly signature: string; readonly encrypted?: string }
  | { readonly type: "call"; readonly call: OpenCall }

export function anthropicStart(model: string): AnthropicState {
  return { ...NO_PROGRESS, model, block: undefined }
}

/** One event of the stream. */
export function stepAnthropic(state: AnthropicState, { data }: ServerEvent): Step<AnthropicState> {
  const event = parseJsonRecord(data)
  switch (event?.type) {
    case "message_start":
      return quiet({ ...state, usage: readUsage(state.usage, record(event.message)?.usage) })
    case "content_block_start":
      return openBlock(state, record(event.content_block))
    case "content_block_delta":
      return readDelta(state, record(event.delta))
    case "content_block_stop":
      return closeBlock(state)
    case "message_delta":
      return quiet(closing(state, event))
    case "message_stop":
      return finishStream(state, { type: "end", reason: state.reason ?? "stop" })
    case "error":
      return finishStream(state, readError(event))
  }
  // Pings, and what the API learns to say later.
  return quiet(state)
}

export const readAnthropic = {
  frames: readEvents,
  step: stepAnthropic,
  close: brokenOff,
  readRefusal,
}

function openBlock(state: AnthropicState, block: JsonRecord | undefined): Step<AnthropicState> {
  switch (block?.type) {
    case "thinking":
      return quiet({ ...state, block: { type: "thinking", signature: "" } })
    case "redacted_thinking":
      return quiet({ ...state, block: { type: "thinking", signature: "", ...encrypted(block) } })
    case "tool_use":
      return openCall(state, block)
  }
  return quiet({ ...state, block: { type: "text" } })
}

function encrypted({ data }: JsonRecord) {
  return typeof data === "string" ? { encrypted: data } : {}
}

function openCall(state: AnthropicState, { id, name }: JsonRecord): Step<AnthropicState> {
  const { call, events } = startCall(readString(id) ?? "", readString(name) ?? "")
  return { state: { ...state, block: { type: "call", call } }, events }
}

function readDelta(state: AnthropicState, delta: JsonRecord | undefined): Step<AnthropicState> {
  const { block } = state
  switch (delta?.type) {
    case "text_delta":
      return { state, events: [{ type: "text-delta", text: readString(delta.text) ?? "" }] }
    case "thinking_delta":
      return {
        state,
        events: [{ type: "reasoning-delta", text: readString(delta.thinking) ?? "" }],
      }
    case "signature_delta":
      if (block?.type !== "thinking") return quiet(state)
      return quiet({ ...state, block: { ...block, signature: readString(delta.signature) ?? "" } })
    case "input_json_delta":
      if (block?.type !== "call") return quiet(state)
      return addInput(state, block.call, readString(delta.partial_json) ?? "")
  }
  return quiet(state)
}

function addInput(state: AnthropicState, open: OpenCall, json: string): Step<AnthropicState> {
  const { call, events } = tellCall(open, json)
  return { state: { ...state, block: { type: "call", call } }, events }
}

function closeBlock(state: AnthropicState): Step<AnthropicState> {
  const { block } = state
  const events: ModelEvent[] = []
  if (block?.type === "thinking") events.push({ type: "reasoning-end", seal: sealOf(state, block) })
  if (block?.type === "call") events.push(endCall(block.call))
  return { state: { ...state, block: undefined }, events }
}

function sealOf(
  { model }: AnthropicState,
  { signature, encrypted: data }: Extract<OpenBlock, { type: "thinking" }>,
): Seal | null {
  const by = { api: "anthropic-messages", model }
  if (data !== undefined) return { ...by, encrypted: data }
  return signature === "" ? null : { ...by, signature }
}

function closing(state: AnthropicState, event: JsonRecord): AnthropicState {
  const stop = record(event.delta)?.stop_reason
  const reason = typeof stop === "string" ? (END_REASONS[stop] ?? "stop") : state.reason
  return { ...state, reason, usage: readUsage(state.usage, event.usage) }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-call",
  refusal: "refusal",
}

const RETRYABLE_ERRORS: ReadonlySet<unknown> = new Set([
  "overloaded_error",
  "rate_limit_error",
  "api_error",
  "timeout_error",
])

function readError(event: JsonRecord) {
  const read = readRefusal(event)
  return reportedFault(read, RETRYABLE_ERRORS.has(read.code))
}

/** What the API says is wrong. */
function readRefusal(body: JsonRecord): RefusalFacts {
  const error = record(body.error)
  return { code: readString(error?.type), message: readString(error?.message) }
}

/** Later figures replace earlier ones; a missing one leaves it. */
function readUsage(before: ModelUsage | undefined, value: unknown): ModelUsage | undefined {
  const told = record(value)
  if (!told) return before
  const reasoning = readCount(
    record(told.output_tokens_details)?.thinking_tokens,
    before?.reasoning,
  )
  const written = (before?.output ?? 0) + (before?.reasoning ?? 0)
  return {
    input: readCount(told.input_tokens, before?.input),
    output: Math.max(0, readCount(told.output_tokens, written) - reasoning),
    reasoning,
    cache_read: readCount(told.cache_read_input_tokens, before?.cache_read),
    cache_write: readCount(told.cache_creation_input_tokens, before?.cache_write),
  }
}
