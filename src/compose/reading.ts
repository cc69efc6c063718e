import { BOUNDARY, CLOSER, STOP, TRAITS, WORD, withoutPunctuation } from "./characters.ts"
import type { KnownNode } from "./node.ts"
import type { Words } from "./vocabulary.ts"
import { hashed } from "./word-table.ts"

/** What the readers of tokens share: the text, the words they know, and where nodes go. */
export interface Reading {
  readonly text: string
  readonly words: Words
  nodes: KnownNode[]
  /** Spans are told from here. */
  base: number
  /** The first unit that nobody has looked at: what lies behind it cannot have mattered. */
  examined: number
  /** Every trait that a unit of the word read last has, and those of its last unit. */
  seen: number
  last: number
  /** The traits of what follows it. */
  next: number
  hash: number
}

/** Where the word ends that starts at `start`. */
export function readWord(reading: Reading, start: number, limit: number): number {
  const { text } = reading
  let seen = 0
  let last = 0
  let next = 0
  let hash = 0
  let end = start
  for (; end < limit; end++) {
    const unit = text.charCodeAt(end)
    next = TRAITS[unit] ?? 0
    if (!(next & WORD)) break
    last = next
    seen |= next
    hash = hashed(hash, unit)
  }
  reading.seen = seen
  reading.last = last
  reading.hash = hash
  reading.next = end === text.length ? BOUNDARY : next
  examine(reading, end)
  return end
}

/** Where it ends without the punctuation of its sentence. */
export function strippedEnd(reading: Reading, start: number, end: number): number {
  return reading.last & (STOP | CLOSER) ? withoutPunctuation(reading.text, start, end) : end
}

/** The unit at `at` was looked at, or the end of the text found there. */
export function examine(reading: Reading, at: number) {
  if (at >= reading.examined) reading.examined = at + 1
}
