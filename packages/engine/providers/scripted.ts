import { z } from "zod"
import type {
  ModelEvent,
  ModelFault,
  PromptBlock,
  PromptMessage,
} from "compositor-core/model/prompt"
import { estimateTokens, tokensOfBytes } from "compositor-core/model/tokens"
import { decodePlain, plainBody } from "compositor-core/wires/plain"
import { scriptedWire } from "compositor-core/wires/scripted"
import { ABORTED, pauseUntil } from "./abort.ts"
import type { ProviderCall, Provider } from "./provider.ts"
import { fragmentText } from "./write-body.ts"

export type ScriptStep =
  | { readonly text: string; readonly delay_ms?: number | undefined }
  | { readonly reasoning: string; readonly delay_ms?: number | undefined }
  | { readonly call: ScriptedCall }
  | { readonly error: Omit<ModelFault, "type"> }
  | { readonly wait: Promise<unknown> }

interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What to answer: always the same, or as the call asks. */
export type Script = readonly ScriptStep[] | ((call: RecordedCall) => readonly ScriptStep[])

/** A call as the provider received it; what is in it is decoded when it is asked for. */
export interface RecordedCall {
  readonly call: ProviderCall
  readonly prompt: readonly PromptMessage[]
  readonly newest: PromptMessage | undefined
  body(): Promise<string>
}

export interface ScriptedProvider extends Provider {
  /** The newest calls, oldest first. */
  readonly calls: readonly RecordedCall[]
}

/** A server under load makes many calls; a test looks at a few. */
const REMEMBERED_CALLS = 100

/** A model that answers as it was told to, for tests. Without a script it echoes. */
export function scriptedProvider(script: Script = scriptFromText("{}")): ScriptedProvider {
  const calls: RecordedCall[] = []
  return {
    id: scriptedWire.provider_id,
    api: scriptedWire.api,
    calls,
    encode: scriptedWire.encode,
    body: scriptedWire.body,
    stream: (call) => {
      const recorded = record(call)
      calls.push(recorded)
      if (calls.length > REMEMBERED_CALLS) calls.shift()
      return play(script, recorded)
    },
  }
}

function record(call: ProviderCall): RecordedCall {
  const { envelope, messages, open } = call
  return {
    call,
    get prompt() {
      return messages.map(decodePlain)
    },
    get newest() {
      const last = messages.at(-1)
      return last && decodePlain(last)
    },
    body: () => fragmentText(plainBody(envelope, messages), open),
  }
}

async function* play(script: Script, recorded: RecordedCall): AsyncIterable<ModelEvent> {
  const { call } = recorded
  try {
    const steps = typeof script === "function" ? script(recorded) : script
    yield* playSteps(steps, call)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    yield { type: "error", code: "bad-script", message, retryable: false }
  }
}

async function* playSteps(
  steps: readonly ScriptStep[],
  call: ProviderCall,
): AsyncIterable<ModelEvent> {
  let said = ""
  let called = false
  for (const step of steps) {
    const fault = (await waitFor(step, call.signal)) ? faultOf(step) : ABORTED
    if (fault) {
      yield fault
      return
    }
    yield* eventsOf(step)
    if ("text" in step) said += step.text
    called ||= "call" in step
  }
  yield { type: "usage", usage: usageOf(call, said) }
  yield { type: "end", reason: called ? "tool-call" : "stop" }
}

function eventsOf(step: ScriptStep): ModelEvent[] {
  if ("text" in step) return [{ type: "text-delta", text: step.text }]
  if ("reasoning" in step) return [{ type: "reasoning-delta", text: step.reasoning }]
  if (!("call" in step)) return []
  const { id, name, input } = step.call
  return [
    { type: "tool-call-start", id, name },
    { type: "tool-call-delta", id, text: JSON.stringify(input) },
    { type: "tool-call-end", id, name, input },
  ]
}

function faultOf(step: ScriptStep): ModelEvent | undefined {
  return "error" in step ? { type: "error", ...step.error } : undefined
}

/** False when the call was aborted. */
async function waitFor(step: ScriptStep, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  if ("delay_ms" in step && step.delay_ms) return pauseUntil(step.delay_ms, signal)
  if (!("wait" in step)) return true
  await Promise.race([step.wait, whenAborted(signal)])
  return !signal.aborted
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

// From the size alone: a test with a long history should not pay for decoding it.
function usageOf({ envelope, messages }: ProviderCall, said: string) {
  const bytes = messages.reduce((sum, message) => sum + message.size, envelope.system.length)
  const output = estimateTokens(said)
  return { input: tokensOfBytes(bytes), output, reasoning: 0, cache_read: 0, cache_write: 0 }
}

const Directives = z.object({
  /** What to say instead of an echo. */
  text: z.string().optional(),
  chunks: z.int().min(1).max(10_000).default(1),
  delay_ms: z.int().min(0).max(600_000).default(0),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  /** Tools to call first; once their results are there, the text follows. */
  calls: z.array(z.object({ name: z.string(), input: z.unknown().optional() })).default([]),
})

/** A script from the text of a JSON file, so that a server in another process can be told what to
 *  answer: `{ "chunks": 20, "delay_ms": 10 }`. It echoes the newest message unless there is a
 *  `text`. */
export function scriptFromText(json: string): (call: RecordedCall) => readonly ScriptStep[] {
  const { text, chunks, delay_ms, error, calls } = Directives.parse(JSON.parse(json))
  return ({ newest, call }) => {
    if (calls.length > 0 && !isResult(newest))
      return calls.map((made, at) => madeBy(made, call, at))
    const said = cut(text ?? wordsOf(newest), chunks).map((piece) => ({ text: piece, delay_ms }))
    return error ? [...said, { error }] : said
  }
}

function isResult(message: PromptMessage | undefined): boolean {
  return message?.blocks.some(({ type }) => type === "tool-result") ?? false
}

function madeBy(
  call: { name: string; input?: unknown },
  { messages }: ProviderCall,
  at: number,
): ScriptStep {
  const { name, input = {} } = call
  return { call: { id: `call${messages.length}x${at}`, name, input } }
}

function wordsOf(message: PromptMessage | undefined): string {
  return (message?.blocks ?? []).map(shownAs).join("\n")
}

function shownAs(block: PromptBlock): string {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text
    case "image":
    case "audio":
    case "video":
    case "document":
      return `<${block.media.mime}>`
    case "tool-call":
      return `<${block.name}>`
    case "tool-result":
      return block.blocks.map(shownAs).join("\n")
  }
}

function cut(text: string, chunks: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / chunks))
  return text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []
}
