import type { Span } from "./detector.ts"
import type { Steps } from "./slices.ts"

/** A stretch of base64 or of hexadecimal digits that holds a text. */
export interface EncodedText extends Span {
  readonly text: string
  readonly encoding: "base64" | "hexadecimal"
}

/** What stands in a text as base64 or in hexadecimal digits and is text again. Pictures, checksums
 *  and keys are none, and so nothing is looked for in them. */
export function* encodedTexts(text: string): Steps<readonly EncodedText[]> {
  const found: EncodedText[] = []
  let at = 0
  let next = STEP
  while (at < text.length) {
    if (at >= next) {
      next = at + STEP
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

const STEP = 4096
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
