/** How the finder keeps a text: one byte a UTF-16 unit, in lower case, so that a place in the bytes
 *  is the same place in the text. The eighth bit says that a word begins there. */
export const LETTER = 0x7f
export const WORD_START = 0x80

const FIRST_PLAIN = 0x20
const FIRST_WIDE = 0x80
/** All that is not plain, unless an alphabet tells it apart. */
const WIDE = 1

/** Write the letters of `text` to `bytes` from `at` on. Characters beyond ASCII are all the same
 *  letter there; with an alphabet they are their place in it. */
export function writeLetters(text: string, bytes: Uint8Array, at: number, alphabet?: string) {
  let previous = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const isStart = isWordStart(previous, code, text.charCodeAt(index + 1))
    bytes[at + index] = letterOf(code, alphabet) | (isStart ? WORD_START : 0)
    previous = code
  }
}

export function lettersOf(text: string, alphabet?: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  writeLetters(text, bytes, 0, alphabet)
  return bytes
}

function letterOf(code: number, alphabet: string | undefined): number {
  if (isUpper(code)) return code | 0x20
  if (code >= FIRST_PLAIN && code < FIRST_WIDE) return code
  if (alphabet === undefined) return WIDE
  return alphabet.indexOf(lowerCase(code)) + 1
}

function lowerCase(code: number): string {
  const character = String.fromCharCode(code)
  const lower = character.toLowerCase()
  return lower.length === 1 ? lower : character
}

/** A word begins after what is no letter, at a hump (`fileIndex`), at the last capital of a run
 *  (`HTMLParser`) and where a number begins. */
function isWordStart(previous: number, code: number, next: number): boolean {
  if (!isWord(code)) return false
  if (!isWord(previous)) return true
  if (isUpper(code)) return !isUpper(previous) || isLower(next)
  return isDigit(code) && !isDigit(previous)
}

function isWord(code: number): boolean {
  return isLower(code) || isUpper(code) || isDigit(code) || code >= FIRST_WIDE
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** For every letter, its bit in a mask: which letters occur in a text. Rare ones share a bit. */
export const BITS: Int32Array = bits()

function bits(): Int32Array {
  const table = new Int32Array(WORD_START * 2).fill(1 << 31)
  for (let letter = 0; letter < 26; letter++) table[0x61 + letter] = 1 << letter
  for (let digit = 0; digit < 10; digit++) table[0x30 + digit] = 1 << (26 + (digit >> 2))
  table[".".charCodeAt(0)] = 1 << 29
  table["/".charCodeAt(0)] = 1 << 30
  for (let letter = 0; letter < WORD_START; letter++)
    table[letter | WORD_START] = table[letter] as number
  return table
}

export function maskOf(bytes: Uint8Array, from: number, to: number): number {
  let mask = 0
  for (let at = from; at < to; at++) mask |= BITS[bytes[at] as number] as number
  return mask
}

/** Which letters begin a word. */
export function startMaskOf(bytes: Uint8Array, from: number, to: number): number {
  let mask = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte & WORD_START) mask |= BITS[byte] as number
  }
  return mask
}

/** What is looked for: the letters that were typed, without the spaces. */
export interface Query {
  readonly letters: Uint8Array
  readonly mask: number
  /** Its characters beyond ASCII, if it has any: a text is then read again with them. */
  readonly alphabet: string
}

export const MAX_QUERY_CHARACTERS = 128
const MAX_ALPHABET = 31

export function readQuery(typed: string): Query {
  const text = typed.slice(0, MAX_QUERY_CHARACTERS).replace(/\s+/g, "")
  const alphabet = alphabetOf(text)
  const letters = lettersOf(text, alphabet).map((byte) => byte & LETTER)
  return { letters, mask: maskOf(letters, 0, letters.length), alphabet }
}

function alphabetOf(text: string): string {
  const wide = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PLAIN || code >= FIRST_WIDE) wide.add(lowerCase(code))
  }
  return [...wide].slice(0, MAX_ALPHABET).join("")
}
