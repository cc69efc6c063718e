import type { EndReason, ModelEvent, Seal } from "../model/prompt.ts"
import { endCall, type OpenCall, startCall, tellCall } from "./calls.ts"
import { readRefusal } from "./chat-stream.ts"
import {
  brokenOff,
  finishStream,
  NO_PROGRESS,
  type StreamProgress,
  quiet,
  type Step,
} from "./progress.ts"
import { reportedFault } from "./refusal.ts"
import { openaiUsage } from "./openai-shared.ts"
import { readCount, type JsonRecord, parseJsonRecord, record, readString } from "./read.ts"
import { readEvents, type ServerEvent } from "./sse.ts"

/** What a stream of response events has told so far. */
export interface ResponsesState extends StreamProgress {
  readonly model: string
  readonly refused: boolean
  /** By the index of the output item. */
  readonly calls: ReadonlyMap<number, OpenCall>
  /** A tool was called. */
  readonly called: boolean
  /** The parts of a summary are told as one thought. */
  readonly summaries: number
}

export function responsesStart(model: string): ResponsesState {
  return {
    ...NO_PROGRESS,
    model,
    refused: false,
    calls: new Map(),
    called: false,
    summaries: 0,
  }
}

/** One event of the stream. */
export function stepResponses(state: ResponsesState, { data }: ServerEvent): Step<ResponsesState> {
  const event = parseJsonRecord(data)
  switch (event?.type) {
    case "response.output_item.added":
      return openItem(state, event)
    case "response.output_text.delta":
      return tell(state, "text-delta", event.delta)
    case "response.refusal.delta":
      return tell({ ...state, refused: true }, "text-delta", event.delta)
    case "response.reasoning_summary_part.added":
      return openSummary(state)
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return tell(state, "reasoning-delta", event.delta)
    case "response.function_call_arguments.delta":
      return addInput(state, event)
    case "response.output_item.done":
      return closeItem(state, event)
    case "response.completed":
    case "response.incomplete":
      return closeResponse(state, record(event.response))
    case "response.failed":
      return finishStream(
        withUsage(state, record(event.response)),
        readError(record(event.response)),
      )
    case "error":
      return finishStream(state, readError(event))
  }
  // Progress of every kind, and what the API learns to say later.
  return quiet(state)
}

export const readResponses = {
  frames: readEvents,
  step: stepResponses,
  close: brokenOff,
  readRefusal,
}

function tell(
  state: ResponsesState,
  type: "text-delta" | "reasoning-delta",
  delta: unknown,
): Step<ResponsesState> {
  return { state, events: [{ type, text: readString(delta) ?? "" }] }
}

function openItem(state: ResponsesState, event: JsonRecord): Step<ResponsesState> {
  const item = record(event.item)
  if (item?.type === "reasoning") return quiet({ ...state, summaries: 0 })
  if (item?.type !== "function_call") return quiet(state)
  const { call, events } = startCall(readString(item.call_id) ?? "", readString(item.name) ?? "")
  const calls = new Map(state.calls).set(readCount(event.output_index), call)
  return { state: { ...state, calls, called: true }, events }
}

function openSummary(state: ResponsesState): Step<ResponsesState> {
  const events: ModelEvent[] =
    state.summaries > 0 ? [{ type: "reasoning-delta", text: "\n\n" }] : []
  return { state: { ...state, summaries: state.summaries + 1 }, events }
}

function addInput(state: ResponsesState, event: JsonRecord): Step<ResponsesState> {
  const index = readCount(event.output_index)
  const open = state.calls.get(index)
  if (!open) return quiet(state)
  const { call, events } = tellCall(open, readString(event.delta) ?? "")
  return { state: { ...state, calls: new Map(state.calls).set(index, call) }, events }
}

function closeItem(state: ResponsesState, event: JsonRecord): Step<ResponsesState> {
  const item = record(event.item) ?? {}
  switch (item.type) {
    case "reasoning":
      return { state, events: [{ type: "reasoning-end", seal: thoughtSeal(state, item) }] }
    case "message":
      return { state, events: [{ type: "text-end", seal: messageSeal(state, item) }] }
    case "function_call":
      return closeCall(state, readCount(event.output_index), item)
  }
  return quiet(state)
}

function thoughtSeal({ model }: ResponsesState, item: JsonRecord): Seal | null {
  const id = readString(item.id)
  const encrypted = readString(item.encrypted_content)
  // Nothing is stored with the API, so an id alone would be refused.
  if (!id || encrypted === undefined) return null
  return { api: "openai-responses", model, id, encrypted }
}

function messageSeal({ model }: ResponsesState, item: JsonRecord): Seal {
  const id = readString(item.id)
  const phase = readString(item.phase)
  return { api: "openai-responses", model, ...(id ? { id } : {}), ...(phase ? { phase } : {}) }
}

function closeCall(state: ResponsesState, index: number, item: JsonRecord): Step<ResponsesState> {
  const open = state.calls.get(index)
  if (!open) return quiet(state)
  const calls = new Map(state.calls)
  calls.delete(index)
  const json = readString(item.arguments) ?? open.json
  return { state: { ...state, calls }, events: [endCall({ ...open, json })] }
}

function closeResponse(
  before: ResponsesState,
  response: JsonRecord | undefined,
): Step<ResponsesState> {
  const state = withUsage(before, response)
  const calls = [...state.calls.values()].map((call) => endCall(call))
  const { state: after, events } = finishStream(state, {
    type: "end",
    reason: reasonOf(state, response),
  })
  return { state: after, events: [...calls, ...events] }
}

function reasonOf(
  { refused, called }: ResponsesState,
  response: JsonRecord | undefined,
): EndReason {
  const reason = record(response?.incomplete_details)?.reason
  if (reason === "content_filter") return "content-filter"
  if (response?.status === "incomplete") return "length"
  if (refused) return "refusal"
  return called ? "tool-call" : "stop"
}

const RETRYABLE_ERRORS: ReadonlySet<unknown> = new Set([
  "server_error",
  "rate_limit_exceeded",
  "vector_store_timeout",
])

function readError(source: JsonRecord | undefined) {
  const read = source ? readRefusal(source) : {}
  return reportedFault(read, RETRYABLE_ERRORS.has(read.code))
}

function withUsage(state: ResponsesState, response: JsonRecord | undefined): ResponsesState {
  return { ...state, usage: openaiUsage(response?.usage, "input", "output") ?? state.usage }
}
