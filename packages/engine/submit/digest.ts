import { createHash } from "node:crypto"
import { setImmediate as pause } from "node:timers/promises"
import { recordOf } from "compositor-core/message/untyped"

/** So many characters are written and hashed at once: a millisecond or two. */
const SLICE_CHARACTERS = 256 * 1024

/** A fingerprint of a payload: equal for equal payloads, whatever the order of their keys. */
export function digestOf(payload: unknown): string {
  const hash = createHash("sha256")
  for (const slice of slicesOf(payload)) hash.update(slice)
  return hash.digest("base64url")
}

/** The same of a payload that may be large: others have their turn between its slices. */
export async function digestInSlices(payload: unknown): Promise<string> {
  const hash = createHash("sha256")
  for (const slice of slicesOf(payload)) {
    hash.update(slice)
    if (slice.length >= SLICE_CHARACTERS) await pause()
  }
  return hash.digest("base64url")
}

function* slicesOf(payload: unknown): Generator<string, void, void> {
  let slice = ""
  for (const piece of canonical(payload)) {
    slice += piece
    if (slice.length < SLICE_CHARACTERS) continue
    yield slice
    slice = ""
  }
  yield slice
}

/** JSON with sorted keys, in pieces. */
function* canonical(value: unknown): Generator<string, void, void> {
  if (typeof value === "string") return yield* quoted(value)
  if (Array.isArray(value)) return yield* list(value)
  if (typeof value !== "object" || value === null) return yield JSON.stringify(value) ?? "null"
  const record = recordOf(value)
  const keys = Object.keys(record).filter((key) => record[key] !== undefined)
  yield "{"
  for (const [at, key] of keys.sort().entries()) {
    yield `${at === 0 ? "" : ","}${JSON.stringify(key)}:`
    yield* canonical(record[key])
  }
  yield "}"
}

function* list(values: readonly unknown[]): Generator<string, void, void> {
  yield "["
  for (const [at, value] of values.entries()) {
    if (at > 0) yield ","
    yield* canonical(value)
  }
  yield "]"
}

const FIRST_OF_PAIR = /[\ud800-\udbff]/

/** A string as JSON writes it; a long one is cut, but never in the middle of a pair. */
function* quoted(text: string): Generator<string, void, void> {
  if (text.length <= SLICE_CHARACTERS) return yield JSON.stringify(text)
  yield '"'
  for (let start = 0; start < text.length; ) {
    const end = start + SLICE_CHARACTERS
    const next = FIRST_OF_PAIR.test(text.charAt(end - 1)) ? end - 1 : end
    yield JSON.stringify(text.slice(start, next)).slice(1, -1)
    start = next
  }
  yield '"'
}
