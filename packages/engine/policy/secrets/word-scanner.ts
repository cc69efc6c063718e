/** Finds many words in one pass over a text. It looks at two characters at a time and skips ahead as
 *  far as the words allow, so that a text without them is passed over quickly (Wu and Manber). */
export class WordScanner {
  /** How far the next look may move when the look ends in these two characters; 0: look closer. */
  readonly #skips = new Uint8Array(PAIRS)
  readonly #words: (readonly Word[] | undefined)[] = Array.from({ length: PAIRS })
  readonly #window: number

  /** Words are found whatever their case when they are written in lower case and `folded`. */
  constructor(words: readonly Word[]) {
    this.#window = Math.min(...words.map(({ text }) => text.length))
    if (this.#window < PAIR)
      throw new Error(`a word has ${this.#window} characters, less than ${PAIR}`)
    this.#skips.fill(this.#window - PAIR + 1)
    for (const word of words) this.#add(word)
  }

  /** Calls `found` for every word, in the order of the text. */
  scan(text: string, found: (at: number, id: number) => void) {
    let from = 0
    while (from < text.length) from = this.scanSome(text, { from, characters: text.length }, found)
  }

  /** The same for about so many characters of the text; says where the next ones begin. */
  scanSome(
    text: string,
    { from, characters }: { readonly from: number; readonly characters: number },
    found: (at: number, id: number) => void,
  ): number {
    const skips = this.#skips
    const lead = this.#window - 1
    const end = Math.min(text.length, from + lead + characters)
    let at = from + lead
    while (at < end) {
      const pair = ((text.charCodeAt(at - 1) & ASCII) << 7) | (text.charCodeAt(at) & ASCII)
      const skip = skips[pair] as number
      if (skip > 0) {
        at += skip
        continue
      }
      this.#closer(text, at - lead, pair, found)
      at += 1
    }
    return Math.max(from + 1, at - lead)
  }

  #add(word: Word) {
    for (let end = PAIR; end <= this.#window; end++) {
      const skip = this.#window - end
      for (const pair of pairsOf(word, end)) {
        this.#skips[pair] = Math.min(this.#skips[pair] as number, skip)
        if (skip === 0) this.#words[pair] = [...(this.#words[pair] ?? []), word]
      }
    }
  }

  #closer(text: string, at: number, pair: number, found: (at: number, id: number) => void) {
    for (const word of this.#words[pair] ?? []) if (isAt(text, at, word)) found(at, word.id)
  }
}

export interface Word {
  readonly text: string
  readonly folded: boolean
  readonly id: number
}

const PAIR = 2
// Other characters share a place with an ASCII one: that costs a closer look, never a word.
const ASCII = 0x7f
const PAIRS = 128 * 128

function pairsOf({ text, folded }: Word, end: number): number[] {
  const pair = text.slice(end - PAIR, end)
  const first = folded ? casesOf(pair[0] ?? "") : [pair[0] ?? ""]
  const second = folded ? casesOf(pair[1] ?? "") : [pair[1] ?? ""]
  return first.flatMap((one) =>
    second.map((two) => ((one.charCodeAt(0) & ASCII) << 7) | (two.charCodeAt(0) & ASCII)),
  )
}

function casesOf(character: string): string[] {
  return [...new Set([character.toLowerCase(), character.toUpperCase()])]
}

function isAt(text: string, at: number, { text: word, folded }: Word): boolean {
  if (!folded) return text.startsWith(word, at)
  for (let index = 0; index < word.length; index++) {
    const code = text.charCodeAt(at + index)
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code
    if (lower !== word.charCodeAt(index)) return false
  }
  return true
}
