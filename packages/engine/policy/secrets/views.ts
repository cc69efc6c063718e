import type { Steps } from "./find-secrets.ts"
import type { SecretSpan } from "./detector.ts"

/** A text as somebody reads it: without what nobody sees, or with its escapes undone. Secrets are
 *  looked for in it and removed where they stand in the text that it was made of. */
export interface View {
  readonly text: string
  /** Where a character of the view stands in the original. */
  origin(at: number): number
}

/** The views of a text beside itself; most texts have none. */
export function* viewsOf(text: string): Steps<readonly View[]> {
  const views: View[] = []
  if (INVISIBLE.test(text)) views.push(yield* replaced(text, INVISIBLE, () => ""))
  yield
  if (text.includes("%") && ESCAPE.test(text)) views.push(yield* replaced(text, ESCAPE, unescaped))
  yield
  return views
}

// Soft hyphens, joiners, marks of direction, selectors of variants: nothing that is seen.
const INVISIBLE =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|\u034F|[\uFE00-\uFE0F]/
const ESCAPE = /%(?:2[0-9A-F]|[3-6][0-9A-F]|7[0-9A-E])/i

/** Only what ASCII shows is written back: a percent sign in prose stays one. */
function unescaped(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
}

const STEP = 2048

function* replaced(
  text: string,
  pattern: RegExp,
  replacement: (found: string) => string,
): Steps<View> {
  const every = new RegExp(pattern.source, `${pattern.flags}g`)
  const pieces: string[] = []
  /** Where each piece begins, in the view and in the original. */
  const shown: number[] = []
  const origins: number[] = []
  let length = 0
  const add = (piece: string, origin: number) => {
    if (piece === "") return
    pieces.push(piece)
    shown.push(length)
    origins.push(origin)
    length += piece.length
  }
  let from = 0
  for (let count = 1, match = every.exec(text); match; match = every.exec(text), count++) {
    add(text.slice(from, match.index), from)
    add(replacement(match[0]), match.index)
    from = every.lastIndex
    if (count % STEP === 0) yield
  }
  add(text.slice(from), from)
  return { text: pieces.join(""), origin }

  /** The end of the text stands behind its last piece, and what was left out goes with what follows. */
  function origin(at: number): number {
    const piece = lastAtOrBefore(shown, at)
    const start = shown[piece]
    return start === undefined || at >= length ? text.length : (origins[piece] ?? 0) + (at - start)
  }
}

function lastAtOrBefore(starts: readonly number[], at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** A stretch of base64 or of hexadecimal digits that holds a text. */
interface EncodedText extends SecretSpan {
  readonly text: string
  readonly encoding: "base64" | "hexadecimal"
}

/** What stands in a text as base64 or in hexadecimal digits and is text again. Pictures, checksums
 *  and keys are none, and so nothing is looked for in them. */
export function* encodedTexts(text: string): Steps<readonly EncodedText[]> {
  const found: EncodedText[] = []
  let at = 0
  let next = ENCODED_STEP
  while (at < text.length) {
    if (at >= next) {
      next = at + ENCODED_STEP
      yield
    }
    if (!isEncoding(text.charCodeAt(at))) {
      at += 1
      continue
    }
    const end = runEnd(text, at)
    if (end - at >= MIN_RUN) {
      for (const last of new Set([end, lineEnd(text, at, end)])) {
        const decoded = decodedRun(text, at, last)
        if (decoded) found.push(decoded)
      }
      yield
    }
    at = end
  }
  return found
}

const ENCODED_STEP = 4096
/** Eighteen characters: `password=hunter2x` and longer. */
const MIN_RUN = 24
/** A line of an encoder is at least as long; only then the next one goes on with it. */
const MIN_LINE = 60

const CODES = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w+/=-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

function isEncoding(code: number): boolean {
  return code < 128 && CODES[code] === 1
}

function runEnd(text: string, start: number): number {
  let line = start
  for (let at = start; ; at++) {
    if (isEncoding(text.charCodeAt(at))) continue
    const next = at + breakLength(text, at)
    if (next === at || at - line < MIN_LINE || !isEncoding(text.charCodeAt(next))) return at
    line = next
    at = next
  }
}

/** The next line may be another matter: the first one is read by itself, too. */
function lineEnd(text: string, start: number, end: number): number {
  const feed = text.slice(start, end).indexOf("\n")
  return feed < 0 ? end : start + feed
}

function breakLength(text: string, at: number): number {
  if (text[at] === "\n") return 1
  return text[at] === "\r" && text[at + 1] === "\n" ? 2 : 0
}

const SAMPLE = 32

function decodedRun(text: string, start: number, end: number): EncodedText | undefined {
  const sample = text.slice(start, start + SAMPLE)
  const encoding = /^[0-9a-f]+$/i.test(sample) ? "hexadecimal" : "base64"
  const decode = encoding === "base64" ? fromBase64 : fromHexadecimal
  if (!isText(decode(sample))) return undefined
  return { start, end, text: decode(text.slice(start, end)), encoding }
}

function fromBase64(run: string): string {
  return readable(Buffer.from(run, "base64"))
}

function fromHexadecimal(run: string): string {
  return readable(Buffer.from(run.replace(/\s/g, ""), "hex"))
}

// Windows encodes its commands in two bytes a letter.
function readable(bytes: Buffer): string {
  return bytes.toString("latin1").replaceAll("\0", "")
}

function isText(decoded: string): boolean {
  return decoded.length >= 8 && /^[\t\n\r\x20-\x7e]+$/.test(decoded)
}
