import { BITS, LETTER, MAX_QUERY_CHARACTERS, WORD_START } from "./letters.ts"

/** Some letters: `bytes` from `from` up to `to`. */
export interface ByteSpan {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

export const MAX_TEXT_CHARACTERS = 1024
export const NO_MATCH = -0x40000000

// What a letter is worth where it is found.
const AT_WORD_START = 8
const AFTER_LETTER = 7
const IN_NAME = 3
const AT_NAME_START = 4
// A gap before it costs 2 for one character, 3 for two, and never more than this.
const MAX_GAP = 6

/** A point of a match is worth this many characters of the text's length. */
const POINT = 32

export function totalOf(points: number, length: number): number {
  return points * POINT - length
}

/** What a letter of a folder's path is worth after a gap. */
export function worthInFolder(byte: number): number {
  return byte & WORD_START ? AT_WORD_START : 0
}

/** The same for a letter of the name. */
export function worthInName(byte: number, isFirst: boolean): number {
  return worthInFolder(byte) + (isFirst ? IN_NAME + AT_NAME_START : IN_NAME)
}

/** And right after the letter before it. */
export function runningWorth(worth: number): number {
  return worth >= AT_WORD_START ? worth : worth + AFTER_LETTER
}

export function gapCost(gap: number): number {
  return Math.min(gap + 1, MAX_GAP)
}

/** Finds the best way to see a query's letters in a path, in this order. It reads the path once, and
 *  for every letter that the query has there it asks which way to get so far was best: from the
 *  character right before, over a short gap, or over a long one. */
export class Matcher {
  readonly #count: number
  readonly #bits: Int32Array
  /** For a letter, its last place in the query; for a place, the one before it with that letter. */
  readonly #lastOf = new Int16Array(LETTER + 1).fill(-1)
  readonly #previous: Int16Array
  /** How many letters were found, and in how many characters. */
  #reached = 0
  #read = 0
  // For each letter that was found: where it was last and with how many points, the most points it
  // had, and the most if each is worth more the later it was.
  readonly #at: Int32Array
  readonly #points: Int32Array
  readonly #most: Int32Array
  readonly #latest: Int32Array

  constructor(letters: Uint8Array) {
    const count = letters.length
    if (count > MAX_QUERY_CHARACTERS) throw new Error(`a query has ${count} letters`)
    this.#count = count
    this.#bits = Int32Array.from(letters, (letter) => BITS[letter]!)
    this.#previous = new Int16Array(count)
    letters.forEach((letter, index) => {
      this.#previous[index] = this.#lastOf[letter]!
      this.#lastOf[letter] = index
    })
    this.#at = new Int32Array(count)
    this.#points = new Int32Array(count)
    this.#most = new Int32Array(count)
    this.#latest = new Int32Array(count)
  }

  /** The points of the best match, or NO_MATCH. */
  points(folder: ByteSpan, name: ByteSpan): number {
    this.enter(folder)
    this.#readOn(name, IN_NAME)
    return this.#reached < this.#count ? NO_MATCH : this.#most[this.#count - 1]!
  }

  /** Files that `mostPoints` is asked about lie in this folder. */
  enter(folder: ByteSpan) {
    this.#reached = 0
    this.#read = 0
    this.#readOn(folder, 0)
  }

  /** No match with such a name in the folder has more points; NO_MATCH if there is none. Of the name
   *  is known which letters it has, which of them begin a word, and which one begins it. For every
   *  letter that could be the first in the name: what the folder has of those before it, and what the
   *  others are worth at most. */
  mostPoints(letters: number, starts: number, initial: number): number {
    let most = this.#reached === this.#count ? this.#most[this.#count - 1]! : NO_MATCH
    let others = 0
    for (let index = this.#count - 1; index >= 0; index--) {
      const bit = this.#bits[index]!
      if ((letters & bit) === 0) break
      const start = (starts & bit) === 0 ? 0 : AT_WORD_START
      if (index <= this.#reached) {
        const first = start + IN_NAME + ((initial & bit) === 0 ? 0 : AT_NAME_START)
        const points = this.#upTo(index, first) + others
        if (points > most) most = points
      }
      others += runningWorth(start) + IN_NAME
    }
    return most
  }

  /** What the folder has before this letter, and the letter, which comes first in the name. */
  #upTo(index: number, worth: number): number {
    if (index === 0) return worth
    const before = index - 1
    const isBeside = this.#at[before] === this.#read - 1
    if (isBeside) return this.#most[before]! + runningWorth(worth)
    return this.#most[before]! + worth - gapCost(1)
  }

  #readOn({ bytes, from, to }: ByteSpan, bonus: number) {
    const lastOf = this.#lastOf
    const previous = this.#previous
    const offset = this.#read - from
    for (let place = from; place < to; place++) {
      const byte = bytes[place]!
      // Later places in the query first: each asks what was found before this character.
      let index = lastOf[byte & LETTER]!
      if (index < 0) continue
      const first = bonus > 0 && place === from ? AT_NAME_START : 0
      const worth = (byte & WORD_START ? AT_WORD_START : 0) + bonus + first
      while (index >= 0) {
        if (index <= this.#reached) this.#note(index, offset + place, worth)
        index = previous[index]!
      }
    }
    this.#read = offset + to
  }

  #note(index: number, at: number, worth: number) {
    const points = index === 0 ? worth : this.#bestWay(index - 1, at, worth)
    this.#at[index] = at
    this.#points[index] = points
    const isNew = index === this.#reached
    if (isNew) this.#reached = index + 1
    if (isNew || points > this.#most[index]!) this.#most[index] = points
    if (isNew || points + at > this.#latest[index]!) this.#latest[index] = points + at
  }

  #bestWay(before: number, at: number, worth: number): number {
    const latest = this.#latest[before]! - at
    const most = this.#most[before]! - MAX_GAP
    const overGap = worth + (latest > most ? latest : most)
    if (this.#at[before] !== at - 1) return overGap
    const running = this.#points[before]! + runningWorth(worth)
    return running > overGap ? running : overGap
  }
}
