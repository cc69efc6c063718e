import { extname } from "node:path"
import { setImmediate as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { isTooDeep } from "compositor-core/message/depth"
import { DoorError } from "./errors.ts"
import { tooDeep } from "./json-meter.ts"

/** A larger text is parsed in a thread: nobody waits while its strings are read. */
const PARSED_HERE_BYTES = 256 * 1024
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 }

export interface ParseRequest {
  readonly id: number
  readonly bytes: Uint8Array
}

export type ParseAnswer =
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
    throw notJson((error as Error).message)
  }
  if (isTooDeep(value)) throw tooDeep()
  return value
}

function notJson(fault: string): DoorError {
  return new DoorError(400, "invalid_request", `the body is not JSON: ${fault}`)
}

let thread: ParseThread | undefined

/** One thread for the process, started when it is first needed. It keeps nobody from leaving. */
class ParseThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<ParseAnswer>>()
  #next = 0

  constructor() {
    const url = new URL(`./json-thread${extname(import.meta.url)}`, import.meta.url)
    this.#worker = new Worker(url, { resourceLimits: THREAD_LIMITS })
    this.#worker.unref()
    this.#worker.on("message", (answer: ParseAnswer) => this.#settle(answer))
    this.#worker.on("error", (error) => this.#fail(error))
  }

  parse(bytes: Uint8Array): Promise<ParseAnswer> {
    const id = this.#next++
    const answer = Promise.withResolvers<ParseAnswer>()
    this.#waiting.set(id, answer)
    this.#worker.postMessage({ id, bytes } satisfies ParseRequest, [bytes.buffer as ArrayBuffer])
    return answer.promise
  }

  #settle(answer: ParseAnswer) {
    this.#waiting.get(answer.id)?.resolve(answer)
    this.#waiting.delete(answer.id)
  }

  // The next body gets a new thread.
  #fail(error: unknown) {
    thread = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
