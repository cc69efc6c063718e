import type { Context } from "hono"
import { NOW, parseOffset, START } from "compositor-engine/streams/offset"
import type { Producer } from "compositor-engine/streams/producer"
import type { Fork } from "compositor-engine/streams/stream"
import { isJson } from "compositor-engine/streams/content"
import { readBody } from "../body.ts"
import { HttpError } from "../errors.ts"

const MAX_APPEND_BYTES = 32 * 1024 * 1024
const MAX_PATH_CHARACTERS = 1024
const PREFIX = "/v1/stream/"

/** The stream that an address names. */
export function pathOf(address: string): string {
  if (!address.startsWith(PREFIX) || address.length === PREFIX.length)
    throw bad(`a stream's address begins with ${PREFIX}`)
  if (address.includes("\0")) throw bad("a stream's address has no NUL in it")
  if (address.length > MAX_PATH_CHARACTERS)
    throw bad(`a stream's address has at most ${MAX_PATH_CHARACTERS} characters`)
  return address
}

export function bad(message: string): HttpError {
  return new HttpError(400, "invalid_request", message)
}

interface Life {
  readonly ttl_seconds: number | null
  readonly expires_at: number | null
}

const WHOLE = /^(?:0|[1-9]\d{0,14})$/
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

export function readLife(context: Context): Life {
  const ttl = context.req.header("stream-ttl")
  const expires = context.req.header("stream-expires-at")
  if (ttl !== undefined && expires !== undefined)
    throw bad("a stream has a Stream-TTL or a Stream-Expires-At, not both")
  if (ttl !== undefined && !WHOLE.test(ttl)) throw bad(`Stream-TTL ${ttl} is no number of seconds`)
  const expires_at = expires === undefined ? null : Date.parse(expires)
  if (expires !== undefined && (!TIME.test(expires) || Number.isNaN(expires_at)))
    throw bad(`Stream-Expires-At ${expires} is no time`)
  return { ttl_seconds: ttl === undefined ? null : Number(ttl), expires_at }
}

export function readFork(context: Context): Fork | null {
  const from = context.req.header("stream-forked-from")
  const offset = context.req.header("stream-fork-offset")
  const within = context.req.header("stream-fork-sub-offset")
  if (within !== undefined && !WHOLE.test(within))
    throw bad(`Stream-Fork-Sub-Offset ${within} is no number`)
  if (from === undefined) {
    if (within === undefined && offset === undefined) return null
    throw bad("only a fork has an offset to begin at: Stream-Forked-From is missing")
  }
  if (offset === undefined && Number(within ?? 0) > 0)
    throw bad("a Stream-Fork-Sub-Offset counts from a Stream-Fork-Offset")
  const position = offset === undefined ? null : positionOf(offset)
  return {
    path: pathOf(new URL(from, "http://stream").pathname),
    position,
    within: Number(within ?? 0),
  }
}

function positionOf(offset: string): number {
  const position = offset === START ? 0 : parseOffset(offset)
  if (position === undefined) throw bad(`${offset} is no offset of a stream`)
  return position
}

export function readProducer(context: Context): Producer | null {
  const id = context.req.header("producer-id")
  const epoch = context.req.header("producer-epoch")
  const seq = context.req.header("producer-seq")
  if (id === undefined && epoch === undefined && seq === undefined) return null
  if (!id || epoch === undefined || seq === undefined)
    throw bad("a producer says its Producer-Id, Producer-Epoch and Producer-Seq")
  return { id, epoch: wholeOf(epoch, "Producer-Epoch"), seq: wholeOf(seq, "Producer-Seq") }
}

function wholeOf(text: string, name: string): number {
  const value = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value))
    throw bad(`${name} ${text} is no whole number`)
  return value
}

/** Whether the writer says that nothing comes after this. */
export function readClose(context: Context): boolean {
  return context.req.header("stream-closed")?.toLowerCase() === "true"
}

type AskedOffset = { readonly type: "at"; readonly position: number } | { readonly type: "now" }

export function readOffset(context: Context): AskedOffset | undefined {
  const given = context.req.queries("offset") ?? []
  if (given.length > 1) throw bad("a read begins at one offset")
  const [offset] = given
  if (offset === undefined) return undefined
  return offset === NOW ? { type: "now" } : { type: "at", position: positionOf(offset) }
}

export type Live = "long-poll" | "sse"

export function readLive(context: Context): Live | undefined {
  const live = context.req.query("live")
  if (live === undefined) return undefined
  if (live === "long-poll" || live === "sse") return live
  throw bad(`live=${live} is neither long-poll nor sse`)
}

/** The body, which may have come without its length. */
export function readAppend(context: Context): Promise<Uint8Array> {
  const json = isJson(context.req.header("content-type") ?? "")
  return readBody(context.req.raw, { max_bytes: MAX_APPEND_BYTES, json })
}
