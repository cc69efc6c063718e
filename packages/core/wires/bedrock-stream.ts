import type { EndReason, ModelEvent, ModelUsage, Seal } from "../model/prompt.ts"
import { endCall, type OpenCall, startCall, tellCall } from "./calls.ts"
import { type EventMessage, readEventMessages } from "./event-stream.ts"
import {
  ending,
  finishStream,
  last,
  NO_PROGRESS,
  type StreamProgress,
  quiet,
  type Step,
} from "./progress.ts"
import { faultFrom, type RefusalFacts } from "./refusal.ts"
import { readCount, type JsonRecord, parseJsonRecord, record, readString } from "./read.ts"

/** What a Converse stream has told so far. */
export interface BedrockState extends StreamProgress {
  readonly model: string
  readonly call: OpenCall | undefined
  readonly thought: Thought | undefined
}

interface Thought {
  readonly signature: string
  readonly encrypted?: string
}

export function bedrockStart(model: string): BedrockState {
  return { ...NO_PROGRESS, model, call: undefined, thought: undefined }
}

/** One message of the stream. Usage comes after the end was told; the end is the stream's. */
export function stepBedrock(state: BedrockState, message: EventMessage): Step<BedrockState> {
  const { headers } = message
  const payload = parseJsonRecord(message.payload) ?? {}
  if (headers[":message-type"] !== "event")
    return finishStream(state, readException(headers, payload))
  switch (headers[":event-type"] ?? "") {
    case "contentBlockStart":
      return openBlock(state, record(record(payload.start)?.toolUse))
    case "contentBlockDelta":
      return readDelta(state, record(payload.delta) ?? {})
    case "contentBlockStop":
      return closeBlock(state)
    case "messageStop":
      return quiet({
        ...state,
        reason: END_REASONS[readString(payload.stopReason) ?? ""] ?? "stop",
      })
    case "metadata":
      return quiet({ ...state, usage: readUsage(payload.usage) })
  }
  return quiet(state)
}

export const readBedrock = {
  frames: (chunks: AsyncIterable<Uint8Array>) => readEventMessages(chunks),
  step: stepBedrock,
  close: (state: StreamProgress) => last(state, ending(state)),
  readRefusal: (body: JsonRecord): RefusalFacts => ({
    code: readString(body.__type),
    message: messageOf(body),
  }),
}

function openBlock(state: BedrockState, use: JsonRecord | undefined): Step<BedrockState> {
  if (!use) return quiet(state)
  const { call, events } = startCall(readString(use.toolUseId) ?? "", readString(use.name) ?? "")
  return { state: { ...state, call }, events }
}

function readDelta(state: BedrockState, delta: JsonRecord): Step<BedrockState> {
  const said = readString(delta.text)
  if (said !== undefined) return { state, events: [{ type: "text-delta", text: said }] }
  const reasoning = record(delta.reasoningContent)
  if (reasoning) return readThought(state, reasoning)
  const input = readString(record(delta.toolUse)?.input)
  if (input === undefined || !state.call) return quiet(state)
  const { call, events } = tellCall(state.call, input)
  return { state: { ...state, call }, events }
}

function readThought(state: BedrockState, reasoning: JsonRecord): Step<BedrockState> {
  const said = readString(reasoning.text)
  const signature = readString(reasoning.signature)
  const encrypted = readString(reasoning.redactedContent)
  const thought = {
    ...(state.thought ?? { signature: "" }),
    ...(signature === undefined ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
  }
  const events: ModelEvent[] = said ? [{ type: "reasoning-delta", text: said }] : []
  return { state: { ...state, thought }, events }
}

function closeBlock(state: BedrockState): Step<BedrockState> {
  const { call, thought } = state
  const events: ModelEvent[] = []
  if (thought) events.push({ type: "reasoning-end", seal: sealOf(state, thought) })
  if (call) events.push(endCall(call))
  return { state: { ...state, call: undefined, thought: undefined }, events }
}

function sealOf({ model }: BedrockState, { signature, encrypted }: Thought): Seal | null {
  const by = { api: "bedrock-converse", model }
  if (encrypted !== undefined) return { ...by, encrypted }
  return signature === "" ? null : { ...by, signature }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  tool_use: "tool-call",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "content-filter",
  guardrail_intervened: "content-filter",
  refusal: "refusal",
}

const RETRYABLE_EXCEPTIONS =
  /throttling|serviceUnavailable|internalServer|modelStreamError|modelNotReady|modelTimeout/i

function readException(headers: EventMessage["headers"], payload: JsonRecord) {
  const code = headers[":exception-type"] ?? headers[":error-code"]
  const message = messageOf(payload) ?? headers[":error-message"]
  const retryable = RETRYABLE_EXCEPTIONS.test(code ?? "")
  const otherwise = { code: "exception", message: "the API reported an exception", retryable }
  return faultFrom({ code, message }, otherwise)
}

// Written with a small and with a large letter.
function messageOf({ message, Message }: JsonRecord): string | undefined {
  return readString(message) ?? readString(Message)
}

function readUsage(value: unknown): ModelUsage | undefined {
  const told = record(value)
  if (!told) return undefined
  return {
    input: readCount(told.inputTokens),
    output: readCount(told.outputTokens),
    reasoning: 0,
    cache_read: readCount(told.cacheReadInputTokens),
    cache_write: readCount(told.cacheWriteInputTokens),
  }
}

/** A whole answer that says "Hello.", framed as Amazon frames it. */
export const BEDROCK_ANSWER =
  "AAAAdwAAADbhanYvDTptZXNzYWdlLXR5cGUHAAVldmVudAs6ZXZlbnQtdHlwZQcAEWNvbnRlbnRCbG9ja0RlbHRhey" +
  "JkZWx0YSI6eyJ0ZXh0IjoiSGVsbG8uIn0sImNvbnRlbnRCbG9ja0luZGV4IjowfckaProAAABZAAAAMHb4Qn8NOm1l" +
  "c3NhZ2UtdHlwZQcABWV2ZW50CzpldmVudC10eXBlBwALbWVzc2FnZVN0b3B7InN0b3BSZWFzb24iOiJlbmRfdHVybi" +
  "J9708CxwAAAGkAAAAttN+WIA06bWVzc2FnZS10eXBlBwAFZXZlbnQLOmV2ZW50LXR5cGUHAAhtZXRhZGF0YXsidXNh" +
  "Z2UiOnsiaW5wdXRUb2tlbnMiOjksIm91dHB1dFRva2VucyI6Mn19snrdQQ=="
