import { errorCode, errorMessage, errorStack } from "compositor-core/message/untyped"
import type { Context } from "hono"
import { type Caller, callerOf } from "./caller.ts"
import { BlobMissing, BlobsFailed, BlobTooLarge } from "compositor-files/blobs/blobs"
import { Refusal, type RefusalCode, type RefusalDetail } from "compositor-core/message/refusal"

/** A refusal that the door itself makes, before any room was asked. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly RefusalDetail[]
  /** What the answer says beside its body. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    details: readonly RefusalDetail[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.headers = headers
  }
}

const STATUS: Readonly<Record<RefusalCode, readonly [status: number, code: string]>> = {
  not_found: [404, "not_found"],
  conflict: [409, "conflict"],
  stale: [409, "conflict"],
  invalid: [422, "validation_failed"],
  too_large: [413, "too_large"],
  unknown_model: [422, "unknown_model"],
  missing_arguments: [422, "missing_arguments"],
  untrusted: [409, "untrusted"],
  shell_approval: [409, "shell_approval"],
  storage_failed: [507, "storage_failed"],
}

const ERROR_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }

/** The one place where an error becomes an HTTP answer, in the one shape all of them have. */
export function answerError(
  error: unknown,
  context: Context,
  log: (message: string) => void,
): Response {
  const { status, code, message, details } = toldTo(callerOf(context), errorAnswer(error))
  if (status >= 500) log(`${context.req.method} ${context.req.path}: ${errorStack(error)}`)
  const body = errorBody({ code, message, details })
  const more = error instanceof HttpError ? error.headers : {}
  const headers = new Headers({ ...ERROR_HEADERS, ...more, "content-type": "application/json" })
  const request_id: string | undefined = context.get("request_id")
  if (request_id) headers.set("x-request-id", request_id)
  // The rest of a body that was too large is not read: this connection ends here.
  if (status === 413) headers.set("connection", "close")
  return new Response(JSON.stringify(body), { status, headers })
}

/** So many faults are told of one request, and so much of each. */
const MAX_DETAILS = 20
const MAX_MESSAGE_CHARACTERS = 4096

export function errorBody({ code, message, details }: Omit<Told, "status">): object {
  const told = { code, message: shortened(message) }
  return { error: details.length > 0 ? { ...told, details: firstOf(details) } : told }
}

function firstOf(details: readonly RefusalDetail[]): readonly RefusalDetail[] {
  const first = details.slice(0, MAX_DETAILS).map((detail) => ({
    ...detail,
    path: shortened(detail.path),
    message: shortened(detail.message),
  }))
  const left = details.length - first.length
  return left > 0 ? [...first, { path: "/", message: `and ${left} more` }] : first
}

function shortened(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARACTERS) return text
  return `${text.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…`
}

/** One answer for all that is not there: a principal cannot tell what is another's from what never
 *  was. */
function toldTo(caller: Caller, answer: Told): Told {
  if (caller.type === "operator" || answer.status !== 404) return answer
  return { status: 404, code: "not_found", message: NOTHING, details: [] }
}

const NOTHING = "there is nothing here by that name"

interface Told {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: readonly RefusalDetail[]
}

/** What an error is to whoever asked. */
export function errorAnswer(error: unknown): Told {
  if (error instanceof HttpError) return error
  if (error instanceof Refusal) {
    const [status, code] = STATUS[error.code]
    return { status, code, message: error.message, details: error.details }
  }
  if (error instanceof BlobTooLarge)
    return { status: 413, code: "too_large", message: error.message, details: [] }
  if (error instanceof BlobMissing)
    return { status: 404, code: "not_found", message: error.message, details: [] }
  if (error instanceof BlobsFailed)
    return { status: 503, code: "blobs_unavailable", message: "the blob store failed", details: [] }
  if (isBrokenOff(error))
    return { status: 400, code: "invalid_request", message: "the body broke off", details: [] }
  const message = "something failed here; the server's log says what"
  return { status: 500, code: "internal", message, details: [] }
}

// What Node calls a request whose sender hung up, or was too slow, in the middle of its body.
function isBrokenOff(error: unknown): boolean {
  return errorCode(error) === "ECONNRESET" && errorMessage(error) === "aborted"
}
