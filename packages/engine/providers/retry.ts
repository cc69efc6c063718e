import type { ModelEvent, ModelFault, ModelUsage } from "compositor-core/model/prompt"
import { ABORTED, pauseUntil } from "./abort.ts"
import type { ProviderCall, Provider } from "./provider.ts"

export interface RetryOptions {
  /** Attempts in all. */
  readonly attempts?: number
  readonly first_delay_ms?: number
  readonly max_delay_ms?: number
  /** Wait as long as the API asks for, but never longer than this: then it is given up. */
  readonly max_retry_after_ms?: number
  /** From 0 to 1. */
  readonly random?: () => number
  /** False when the signal said stop. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
}

const OPTIONS: Required<RetryOptions> = {
  attempts: 4,
  first_delay_ms: 500,
  max_delay_ms: 20_000,
  max_retry_after_ms: 60_000,
  random: Math.random,
  wait: pauseUntil,
}

/** The same provider, patient: a fault that may pass is tried again after a while, as long as
 *  nothing was said yet. It tells each time that it will; the last fault is the one it gives up
 *  with, and usage is told once, for all attempts together. */
export function withRetries(provider: Provider, options: RetryOptions = {}): Provider {
  return { ...provider, stream: (call) => insist(provider, call, { ...OPTIONS, ...options }) }
}

async function* insist(
  provider: Provider,
  call: ProviderCall,
  options: Required<RetryOptions>,
): AsyncIterable<ModelEvent> {
  let used: ModelUsage | undefined
  for (let attempt = 1; ; attempt++) {
    const outcome: Attempt = { said: false, usage: used, fault: undefined }
    yield* listen(provider.stream(call), outcome)
    const { fault } = outcome
    if (!fault) return
    const delay_ms = delayOf(fault, attempt, options)
    if (outcome.said || !fault.retryable || attempt >= options.attempts || delay_ms === undefined) {
      yield* farewell(outcome.usage, fault)
      return
    }
    used = outcome.usage
    yield { type: "retrying", attempt, delay_ms, code: fault.code, message: fault.message }
    if (await options.wait(delay_ms, call.signal)) continue
    yield* farewell(used, ABORTED)
    return
  }
}

/** What became of one attempt. */
interface Attempt {
  said: boolean
  usage: ModelUsage | undefined
  fault: ModelFault | undefined
}

/** Pass on what is said; keep back usage and a fault, because there may be another attempt. */
async function* listen(events: AsyncIterable<ModelEvent>, attempt: Attempt) {
  for await (const event of events) {
    switch (event.type) {
      case "error":
        attempt.fault = event
        return
      case "usage":
        attempt.usage = sum(attempt.usage, event.usage)
        break
      case "end":
        yield* farewell(attempt.usage, event)
        return
      case "retrying":
        yield event
        break
      case "text-delta":
      case "text-end":
      case "reasoning-delta":
      case "reasoning-end":
      case "tool-call-start":
      case "tool-call-delta":
      case "tool-call-end":
        attempt.said = true
        yield event
    }
  }
}

function farewell(usage: ModelUsage | undefined, event: ModelEvent): ModelEvent[] {
  return usage ? [{ type: "usage", usage }, event] : [event]
}

function sum(one: ModelUsage | undefined, other: ModelUsage): ModelUsage {
  if (!one) return other
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cache_read: one.cache_read + other.cache_read,
    cache_write: one.cache_write + other.cache_write,
  }
}

/** Twice as long each time, and never the same for two who failed together; as long as the API says
 *  where it says so; undefined when that is too long. */
function delayOf(fault: ModelFault, attempt: number, options: Required<RetryOptions>) {
  const { first_delay_ms, max_delay_ms, max_retry_after_ms, random } = options
  const doubled = Math.min(max_delay_ms, first_delay_ms * 2 ** (attempt - 1))
  const delay = Math.round(doubled * (0.5 + random() / 2))
  const asked = fault.retry_after_ms ?? 0
  return asked > max_retry_after_ms ? undefined : Math.max(delay, asked)
}
