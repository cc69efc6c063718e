import type { EndReason, ModelEvent, ModelUsage, Seal } from "../model/prompt.ts"
import { endCall, startCall, tellCall } from "./calls.ts"
import {
  ending,
  finishStream,
  followStep,
  last,
  NO_PROGRESS,
  type StreamProgress,
  quiet,
  type Step,
} from "./progress.ts"
import { type RefusalFacts, reportedFault } from "./refusal.ts"
import { callId } from "./names.ts"
import { readCount, type JsonRecord, parseJsonRecord, record, records, readString } from "./read.ts"
import { readEvents, type ServerEvent } from "./sse.ts"

/** What a stream of generateContent responses has told so far. */
export interface GeminiState extends StreamProgress {
  readonly model: string
  /** Makes ids where the API gives none, different ones for each answer. */
  readonly seed: string
  readonly calls: number
  /** What is being said, until something else is. */
  readonly saying: "text" | "thought" | undefined
}

export function geminiStart(model: string, seed: string = crypto.randomUUID()): GeminiState {
  return { ...NO_PROGRESS, model, seed, calls: 0, saying: undefined }
}

/** One event of the stream: a whole response with what is new in it. The end is the stream's. */
export function stepGemini(state: GeminiState, { data }: ServerEvent): Step<GeminiState> {
  const chunk = parseJsonRecord(data)
  if (!chunk) return quiet(state)
  if (chunk.error !== undefined) return finishStream(state, readError(chunk))
  const [candidate] = records(chunk.candidates)
  const told = { ...state, usage: readUsage(chunk.usageMetadata) ?? state.usage }
  const parts = records(record(candidate?.content)?.parts)
  const result = parts.reduce<Step<GeminiState>>(
    (before, part) => followStep(before, (now) => readPart(now, part)),
    quiet(told),
  )
  if (MALFORMED.test(readString(candidate?.finishReason) ?? ""))
    return { ...result, ...finishStream(result.state, malformed(candidate)) }
  const reason = reasonOf(candidate, chunk)
  return reason ? { ...result, state: { ...result.state, reason } } : result
}

export const readGemini = { frames: readEvents, step: stepGemini, close, readRefusal }

function readPart(state: GeminiState, part: JsonRecord): Step<GeminiState> {
  const seal = sealOf(state, part)
  const call = record(part.functionCall)
  if (call) return readCall(state, call, seal)
  if (part.text === undefined && !seal) return quiet(state)
  return readText(state, part, seal)
}

function sealOf({ model }: GeminiState, part: JsonRecord): Seal | undefined {
  const signature = readString(part.thoughtSignature)
  return signature ? { api: "gemini-generatecontent", model, signature } : undefined
}

function readCall(state: GeminiState, made: JsonRecord, seal: Seal | undefined): Step<GeminiState> {
  const id = readString(made.id) || callId(`${state.seed} ${state.calls}`)
  const start = startCall(id, readString(made.name) ?? "")
  const told = tellCall(start.call, JSON.stringify(made.args ?? {}))
  const events = [...closeThought(state), ...start.events, ...told.events, endCall(told.call, seal)]
  return { state: { ...state, calls: state.calls + 1, saying: undefined }, events }
}

/** A signature comes with the last piece of what it seals, or behind it on a piece without words. */
function readText(state: GeminiState, part: JsonRecord, seal: Seal | undefined): Step<GeminiState> {
  const words = readString(part.text) ?? ""
  const saying = part.thought === true ? "thought" : "text"
  const events: ModelEvent[] = saying === "thought" ? [] : closeThought(state)
  if (words !== "")
    events.push({ type: saying === "thought" ? "reasoning-delta" : "text-delta", text: words })
  if (!seal) return { state: { ...state, saying: words === "" ? state.saying : saying }, events }
  events.push({ type: saying === "thought" ? "reasoning-end" : "text-end", seal })
  return { state: { ...state, saying: undefined }, events }
}

function closeThought({ saying }: GeminiState): ModelEvent[] {
  return saying === "thought" ? [{ type: "reasoning-end", seal: null }] : []
}

function close(state: GeminiState): readonly ModelEvent[] {
  const { reason, calls } = state
  const told = { ...state, reason: reason === "stop" && calls > 0 ? "tool-call" : reason } as const
  return [...closeThought(state), ...last(told, ending(told))]
}

function reasonOf(candidate: JsonRecord | undefined, chunk: JsonRecord): EndReason | undefined {
  if (record(chunk.promptFeedback)?.blockReason) return "content-filter"
  const reason = readString(candidate?.finishReason)
  return reason ? (END_REASONS[reason] ?? "stop") : undefined
}

/** The model tried to call a tool and did not manage to write it down. */
const MALFORMED = /^(?:MALFORMED|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS)/

function malformed(candidate: JsonRecord | undefined): ModelEvent {
  const code = readString(candidate?.finishReason) ?? "MALFORMED"
  const message = readString(candidate?.finishMessage) || "the model wrote a tool call that is none"
  return { type: "error", code, message, retryable: true }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  LANGUAGE: "content-filter",
}

const RETRYABLE_ERRORS: ReadonlySet<unknown> = new Set([
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
  "INTERNAL",
  "DEADLINE_EXCEEDED",
])

function readError(chunk: JsonRecord) {
  const read = readRefusal(chunk)
  return reportedFault(read, RETRYABLE_ERRORS.has(read.code))
}

/** What the API says is wrong, where, and in its `RetryInfo` how long to wait: "34.07s". */
function readRefusal(body: JsonRecord): RefusalFacts {
  const error = record(body.error)
  const details = records(error?.details)
  const [violation] = details.flatMap(({ fieldViolations }) => records(fieldViolations))
  const delay = details.map(({ retryDelay }) => readString(retryDelay)).find((value) => value)
  return {
    code: readString(error?.status),
    message: readString(error?.message),
    path: readString(violation?.field),
    ...(delay ? { retry_after_seconds: Number.parseFloat(delay) } : {}),
  }
}

function readUsage(value: unknown): ModelUsage | undefined {
  const told = record(value)
  if (!told) return undefined
  const cache_read = readCount(told.cachedContentTokenCount)
  const asked = readCount(told.promptTokenCount) + readCount(told.toolUsePromptTokenCount)
  return {
    input: Math.max(0, asked - cache_read),
    output: readCount(told.candidatesTokenCount),
    reasoning: readCount(told.thoughtsTokenCount),
    cache_read,
    cache_write: 0,
  }
}
