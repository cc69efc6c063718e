import { ANSWER_HEADERS } from "../door.ts"
import { HttpError } from "../errors.ts"

const STATUS = {
  missing: [404, "not_found"],
  gone: [410, "gone"],
  conflict: [409, "conflict"],
  invalid: [400, "invalid_request"],
} as const

export function streamRefusal(answer: { type: keyof typeof STATUS; message: string }): HttpError {
  const [status, code] = STATUS[answer.type]
  return new HttpError(status, code, answer.message)
}

export const STREAM_HEADERS = {
  ...ANSWER_HEADERS,
  "cross-origin-resource-policy": "same-origin",
} as const

export function reply(status: number, headers: Record<string, string>, message?: string): Response {
  if (message === undefined)
    return new Response(null, { status, headers: { ...STREAM_HEADERS, ...headers } })
  const body = JSON.stringify({
    error: { code: status === 403 ? "forbidden" : "conflict", message },
  })
  const all = { ...STREAM_HEADERS, ...headers, "content-type": "application/json" }
  return new Response(body, { status, headers: all })
}
