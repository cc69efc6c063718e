/** A word of the argument text: its value, and where it was written. */
export interface ArgumentWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Split at white space; quotes are letters like any other (decision 16). */
export function plainWords(text: string): ArgumentWord[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }))
}

/** Split at white space, but not inside quotes. A quote opens at the start of a word or of a
 *  `key=value`, and closes before white space or the end: `don't` is one word, and a quote that
 *  nothing closes is a letter. */
export function quotedWords(text: string): ArgumentWord[] {
  const words: ArgumentWord[] = []
  const closing = new ClosingQuotes(text)
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const word = quotedWord(text, at, closing) ?? bareWord(text, at)
    words.push(word)
    at = skipSpace(text, word.end)
  }
  return words
}

const KEY = /(?:--)?[\p{L}_][\p{L}\p{N}_.-]*=/uy

function quotedWord(text: string, start: number, closing: ClosingQuotes): ArgumentWord | undefined {
  KEY.lastIndex = start
  const key = KEY.exec(text)?.[0] ?? ""
  const open = start + key.length
  const quote = text.charAt(open)
  if (quote !== '"' && quote !== "'") return undefined
  const close = closing.after(open, quote)
  if (close === undefined) return undefined
  return { text: key + text.slice(open + 1, close), start, end: close + 1 }
}

const BARE = /\S+/y
const SPACE = /\s*/y

function bareWord(text: string, start: number): ArgumentWord {
  BARE.lastIndex = start
  const word = BARE.exec(text)?.[0] ?? text.slice(start)
  return { text: word, start, end: start + word.length }
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from
  return from + (SPACE.exec(text)?.[0].length ?? 0)
}

/** Where quotes close. Asked for positions that only grow, each kind of quote is looked for once
 *  over the whole text, so a text full of quotes costs no more than any other. */
class ClosingQuotes {
  readonly #text: string
  readonly #next = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  after(open: number, quote: string): number | undefined {
    let at = this.#next.get(quote) ?? 0
    if (at <= open) at = this.#find(quote, open + 1)
    this.#next.set(quote, at)
    return at === Number.POSITIVE_INFINITY ? undefined : at
  }

  #find(quote: string, from: number): number {
    for (let at = this.#text.indexOf(quote, from); at >= 0; at = this.#text.indexOf(quote, at + 1))
      if (at + 1 === this.#text.length || /\s/.test(this.#text.charAt(at + 1))) return at
    return Number.POSITIVE_INFINITY
  }
}
