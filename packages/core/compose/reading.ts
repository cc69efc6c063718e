import { BOUNDARY, CLOSER, STOP, TRAITS, WORD_CHARACTER, withoutPunctuation } from "./characters.ts"
import type { KnownNode } from "./node.ts"
import type { Units } from "./units.ts"
import type { ParserVocabulary } from "./vocabulary.ts"

/** What the readers of tokens share: the text, the words they know, and where nodes go. */
export interface SourceReading {
  readonly text: string
  readonly units: Units
  readonly words: ParserVocabulary
  nodes: KnownNode[]
  /** Spans are told from here. */
  base: number
  /** The first unit that nobody has looked at: what lies behind it cannot have mattered. */
  examined: number
  /** Every trait that a unit of the word read last has, those of its last unit, and those of what
   *  follows it. */
  seen: number
  last: number
  next: number
}

/** Where the word ends that starts at `start`. */
export function readWord(reading: SourceReading, start: number, limit: number): number {
  const { units } = reading
  let seen = 0
  let last = 0
  let next = 0
  let end = start
  for (; end < limit; end++) {
    next = TRAITS[units[end] ?? 0] ?? 0
    if (!(next & WORD_CHARACTER)) break
    last = next
    seen |= next
  }
  reading.seen = seen
  reading.last = last
  reading.next = end === reading.text.length ? BOUNDARY : next
  examine(reading, end)
  return end
}

/** Where it ends without the punctuation of its sentence. */
export function strippedEnd(reading: SourceReading, start: number, end: number): number {
  return reading.last & (STOP | CLOSER) ? withoutPunctuation(reading.text, start, end) : end
}

/** The unit at `at` was looked at, or the end of the text found there. */
export function examine(reading: SourceReading, at: number) {
  if (at >= reading.examined) reading.examined = at + 1
}
