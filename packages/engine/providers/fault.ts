import type { ModelFault } from "compositor-core/model/prompt"
import { type Json, parse, record, records, text } from "compositor-core/wires/read"
import { faultFrom, type RefusalFacts } from "compositor-core/wires/refusal"
import { ABORTED } from "./abort.ts"
import type { Answer, TransportError } from "./transport.ts"

/** An answer that is no answer, as the last event of a call. `read` finds what the API says in the
 *  JSON it came with. */
export async function refusal(
  answer: Answer,
  read: (body: Json) => RefusalFacts,
): Promise<ModelFault> {
  const { readErrorText } = await import("./transport.ts")
  const { status } = answer
  const body = firstOf(parse(await readErrorText(answer)))
  const facts = body ? read(body) : {}
  return faultFrom(facts, {
    code: `http-${status}`,
    message: `the API answered with status ${status}`,
    retryable: RETRYABLE_STATUS.has(status) && !FINAL_CODES.has(facts.code ?? ""),
    retry_after_ms: retryAfter(answer.headers, body),
  })
}

// Some servers wrap an error in a list.
function firstOf(body: Json | undefined): Json | undefined {
  return Array.isArray(body) ? record(body[0]) : body
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

/** Come with a status that is worth another try, and are not. */
const FINAL_CODES: ReadonlySet<string> = new Set(["insufficient_quota", "billing_hard_limit"])

const MAX_RETRY_AFTER_MS = 10 * 60 * 1000

/** How long the API wants to be left alone: in milliseconds, seconds, as a date, or in its words. */
export function retryAfter(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Json | undefined,
  now: number = Date.now(),
): number | undefined {
  const milliseconds = Number.parseFloat(String(headers["retry-after-ms"]))
  const after = text(headers["retry-after"]) ?? ""
  const seconds = /^[\d.]+$/.test(after) ? Number.parseFloat(after) : saidDelay(body)
  const wait = [milliseconds, (seconds ?? Number.NaN) * 1000, Date.parse(after) - now].find(
    (value) => Number.isFinite(value),
  )
  return wait === undefined ? undefined : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS)
}

/** Google's `RetryInfo`: a duration such as "34.07s". */
function saidDelay(body: Json | undefined): number | undefined {
  const details = records(record(body?.error)?.details)
  const delay = details.map(({ retryDelay }) => text(retryDelay)).find((value) => value)
  return delay ? Number.parseFloat(delay) : undefined
}

/** Whatever went wrong on the way, as the last event of a call. */
export function faultOf(error: unknown, signal: AbortSignal): ModelFault {
  if (signal.aborted) return ABORTED
  const { code = "bad-stream", message, retryable = true } = error as Partial<TransportError>
  return { type: "error", code, message: message ?? String(error), retryable }
}
