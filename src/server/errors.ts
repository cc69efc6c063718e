import type { Context } from "hono"
import { BlobMissing, BlobTooLarge } from "../files/blobs.ts"
import { Refusal, type RefusalCode, type RefusalDetail } from "../message/refusal.ts"

/** A refusal that the door itself makes, before any room was asked. */
export class DoorError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly RefusalDetail[]

  constructor(
    status: number,
    code: string,
    message: string,
    details: readonly RefusalDetail[] = [],
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
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
  const { status, code, message, details } = told(error)
  if (status >= 500)
    log(`${context.req.method} ${context.req.path}: ${String((error as Error).stack)}`)
  const body = { error: { code, message, ...(details.length > 0 ? { details } : {}) } }
  const headers = new Headers({ ...ERROR_HEADERS, "content-type": "application/json" })
  // The rest of a body that was too large is not read: this connection ends here.
  if (status === 413) headers.set("connection", "close")
  return new Response(JSON.stringify(body), { status, headers })
}

interface Told {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: readonly RefusalDetail[]
}

function told(error: unknown): Told {
  if (error instanceof DoorError) return error
  if (error instanceof Refusal) {
    const [status, code] = STATUS[error.code]
    return { status, code, message: error.message, details: error.details }
  }
  if (error instanceof BlobTooLarge)
    return { status: 413, code: "too_large", message: error.message, details: [] }
  if (error instanceof BlobMissing)
    return { status: 404, code: "not_found", message: error.message, details: [] }
  const message = "something failed here; the server's log says what"
  return { status: 500, code: "internal", message, details: [] }
}
