import { createRequire } from "node:module"

/** How much of a file says how its letters are written. */
const SAMPLE_BYTES = 8 * 1024
/** Fewer bytes than this, and almost anything could be letters. */
const MIN_LEGACY_BYTES = 8
const MIN_CONFIDENCE = 12
/** Of a text in a Latin script, the share of bytes that are not ASCII. */
const MAX_ACCENTS = 0.4

/** The encoding of a text, as a TextDecoder names it; undefined for bytes that are no text. It looks
 *  for what no text holds before it guesses: a guesser finds some language in anything. */
export function charsetOf(bytes: Uint8Array, complete: boolean): string | undefined {
  const marked = markedCharset(bytes)
  if (marked) return isText(decode(bytes, marked, complete)) ? marked : undefined
  const plain = decode(bytes, "utf-8", complete)
  if (isText(plain)) return JIS_ESCAPE.test(plain) ? "iso-2022-jp" : "utf-8"
  return wideCharset(bytes, complete) ?? legacyCharset(bytes, complete)
}

/** The text, if the bytes are one in this encoding. */
export function decode(bytes: Uint8Array, charset: string, complete: boolean): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: !complete })
  } catch {
    return undefined
  }
}

// No text holds these; tab, line breaks, form feed and the escape of a terminal log may occur.
// oxlint-disable-next-line no-control-regex
const BINARY_CHARACTER = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/
// oxlint-disable-next-line no-control-regex
const JIS_ESCAPE = /\x1b\$[@B][^]*\x1b\([BJ]/
// oxlint-disable-next-line no-control-regex
const SECOND_CONTROLS = /[\x80-\x84\x86-\x9f\uFFFD\uE000-\uF8FF]/

function isText(text: string | undefined): text is string {
  return text !== undefined && !BINARY_CHARACTER.test(text)
}

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return undefined
}

/** UTF-16 without its mark: every other byte of most texts is a zero. */
function wideCharset(bytes: Uint8Array, complete: boolean): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (sample.length < MIN_LEGACY_BYTES || (complete && bytes.length % 2 === 1)) return undefined
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const enough = sample.length * 0.15
  const charset =
    odd > enough && even === 0 ? "utf-16le" : even > enough && odd === 0 ? "utf-16be" : ""
  return charset !== "" && isText(decode(bytes, charset, complete)) ? charset : undefined
}

const require = createRequire(import.meta.url)

/** What people wrote before UTF-8. */
function legacyCharset(bytes: Uint8Array, complete: boolean): string | undefined {
  if (bytes.length < MIN_LEGACY_BYTES || hasControls(bytes)) return undefined
  const { analyse } = require("chardet") as typeof import("chardet")
  const guesses = analyse(bytes.subarray(0, SAMPLE_BYTES))
  const accents = shareOfAccents(bytes)
  for (const { name, confidence } of guesses) {
    if (confidence < MIN_CONFIDENCE || NOT_LEGACY.test(name)) continue
    if (LATIN.test(name) && accents > MAX_ACCENTS) continue
    const text = decode(bytes, name, complete)
    if (isText(text) && !SECOND_CONTROLS.test(text)) return name.toLowerCase()
  }
  return undefined
}

const NOT_LEGACY = /^(UTF-|ISO-2022|ASCII)/i
const LATIN = /^(ISO-8859-(1|2|9|15)|windows-125[0247])$/i

function hasControls(bytes: Uint8Array): boolean {
  for (const byte of bytes)
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d) return true
  return false
}

function shareOfAccents(bytes: Uint8Array): number {
  let high = 0
  for (const byte of bytes) if (byte >= 0x80) high += 1
  return high / bytes.length
}
