/** How the finder keeps a text: one byte a UTF-16 unit, in lower case, so that a place in the bytes
 *  is the same place in the text. The eighth bit says that a word begins there. */
export const LETTER = 0x7f
export const WORD_START = 0x80

const FIRST_PLAIN = 0x20
const FIRST_WIDE = 0x80
/** All that is not plain, unless an alphabet tells it apart. */
const WIDE = 1

/** Write the letters of `text` to `bytes` from `at` on, and say which there are, as a mask. All
 *  characters beyond ASCII are the same letter. */
export function writeLetters(text: string, bytes: Uint8Array, at: number): number {
  const last = text.length - 1
  let mask = 0
  let before = OTHER
  for (let index = 0; index <= last; index++) {
    const code = text.charCodeAt(index)
    const kind = code < FIRST_WIDE ? KINDS[code]! : WIDE_LETTER
    const letter = code < FIRST_WIDE ? LETTERS[code]! : WIDE
    let start = STARTS[before * KIND_COUNT + kind]!
    // The last capital of a run begins the next word: HTMLParser.
    if (kind === UPPER && before === UPPER && index < last)
      start = KINDS[text.charCodeAt(index + 1)] === LOWER ? WORD_START : 0
    bytes[at + index] = letter | start
    mask |= BITS[letter]!
    before = kind
  }
  return mask
}

/** The letters of a text. With an alphabet, characters beyond ASCII are their place in it. */
export function lettersOf(text: string, alphabet = ""): Uint8Array {
  const bytes = new Uint8Array(text.length)
  writeLetters(text, bytes, 0)
  if (alphabet === "") return bytes
  return bytes.map((byte, at) => {
    if ((byte & LETTER) !== WIDE) return byte
    return (byte & WORD_START) | (alphabet.indexOf(lowerCase(text.charCodeAt(at))) + 1)
  })
}

function lowerCase(code: number): string {
  const character = String.fromCharCode(code)
  const lower = character.toLowerCase()
  return lower.length === 1 ? lower : character
}

// Kinds of characters, and by them where a word begins: after what belongs to none, at a hump
// (`fileIndex`), and where a number begins.
const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const WIDE_LETTER = 4
const KIND_COUNT = 5

const KINDS = Uint8Array.from({ length: FIRST_WIDE }, (_, code) =>
  kindOf(String.fromCharCode(code)),
)
const LETTERS = Uint8Array.from({ length: FIRST_WIDE }, (_, code) =>
  code < FIRST_PLAIN ? WIDE : String.fromCharCode(code).toLowerCase().charCodeAt(0),
)
const STARTS = Uint8Array.from({ length: KIND_COUNT ** 2 }, (_, pair) =>
  isStart(Math.floor(pair / KIND_COUNT), pair % KIND_COUNT) ? WORD_START : 0,
)

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  return /\d/.test(character) ? DIGIT : OTHER
}

function isStart(before: number, kind: number): boolean {
  if (kind === OTHER) return false
  if (before === OTHER) return true
  return (kind === UPPER || kind === DIGIT) && before !== kind
}

/** For every letter, its bit in a mask: which letters occur in a text. Rare ones share a bit. */
export const BITS: Int32Array = bits()

function bits(): Int32Array {
  const table = new Int32Array(WORD_START * 2).fill(1 << 31)
  for (let letter = 0; letter < 26; letter++) table[0x61 + letter] = 1 << letter
  for (let digit = 0; digit < 10; digit++) table[0x30 + digit] = 1 << (26 + (digit >> 2))
  table[".".charCodeAt(0)] = 1 << 29
  table["/".charCodeAt(0)] = 1 << 30
  for (let letter = 0; letter < WORD_START; letter++) table[letter | WORD_START] = table[letter]!
  return table
}

export function maskOf(bytes: Uint8Array): number {
  let mask = 0
  for (const byte of bytes) mask |= BITS[byte]!
  return mask
}

/** Which letters begin a word. */
export function startMaskOf(bytes: Uint8Array, from: number, to: number): number {
  let mask = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    if (byte & WORD_START) mask |= BITS[byte]!
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
  return { letters, mask: maskOf(letters), alphabet }
}

function alphabetOf(text: string): string {
  const wide = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PLAIN || code >= FIRST_WIDE) wide.add(lowerCase(code))
  }
  return [...wide].slice(0, MAX_ALPHABET).join("")
}
