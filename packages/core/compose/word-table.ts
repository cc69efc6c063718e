import type { Units } from "./units.ts"

const SLOTS = 4096

/** Looks up words where they stand in a text, without cutting them out: most words of a text are no
 *  word of the table. */
export class WordTable<Value> {
  /** The units of all words, one word behind the other, and where each ends. */
  readonly #units: Units
  readonly #ends: number[] = [0]
  readonly #values: Value[] = []
  /** The last word of each slot, counted from 1, and the one before it in the same slot. */
  readonly #last = new Int32Array(SLOTS)
  readonly #previous: number[] = []
  /** Which two units a word begins with. */
  readonly #starts = new Uint8Array(SLOTS)
  #hasShort = false

  constructor(entries: readonly (readonly [word: string, value: Value])[]) {
    this.#units = new Uint16Array(entries.reduce((sum, [word]) => sum + word.length, 0))
    for (const [word, value] of entries) this.#add(word, value)
  }

  /** Whether a word of the table may stand here; quick, and wrong only when it says yes. */
  mayStart(units: Units, start: number): boolean {
    return this.#starts[startOf(units, start)] === 1 || this.#hasShort
  }

  /** What the word from `start` to `end` stands for. */
  find(units: Units, start: number, end: number): Value | undefined {
    if (start === end) return undefined
    let at = this.#last[slotOf(units, start, end)] ?? 0
    for (; at > 0; at = this.#previous[at - 1] ?? 0) {
      const first = this.#ends[at - 1] ?? 0
      const isAsLong = (this.#ends[at] ?? 0) - first === end - start
      if (isAsLong && isSame(this.#units, first, units, start, end)) return this.#values[at - 1]
    }
    return undefined
  }

  #add(word: string, value: Value) {
    const first = this.#ends.at(-1) ?? 0
    const end = first + word.length
    for (let at = 0; at < word.length; at++) this.#units[first + at] = word.charCodeAt(at)
    const slot = slotOf(this.#units, first, end)
    this.#ends.push(end)
    this.#values.push(value)
    this.#previous.push(this.#last[slot] ?? 0)
    this.#last[slot] = this.#values.length
    this.#starts[startOf(this.#units, first)] = 1
    this.#hasShort ||= word.length < 2
  }
}

function startOf(units: Units, start: number): number {
  return ((units[start] ?? 0) * 61 + (units[start + 1] ?? 0)) & (SLOTS - 1)
}

// Four units tell nearly all names apart that people give.
function slotOf(units: Units, start: number, end: number): number {
  const outer = (units[start] ?? 0) * 31 + (units[end - 1] ?? 0) * 127
  const middle = (units[(start + end) >> 1] ?? 0) * 1021
  const beforeLast = (units[Math.max(start, end - 2)] ?? 0) * 8191
  return (outer + middle + beforeLast + (end - start)) & (SLOTS - 1)
}

function isSame(left: Units, first: number, units: Units, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (units[at] !== left[first + at - start]) return false
  return true
}
