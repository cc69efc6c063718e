/** Ids sort by the time they were made: a prefix, 12 hex digits of epoch milliseconds, a counter of
 *  3 base62 digits and 11 random ones. 30 characters for the prefixes of the documents (PER-013). */
export type IdPrefix = "ses" | "msg" | "prt" | "trn" | "str" | "trg"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const COUNTER_DIGITS = 3
const COUNTER_LIMIT = 62 ** COUNTER_DIGITS
const RANDOM_DIGITS = 11
const POOL_BYTES = 4096

export const ID_PATTERN = /^(ses|msg|prt|trn|str|trg)_[0-9a-f]{12}[0-9A-Za-z]{14}$/

export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  tick(now)
  const time = lastTime.toString(16).padStart(12, "0")
  return `${prefix}_${time}${base62(counter)}${randomDigits()}`
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && ID_PATTERN.test(value)
}

/** When an id was made, as far as its clock was right. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(id.indexOf("_") + 1).slice(0, 12), 16) || 0
}

let lastTime = 0
let counter = 0

// A clock that steps back, or a full counter, must not put a new id before an old one.
function tick(now: number) {
  if (now > lastTime) {
    lastTime = now
    counter = 0
    return
  }
  counter += 1
  if (counter < COUNTER_LIMIT) return
  lastTime += 1
  counter = 0
}

function base62(value: number): string {
  const high = DIGITS[Math.floor(value / 3844)]
  const middle = DIGITS[Math.floor(value / 62) % 62]
  return `${high}${middle}${DIGITS[value % 62]}`
}

const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

function randomDigits(): string {
  let digits = ""
  while (digits.length < RANDOM_DIGITS) {
    const byte = randomByte() & 63
    if (byte < 62) digits += DIGITS[byte]
  }
  return digits
}

function randomByte(): number {
  if (used === POOL_BYTES) {
    crypto.getRandomValues(pool)
    used = 0
  }
  return pool[used++] ?? 0
}
