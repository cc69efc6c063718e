import { MAX_JSON_DEPTH } from "compositor-core/message/stored-json"
import { HttpError } from "./errors.ts"

/** So many values one body may hold: whatever looks at each of them afterwards, all of them together
 *  stop nobody for long. A message of as many parts as may be has half as many. */
export const MAX_JSON_VALUES = 50_000
/** One object with very many keys is far slower to build than many small ones. */
export const MAX_OBJECT_KEYS = 10_000

/** Counts what a JSON text holds while its bytes come, and refuses it before it is parsed. A text that
 *  is no JSON may be counted wrongly; the parser says so later. */
export class JsonMeter {
  #values = 1
  /** The keys of each object that is open, under what has none: the text itself, and arrays. */
  readonly #keys = [Number.NaN]
  #isInString = false
  #isEscaped = false

  read(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at++) this.#readByte(bytes[at]!)
    if (this.#values > MAX_JSON_VALUES)
      throw tooLarge(`the body may hold at most ${MAX_JSON_VALUES} values`)
  }

  #readByte(byte: number) {
    if (this.#isInString) return this.#readInString(byte)
    switch (byte) {
      case QUOTE:
        this.#isInString = true
        return
      case COMMA:
        this.#values++
        return this.#countKey()
      case OPEN_BRACE:
        return this.#open(1)
      case OPEN_BRACKET:
        return this.#open(Number.NaN)
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#keys.length > 1) this.#keys.pop()
    }
  }

  #open(keys: number) {
    this.#values++
    this.#keys.push(keys)
    if (this.#keys.length > MAX_JSON_DEPTH + 1) throw tooDeep()
  }

  #countKey() {
    const keys = (this.#keys.pop() ?? Number.NaN) + 1
    this.#keys.push(keys)
    if (keys > MAX_OBJECT_KEYS)
      throw tooLarge(`an object in the body may have at most ${MAX_OBJECT_KEYS} keys`)
  }

  #readInString(byte: number) {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }
}

function tooLarge(message: string): HttpError {
  return new HttpError(413, "too_large", message)
}

export function tooDeep(): HttpError {
  const message = `the body nests deeper than ${MAX_JSON_DEPTH} levels`
  // The rest of the body may not have been read: this connection ends here.
  return new HttpError(422, "validation_failed", message, [], { connection: "close" })
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
