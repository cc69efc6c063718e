const SLOTS = 4096

/** Looks up words where they stand in a text, without cutting them out: most words of a text are no
 *  word of the table. */
export class WordTable<Value> {
  readonly #words: string[] = []
  readonly #hashes: number[] = []
  readonly #values: Value[] = []
  /** The last word of each slot, counted from 1, and the one before it in the same slot. */
  readonly #last = new Int32Array(SLOTS)
  readonly #previous: number[] = []
  /** Which two units a word begins with; for a word of one unit, that one twice. */
  readonly #starts = new Uint8Array(SLOTS)
  #hasShort = false

  constructor(entries: Iterable<readonly [word: string, value: Value]>) {
    for (const [word, value] of entries) this.#add(word, value)
  }

  /** Whether a word of the table may stand here; quick, and wrong only when it says yes. */
  mayStart(text: string, start: number): boolean {
    return this.#starts[startOf(text, start)] === 1 || this.#hasShort
  }

  /** What the word from `start` to `end` stands for; `hash` is its hash. */
  find(text: string, start: number, end: number, hash = hashOf(text, start, end)) {
    let at = this.#last[slotOf(hash)] ?? 0
    for (; at > 0; at = this.#previous[at - 1] ?? 0) {
      if (this.#hashes[at - 1] !== hash) continue
      const word = this.#words[at - 1] ?? ""
      if (word.length === end - start && standsAt(text, start, word)) return this.#values[at - 1]
    }
    return undefined
  }

  #add(word: string, value: Value) {
    const hash = hashOf(word, 0, word.length)
    const slot = slotOf(hash)
    this.#words.push(word)
    this.#hashes.push(hash)
    this.#values.push(value)
    this.#previous.push(this.#last[slot] ?? 0)
    this.#last[slot] = this.#words.length
    this.#starts[startOf(word.padEnd(2, word), 0)] = 1
    this.#hasShort ||= word.length < 2
  }
}

export function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = hashed(hash, text.charCodeAt(at))
  return hash
}

/** The hash of a word that goes on with one more unit. */
export function hashed(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 12)) & (SLOTS - 1)
}

function startOf(text: string, start: number): number {
  return (text.charCodeAt(start) * 61 + text.charCodeAt(start + 1)) & (SLOTS - 1)
}

// For short words this is quicker than `startsWith`.
function standsAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at++)
    if (text.charCodeAt(start + at) !== word.charCodeAt(at)) return false
  return true
}
