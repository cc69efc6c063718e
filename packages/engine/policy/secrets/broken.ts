import { type Detector, isStart, type SecretSpan } from "./detector.ts"
import { isRandom } from "./forms.ts"

/** A secret that goes on in the next line, as a terminal, a letter or an editor breaks it. Only what
 *  is random on both sides of the break is taken for one. */
export function findBroken(detector: Detector, text: string, at: number): SecretSpan | undefined {
  const found = detector.find(text, at)
  if (!detector.breakable || detector.folded) return found
  return found ? withTail(detector, text, found) : acrossBreaks(detector, text, at)
}

// Forms without an end are found in their first line already; what follows alone in the next one,
// and is as random, is the rest.
function withTail(detector: Detector, text: string, found: SecretSpan): SecretSpan {
  TAIL.lastIndex = found.end
  const tail = TAIL.exec(text)?.[1]
  // Another of the kind in the next line is another.
  if (tail === undefined || prefixOf(detector, tail) > 0 || !isRandom(tail)) return found
  return { ...found, end: TAIL.lastIndex }
}

const TAIL = /[ \t]*\r?\n[ \t]*([\w+/.~-]{8,256}={0,2})(?=[ \t]*(?:\r?\n|$))/y

const MAX_CHARACTERS = 512

// The fewest breaks first: what follows the secret in a line of its own is no part of it.
function acrossBreaks(detector: Detector, text: string, at: number): SecretSpan | undefined {
  if (!isBrokenAt(text, at) || !isStart(text, at)) return undefined
  const pieces = text.slice(at, at + MAX_CHARACTERS).split(BREAKS)
  for (let count = 1; count <= MAX_BREAKS && 2 * count < pieces.length; count++) {
    const joined = pieces.filter((_, index) => index % 2 === 0 || index >= 2 * count).join("")
    const found = detector.find(joined, 0)
    if (found === undefined || found.end <= (pieces[0] ?? "").length) continue
    if (!isRandom(joined.slice(prefixOf(detector, joined), found.end))) continue
    return { start: at + originOf(pieces, found.start), end: at + originOf(pieces, found.end) }
  }
  return undefined
}

const MAX_BREAKS = 3

/** Whether a line ends inside a token, and the next one begins inside one. */
function isBrokenAt(text: string, at: number): boolean {
  RUN.lastIndex = at
  if (!RUN.test(text)) return false
  BREAK.lastIndex = RUN.lastIndex
  return BREAK.test(text)
}

const RUN = /[\w+/=.~-]{4,256}/y
const BREAK = /[ \t]{0,64}\r?\n[ \t]{0,64}[\w+/=.~-]/y
const BREAKS = /([ \t]*\r?\n[ \t]*)/

function prefixOf({ words }: Detector, text: string): number {
  return words.find((word) => text.startsWith(word))?.length ?? 0
}

/** Where a character of the joined lines stands in the text that was split. */
function originOf(pieces: readonly string[], end: number): number {
  let joined = 0
  let origin = 0
  for (const [index, piece] of pieces.entries()) {
    const isBreak = index % 2 === 1
    if (!isBreak && end <= joined + piece.length) return origin + end - joined
    if (!isBreak) joined += piece.length
    origin += piece.length
  }
  return origin
}
