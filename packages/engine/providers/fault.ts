import { errorCode, errorMessage, recordOf } from "compositor-core/message/untyped"
import type { ModelFault } from "compositor-core/model/prompt"
import { type JsonRecord, parseJsonRecord, record, readString } from "compositor-core/wires/read"
import { faultFrom, type RefusalFacts } from "compositor-core/wires/refusal"
import { ABORTED } from "./abort.ts"
import type { HttpAnswer } from "./transport.ts"

/** An answer that is no answer, as the last event of a call. `read` finds what the API says in the
 *  JSON it came with. */
export async function refusal(
  answer: HttpAnswer,
  read: (body: JsonRecord) => RefusalFacts,
): Promise<ModelFault> {
  const { readErrorText } = await import("./transport.ts")
  const { status } = answer
  const body = firstOf(parseJsonRecord(await readErrorText(answer)))
  const facts = body ? read(body) : {}
  return faultFrom(facts, {
    code: `http-${status}`,
    message: `the API answered with status ${status}`,
    retryable: RETRYABLE_STATUS.has(status) && !facts.is_final,
    retry_after_ms: retryAfter(answer.headers, facts),
  })
}

// Some servers wrap an error in a list.
function firstOf(body: JsonRecord | undefined): JsonRecord | undefined {
  return Array.isArray(body) ? record(body[0]) : body
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

const MAX_RETRY_AFTER_MS = 10 * 60 * 1000

/** How long the API wants to be left alone: in milliseconds, seconds, as a date, or in its words. */
export function retryAfter(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { retry_after_seconds }: RefusalFacts,
  now: number = Date.now(),
): number | undefined {
  const milliseconds = Number.parseFloat(String(headers["retry-after-ms"]))
  const after = readString(headers["retry-after"]) ?? ""
  const seconds = /^[\d.]+$/.test(after) ? Number.parseFloat(after) : retry_after_seconds
  const wait = [milliseconds, (seconds ?? Number.NaN) * 1000, Date.parse(after) - now].find(
    (value) => Number.isFinite(value),
  )
  return wait === undefined ? undefined : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS)
}

/** Whatever went wrong on the way, as the last event of a call. */
export function faultOf(error: unknown, signal: AbortSignal): ModelFault {
  if (signal.aborted) return ABORTED
  const retryable = recordOf(error).retryable !== false
  const [code, message] = [errorCode(error) ?? "bad-stream", errorMessage(error)]
  return { type: "error", code, message, retryable }
}
