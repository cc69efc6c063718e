import { setImmediate as pause, setTimeout as waitFor } from "node:timers/promises"
import { HttpError } from "./errors.ts"
import { JsonMeter, MAX_JSON_VALUES, tooDeep } from "./json-meter.ts"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { errorMessage } from "compositor-core/message/untyped"
import { isTooDeep } from "compositor-core/message/stored-json"

/** So small a text holds fewer values than it may, whatever it says: each takes two bytes or more. */
const UNCOUNTED_BYTES = MAX_JSON_VALUES

const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARDED_MS = 3000

interface BodyLimits {
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
    const patience = waitFor(DISCARDED_MS, undefined, { ref: false })
    // One that hangs up meanwhile has heard enough.
    const discarded = discard(reader).catch(() => undefined)
    if (error instanceof HttpError) await Promise.race([discarded, patience])
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

function tooLarge(max_bytes: number): HttpError {
  return new HttpError(413, "too_large", `the body may have at most ${max_bytes} bytes`)
}

/** A larger text is parsed in a thread: nobody waits while its strings are read. */
const PARSED_HERE_BYTES = 256 * 1024
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 }

export interface ParseRequest {
  readonly id: number
  readonly bytes: Uint8Array
}

export type JsonParseResult =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: string }

/** What the bytes of a body say as JSON, if it is not nested too deep. Of a large one that was counted
 *  while it came (`JsonMeter`). */
export async function parseJsonBytes(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length <= PARSED_HERE_BYTES) return parseJson(new TextDecoder().decode(bytes))
  const answer = await (thread ??= new ParseThread()).parse(bytes)
  if ("fault" in answer) throw notJson(answer.fault)
  // It was copied over here at once: that is enough for one stretch.
  await pause()
  return answer.value
}

/** The same of a text. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw notJson(errorMessage(error))
  }
  if (isTooDeep(value)) throw tooDeep()
  return value
}

function notJson(fault: string): HttpError {
  return new HttpError(400, "invalid_request", `the body is not JSON: ${fault}`)
}

let thread: ParseThread | undefined

/** One thread for the process, started when it is first needed. It keeps nobody from leaving. */
class ParseThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<JsonParseResult>>()
  #next = 0

  constructor() {
    const url = new URL(`./json-thread${extname(import.meta.url)}`, import.meta.url)
    this.#worker = new Worker(url, { resourceLimits: THREAD_LIMITS })
    this.#worker.unref()
    this.#worker.on("message", (answer: JsonParseResult) => this.#settle(answer))
    this.#worker.on("error", (error) => this.#fail(error))
  }

  parse(bytes: Uint8Array): Promise<JsonParseResult> {
    const id = this.#next++
    const answer = Promise.withResolvers<JsonParseResult>()
    this.#waiting.set(id, answer)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a body was read into memory of its own
    this.#worker.postMessage({ id, bytes } satisfies ParseRequest, [bytes.buffer as ArrayBuffer])
    return answer.promise
  }

  #settle(answer: JsonParseResult) {
    this.#waiting.get(answer.id)?.resolve(answer)
    this.#waiting.delete(answer.id)
  }

  // The next body gets a new thread.
  #fail(error: unknown) {
    thread = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
