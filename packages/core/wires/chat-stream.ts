import type { EndReason, ModelEvent, Seal } from "../model/prompt.ts"
import { endCall, type OpenCall, startCall, tellCall } from "./calls.ts"
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
import { openaiUsage } from "./openai-shared.ts"
import { readCount, type JsonRecord, parseJsonRecord, record, records, readString } from "./read.ts"
import { readEvents, type ServerEvent } from "./sse.ts"

/** What a stream of chat chunks has told so far; OpenAI's, and those of all who speak like it. */
export interface ChatState extends StreamProgress {
  /** Who seals thoughts; an API only where they are sent back. */
  readonly by: { readonly api: string | null; readonly model: string }
  /** Makes ids where a server gives none, different ones for each answer. */
  readonly seed: string
  readonly thinking: boolean
  readonly signature: string | undefined
  readonly refused: boolean
  /** By the index that the API gives them. */
  readonly calls: ReadonlyMap<number, OpenCall>
}

export function chatStart(by: ChatState["by"], seed: string = crypto.randomUUID()): ChatState {
  const nothing = { thinking: false, signature: undefined, refused: false, calls: new Map() }
  return { ...NO_PROGRESS, by, seed, ...nothing }
}

/** One event of the stream. Usage comes after the end was told, so the end waits for `[DONE]`. */
export function stepChat(state: ChatState, { data }: ServerEvent): Step<ChatState> {
  if (data.trim() === "[DONE]") return done(state)
  const chunk = parseJsonRecord(data)
  if (!chunk) return quiet(state)
  if (chunk.error !== undefined) return finishStream(state, readError(chunk))
  const told = { ...state, usage: openaiUsage(chunk.usage, "prompt", "completion") ?? state.usage }
  const [choice] = records(chunk.choices)
  return choice ? readChoice(told, choice) : quiet(told)
}

export const readChat = { frames: readEvents, step: stepChat, close, readRefusal }

function readChoice(state: ChatState, choice: JsonRecord): Step<ChatState> {
  const delta = record(choice.delta) ?? record(choice.message) ?? {}
  const steps = [
    (now: ChatState) => readThoughts(now, delta),
    (now: ChatState) => readWords(now, delta),
    (now: ChatState) => readCalls(now, records(delta.tool_calls)),
  ]
  const result = steps.reduce<Step<ChatState>>(followStep, quiet(state))
  const reason = readString(choice.finish_reason)
  if (!reason) return result
  return { ...result, state: { ...result.state, reason: END_REASONS[reason] ?? "stop" } }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  length: "length",
  model_length: "length",
  tool_calls: "tool-call",
  function_call: "tool-call",
  content_filter: "content-filter",
}

function readThoughts(state: ChatState, delta: JsonRecord): Step<ChatState> {
  // Mistral's content is words, or a list of words and thoughts.
  const chunks = records(delta.content).filter(({ type }) => type === "thinking")
  const listed = chunks.map(({ thinking }) => wordsIn(thinking)).join("")
  const said = readString(delta.reasoning_content) || readString(delta.reasoning) || listed
  const signature = readString(chunks.findLast((chunk) => readString(chunk.signature))?.signature)
  if (!said && !signature) return quiet(state)
  const events: ModelEvent[] = said ? [{ type: "reasoning-delta", text: said }] : []
  return { state: { ...state, thinking: true, signature: signature ?? state.signature }, events }
}

function wordsIn(content: unknown): string {
  if (typeof content === "string") return content
  const chunks = records(content).filter(({ type }) => type === "text")
  return chunks.map((chunk) => readString(chunk.text) ?? "").join("")
}

function readWords(state: ChatState, delta: JsonRecord): Step<ChatState> {
  const refusal = readString(delta.refusal) ?? ""
  const said = wordsIn(delta.content) + refusal
  if (said === "") return quiet(state)
  const events = [...closeThought(state), { type: "text-delta", text: said } as const]
  const refused = state.refused || refusal !== ""
  return { state: { ...state, ...NOT_THINKING, refused }, events }
}

const NOT_THINKING = { thinking: false, signature: undefined }

function closeThought({ thinking, by, signature }: ChatState): ModelEvent[] {
  return thinking ? [{ type: "reasoning-end", seal: sealOf(by, signature) }] : []
}

function sealOf({ api, model }: ChatState["by"], signature: string | undefined): Seal | null {
  return api === null ? null : { api, model, ...(signature ? { signature } : {}) }
}

function readCalls(state: ChatState, deltas: readonly JsonRecord[]): Step<ChatState> {
  if (deltas.length === 0) return quiet(state)
  const events: ModelEvent[] = closeThought(state)
  const calls = new Map(state.calls)
  for (const delta of deltas) {
    const index = readCount(delta.index, calls.size)
    const known = calls.get(index)
    const open = known ? { call: known, events: [] } : begin(state, delta, index)
    const told = tellCall(open.call, inputText(record(delta.function)?.arguments))
    events.push(...open.events, ...told.events)
    calls.set(index, told.call)
  }
  return { state: { ...state, ...NOT_THINKING, calls }, events }
}

function begin({ seed }: ChatState, delta: JsonRecord, index: number) {
  const id = readString(delta.id) || callId(`${seed} ${index}`)
  return startCall(id, readString(record(delta.function)?.name) ?? "")
}

// Some servers give the input as JSON instead of its text.
function inputText(value: unknown): string {
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

function done(state: ChatState): Step<ChatState> {
  return { state: { ...state, ended: true }, events: close(state) }
}

/** Some servers stop without `[DONE]`; an answer whose end was told is whole all the same. */
function close(state: ChatState): readonly ModelEvent[] {
  const calls = [...state.calls.values()].map((call) => endCall(call))
  const told = { ...state, reason: reasonOf(state) }
  return [...closeThought(state), ...(told.reason ? calls : []), ...last(told, ending(told))]
}

function reasonOf({ reason, refused, calls }: ChatState): EndReason | undefined {
  if (reason !== "stop") return reason
  if (refused) return "refusal"
  return calls.size > 0 ? "tool-call" : "stop"
}

const RETRYABLE_ERRORS = /overload|rate.?limit|server_error|unavailable|timeout|internal/i

function readError(chunk: JsonRecord) {
  const read = readRefusal(chunk)
  const retryable = RETRYABLE_ERRORS.test(`${read.code} ${read.message}`)
  return reportedFault(read, retryable)
}

/** What the API says is wrong, in any of the shapes in use. */
export function readRefusal(body: JsonRecord): RefusalFacts {
  const error = record(body.error) ?? body
  const message = readString(error.message) ?? readString(body.error) ?? detailOf(body.detail)
  const code = readString(error.code) ?? readString(error.type)
  const is_final = FINAL_CODES.has(code ?? "")
  return { code, message, path: readString(error.param), ...(is_final ? { is_final } : {}) }
}

/** Come with a status that is worth another try, and are not. */
const FINAL_CODES: ReadonlySet<string> = new Set(["insufficient_quota", "billing_hard_limit"])

function detailOf(detail: unknown): string | undefined {
  if (detail === undefined) return undefined
  return typeof detail === "string" ? detail : JSON.stringify(detail)
}
