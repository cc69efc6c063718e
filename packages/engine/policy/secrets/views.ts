import type { Steps } from "./slices.ts"

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
