import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http"
import process from "node:process"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { traceHeaders } from "../telemetry/span.ts"
import type { WireBody } from "compositor-core/wires/body"
import { type OpenMedia, writeBody } from "./write-body.ts"

export interface Timeouts {
  /** Until there is a connection. */
  readonly connect_ms: number
  /** Without a byte in either direction. */
  readonly idle_ms: number
}

export const TIMEOUTS: Timeouts = { connect_ms: 15_000, idle_ms: 300_000 }

export interface Post {
  readonly url: string
  /** POST when nobody says. */
  readonly method?: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireBody
  readonly open: OpenMedia
  readonly signal: AbortSignal
  readonly timeouts?: Timeouts | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Why there was no answer, or not all of it. */
export class TransportError extends Error {
  override readonly name = "TransportError"
  readonly code: string
  readonly retryable: boolean

  constructor(code: string, message: string, retryable: boolean) {
    super(message)
    this.code = code
    this.retryable = retryable
  }
}

const MAX_HEADER_BYTES = 64 * 1024
const MAX_ERROR_BYTES = 64 * 1024

/** Send a body and give back what comes, as it comes. The body is streamed and its length told
 *  first; a redirect is an answer like any other. Throws `TransportError`, also while the answer is
 *  read. */
export async function post(call: Post): Promise<HttpAnswer> {
  if (call.signal.aborted) throw aborted()
  const request = openRequest(call)
  const fate: Fate = { request, host: new URL(call.url).host, error: undefined }
  watch(fate, call)
  // Not awaited: a server may refuse before it has read everything.
  void writeTo(request, call).catch((error: unknown) => fail(fate, unreadable(error)))
  return new Promise((resolve, reject) => {
    request.on("error", (error) => reject(fate.error ?? lost(fate, error)))
    request.on("close", () => reject(fate.error ?? lost(fate, undefined)))
    request.on("response", (response) => resolve(answerOf(response, fate)))
  })
}

/** The text of a refusal, as far as it is worth reading. */
export async function readErrorText(answer: HttpAnswer): Promise<string> {
  const { bytes } = await readUpTo(answer.chunks, MAX_ERROR_BYTES)
  return bytes.toString("utf8", 0, MAX_ERROR_BYTES)
}

/** The bytes of an answer, as far as `most`, and whether that is all of it. */
export async function readUpTo(chunks: AsyncIterable<Uint8Array>, most: number) {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    pieces.push(chunk)
    size += chunk.length
    if (size > most) break
  }
  return { bytes: Buffer.concat(pieces), whole: size <= most }
}

/** A request, and why we gave it up, if we did: Node only tells that the connection was closed. */
interface Fate {
  readonly request: ClientRequest
  readonly host: string
  error: TransportError | undefined
}

function openRequest({ url, method = "POST", headers, body }: Post): ClientRequest {
  try {
    const target = new URL(url)
    // Asked for, not imported: an import of either loads `fetch`, which takes as long as Node's start.
    const { request } = process.getBuiltinModule(
      target.protocol === "http:" ? "node:http" : "node:https",
    )
    const length = method === "POST" ? { "content-length": body.size } : {}
    return request(target, {
      method,
      headers: { ...headers, ...length, ...traceHeaders(), "accept-encoding": "identity" },
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  } catch (error) {
    throw new TransportError("bad-request", `${url} cannot be called: ${messageOf(error)}`, false)
  }
}

function watch(fate: Fate, { signal, timeouts = TIMEOUTS }: Post) {
  const { request, host } = fate
  const { connect_ms, idle_ms } = timeouts
  const connecting = setTimeout(
    () => fail(fate, timeout("connect-timeout", `${host} did not answer the call`, connect_ms)),
    connect_ms,
  )
  request.once("socket", (socket) => {
    const connected = () => clearTimeout(connecting)
    if (!socket.connecting) connected()
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected)
  })
  request.setTimeout(idle_ms, () =>
    fail(fate, timeout("idle-timeout", `${host} fell silent`, idle_ms)),
  )
  const abort = () => fail(fate, aborted())
  signal.addEventListener("abort", abort, { once: true })
  request.once("close", () => {
    clearTimeout(connecting)
    signal.removeEventListener("abort", abort)
  })
}

function fail(fate: Fate, error: TransportError) {
  fate.error ??= error
  fate.request.destroy()
}

async function writeTo(request: ClientRequest, { body, open }: Post) {
  request.flushHeaders()
  for await (const chunk of writeBody(body, open)) {
    if (request.destroyed) return
    if (!request.write(chunk)) await drained(request)
  }
  request.end()
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off("drain", done).off("close", done)
      resolve()
    }
    request.on("drain", done).on("close", done)
    if (request.destroyed) done()
  })
}

function answerOf(response: IncomingMessage, fate: Fate): HttpAnswer {
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, chunks: readAnswer(response, fate) }
}

const DRAIN_MS = 1000

async function* readAnswer(response: IncomingMessage, fate: Fate): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) yield chunk
  } catch (error) {
    throw fate.error ?? lost(fate, error)
  } finally {
    letGo(response, fate)
  }
  if (fate.error) throw fate.error
}

/** Who heard enough leaves the rest unread; read away, it leaves the connection for the next call. */
function letGo(response: IncomingMessage, { request }: Fate) {
  if (response.complete || request.destroyed) return
  const patience = setTimeout(() => request.destroy(), DRAIN_MS)
  response.once("close", () => clearTimeout(patience))
  response.on("error", () => undefined).resume()
}

function aborted(): TransportError {
  return new TransportError("aborted", "the request was aborted", false)
}

function timeout(code: string, what: string, milliseconds: number): TransportError {
  return new TransportError(code, `${what} for ${milliseconds / 1000} seconds`, true)
}

function unreadable(error: unknown): TransportError {
  return new TransportError("unreadable-media", messageOf(error), false)
}

function lost({ host }: Fate, error: unknown): TransportError {
  const why = error === undefined ? "it closed the connection" : messageOf(error)
  return new TransportError("connection-lost", `the connection to ${host} failed: ${why}`, true)
}

function messageOf(error: unknown): string {
  return errorMessage(error) || errorCode(error) || String(error)
}
