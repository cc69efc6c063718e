import type { Span } from "./detector.ts"
import { DETECTORS } from "./detectors.ts"
import { WordScanner } from "./word-scanner.ts"

export interface Secret extends Span {
  readonly kind: string
}

export interface Search {
  /** In order and apart from one another. */
  readonly secrets: readonly Secret[]
  /** The text was not looked through to its end: it holds more than any honest one. */
  readonly gaveUp: boolean
}

const MAX_SECRETS = 10_000
/** How often a word that may belong to a secret is looked at closer. */
const MAX_LOOKS = 250_000

/** The secrets in a text. The time it takes grows with the text, whoever wrote it. */
export function findSecrets(text: string): Search {
  const found: Found[] = []
  const ends = new Int32Array(DETECTORS.length)
  let looks = 0
  SCANNER.scan(text, (at, id) => {
    // What begins inside a secret of the same kind is part of it.
    if (at < (ends[id] as number) || looks >= MAX_LOOKS) return
    looks += 1
    const span = DETECTORS[id]?.find(text, at)
    if (span === undefined) return
    ends[id] = span.end
    if (found.push({ ...span, detector: id }) >= MAX_SECRETS) looks = MAX_LOOKS
  })
  return { secrets: joined(found), gaveUp: looks >= MAX_LOOKS }
}

interface Found extends Span {
  readonly detector: number
}

const SCANNER = new WordScanner(
  DETECTORS.flatMap(({ words, folded = false }, id) => words.map((text) => ({ text, folded, id }))),
)

function joined(spans: readonly Found[]): Secret[] {
  const secrets: Found[] = []
  for (const span of spans.toSorted((left, right) => left.start - right.start)) {
    const last = secrets.at(-1)
    if (last === undefined || span.start >= last.end) secrets.push(span)
    else secrets.splice(-1, 1, union(last, span))
  }
  return secrets.map(({ start, end, detector }) => ({
    start,
    end,
    kind: DETECTORS[detector]?.kind ?? "secret",
  }))
}

function union(left: Found, right: Found): Found {
  return {
    start: left.start,
    end: Math.max(left.end, right.end),
    detector: Math.min(left.detector, right.detector),
  }
}
