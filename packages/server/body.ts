import { setTimeout as pause } from "node:timers/promises"
import { DoorError } from "./errors.ts"
import { JsonMeter, MAX_JSON_VALUES } from "./json-meter.ts"

/** So small a text holds fewer values than it may, whatever it says: each takes two bytes or more. */
const UNCOUNTED_BYTES = MAX_JSON_VALUES

const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARDED_MS = 3000

export interface BodyLimits {
  readonly max_bytes: number
  /** Its values are counted too. */
  readonly json: boolean
}

/** The bytes of a request, refused as soon as they are too many or hold too much. */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN)
  // A declared length is kept by the parser in front of us.
  if (declared <= Math.min(UNCOUNTED_BYTES, limits.max_bytes))
    return new Uint8Array(await request.arrayBuffer())
  if (declared > limits.max_bytes) throw tooLarge(limits.max_bytes)
  const reader = request.body?.getReader()
  return readCounted(reader, limits).catch(async (error: unknown) => {
    const patience = pause(DISCARDED_MS, undefined, { ref: false })
    // One that hangs up meanwhile has heard enough.
    const discarded = discard(reader).catch(() => undefined)
    if (error instanceof DoorError) await Promise.race([discarded, patience])
    throw error
  })
}

type Reader = ReadableStreamDefaultReader<Uint8Array> | undefined

async function readCounted(reader: Reader, { max_bytes, json }: BodyLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const meter = json ? new JsonMeter() : undefined
  let size = 0
  for (let chunk = await next(reader); chunk; chunk = await next(reader)) {
    size += chunk.length
    if (size > max_bytes) throw tooLarge(max_bytes)
    meter?.read(chunk)
    chunks.push(chunk)
  }
  return joined(chunks, size)
}

async function next(reader: Reader): Promise<Uint8Array | undefined> {
  return (await reader?.read())?.value
}

/** A sender that is cut off while it sends does not read why: it may finish, within reason. */
async function discard(reader: Reader) {
  let size = 0
  for (let chunk = await next(reader); chunk; chunk = await next(reader)) {
    size += chunk.length
    if (size > DISCARDED_BYTES) return
  }
}

// Bytes of their own: a thread can be given them without a copy.
function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

function tooLarge(max_bytes: number): DoorError {
  return new DoorError(413, "too_large", `the body may have at most ${max_bytes} bytes`)
}
