const SLOTS = 4096

/** Looks up words where they stand in a text, without cutting them out: most words of a text are no
 *  word of the table. */
export class WordTable<Value> {
  /** The units of all words, one word behind the other, and where each ends. */
  readonly #units: Uint16Array
  readonly #ends: number[] = [0]
  readonly #values: Value[] = []
  /** The last word of each slot, counted from 1, and the one before it in the same slot. */
  readonly #last = new Int32Array(SLOTS)
  readonly #previous: number[] = []
  /** Which two units a word begins with; for a word of one unit, that one twice. */
  readonly #starts = new Uint8Array(SLOTS)
  #hasShort = false

  constructor(entries: readonly (readonly [word: string, value: Value])[]) {
    this.#units = new Uint16Array(entries.reduce((sum, [word]) => sum + word.length, 0))
    for (const [word, value] of entries) this.#add(word, value)
  }

  /** Whether a word of the table may stand here; quick, and wrong only when it says yes. */
  mayStart(text: string, start: number): boolean {
    return this.#starts[startOf(text, start)] === 1 || this.#hasShort
  }

  /** What the word from `start` to `end` stands for. */
  find(text: string, start: number, end: number): Value | undefined {
    let at = this.#last[slotOf(text, start, end)] ?? 0
    for (; at > 0; at = this.#previous[at - 1] ?? 0)
      if (this.#standsAt(at, text, start, end)) return this.#values[at - 1]
    return undefined
  }

  #standsAt(word: number, text: string, start: number, end: number): boolean {
    const first = this.#ends[word - 1] ?? 0
    if ((this.#ends[word] ?? 0) - first !== end - start) return false
    const units = this.#units
    for (let at = start; at < end; at++)
      if (text.charCodeAt(at) !== units[first + at - start]) return false
    return true
  }

  #add(word: string, value: Value) {
    const slot = slotOf(word, 0, word.length)
    const first = this.#ends.at(-1) ?? 0
    for (let at = 0; at < word.length; at++) this.#units[first + at] = word.charCodeAt(at)
    this.#ends.push(first + word.length)
    this.#values.push(value)
    this.#previous.push(this.#last[slot] ?? 0)
    this.#last[slot] = this.#values.length
    this.#starts[startOf(word.padEnd(2, word), 0)] = 1
    this.#hasShort ||= word.length < 2
  }
}

function startOf(text: string, start: number): number {
  return (text.charCodeAt(start) * 61 + text.charCodeAt(start + 1)) & (SLOTS - 1)
}

// Four units tell nearly all names apart that people give.
function slotOf(text: string, start: number, end: number): number {
  const outer = text.charCodeAt(start) * 31 + text.charCodeAt(end - 1) * 127
  const inner =
    text.charCodeAt((start + end) >> 1) * 1021 + text.charCodeAt(Math.max(start, end - 2)) * 8191
  return (outer + inner + (end - start)) & (SLOTS - 1)
}
