import type { IncomingHttpHeaders } from "node:http"
import { post, readUpTo, type Timeouts, TransportError } from "./transport.ts"
import { assemble } from "compositor-core/wires/body"

export interface SmallRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Posted as JSON; without it the question is a GET. */
  readonly json?: unknown
  readonly max_bytes: number
  readonly signal: AbortSignal
  readonly timeouts: Timeouts
}

interface SmallAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Ask for something small and wait for all of it. Throws `TransportError`, also when the answer is
 *  larger than was allowed. */
export async function askSmall(question: SmallRequest): Promise<SmallAnswer> {
  const { url, json, max_bytes, signal, timeouts } = question
  const posted = json === undefined ? NO_BODY : ({ method: "POST", body: bodyOf(json) } as const)
  const type = json === undefined ? {} : { "content-type": "application/json" }
  const headers = { ...question.headers, ...type }
  const answer = await post({ url, headers, ...posted, open: nothing, signal, timeouts })
  const { bytes, whole } = await readUpTo(answer.chunks, max_bytes)
  if (!whole)
    throw new TransportError("too-large", `${url} answered more than ${max_bytes} bytes`, false)
  return { status: answer.status, headers: answer.headers, text: bytes.toString("utf8") }
}

const NO_BODY = { method: "GET", body: { pieces: [], size: 0 } } as const

function bodyOf(json: unknown) {
  return assemble(JSON.stringify(json))
}

async function* nothing(): AsyncIterable<Uint8Array> {}
