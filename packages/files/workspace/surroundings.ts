import { charsetOf, decodeCharset } from "../kinds/sniff.ts"

/** A piece of a file with what stands around it: all of the file, or of a large one a megabyte on
 *  either side. */
export interface Surroundings {
  readonly bytes: Uint8Array
  /** Where in the bytes the piece begins and ends. */
  readonly start: number
  readonly end: number
}

interface SurroundingText {
  readonly text: string
  /** The same place in UTF-16 units of the text. */
  readonly piece: { readonly start: number; readonly end: number }
}

/** The text of a file around a piece of it; undefined where its letters cannot be told. */
export function surroundingText(around: Surroundings): SurroundingText | undefined {
  const { bytes, start, end } = fromWholeLetter(around)
  const charset = charsetOf(bytes, false)
  const text = charset === undefined ? undefined : decodeCharset(bytes, charset, false)
  if (charset === undefined || text === undefined) return undefined
  const before = decodeCharset(bytes.subarray(0, start), charset, false)
  const until = decodeCharset(bytes.subarray(0, end), charset, false)
  if (before === undefined || until === undefined) return undefined
  return { text, piece: { start: before.length, end: until.length } }
}

/** A piece of a large file may begin inside a letter of UTF-8. */
function fromWholeLetter({ bytes, start, end }: Surroundings): Surroundings {
  let skipped = 0
  while (skipped < 3 && skipped < start && isContinuation(bytes[skipped])) skipped += 1
  return { bytes: bytes.subarray(skipped), start: start - skipped, end: end - skipped }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Where lines of a text stand in it, 1-based and inclusive, without the break behind the last. */
export function locateLines(text: string, lines: { readonly start: number; readonly end: number }) {
  const start = lineStart(text, lines.start)
  const next = lineStart(text, lines.end + 1)
  const end = text[next - 1] === "\n" ? next - 1 : next
  return { start, end: Math.max(start, end) }
}

function lineStart(text: string, line: number): number {
  let at = 0
  for (let current = 1; current < line; current++) {
    const feed = text.indexOf("\n", at)
    if (feed < 0) return text.length
    at = feed + 1
  }
  return at
}
