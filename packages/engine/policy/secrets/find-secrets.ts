import { findBroken } from "./broken.ts"
import type { SecretSpan } from "./detector.ts"
import { DETECTORS } from "./detectors.ts"
import { encodedTexts, viewsOf } from "./views.ts"

/** Finds many words in one pass over a text. It looks at two characters at a time and skips ahead as
 *  far as the words allow, so that a text without them is passed over quickly (Wu and Manber). */
export class WordScanner {
  /** How far the next look may move when the look ends in these two characters; 0: look closer. */
  readonly #skips = new Uint8Array(PAIRS)
  readonly #words: (readonly ScannedWord[] | undefined)[] = Array.from({ length: PAIRS })
  readonly #window: number

  /** Words are found whatever their case when they are written in lower case and `folded`. */
  constructor(words: readonly ScannedWord[]) {
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
      const skip = skips[pair]!
      if (skip > 0) {
        at += skip
        continue
      }
      this.#closer(text, at - lead, pair, found)
      at += 1
    }
    return Math.max(from + 1, at - lead)
  }

  #add(word: ScannedWord) {
    for (let end = PAIR; end <= this.#window; end++) {
      const skip = this.#window - end
      for (const pair of pairsOf(word, end)) {
        this.#skips[pair] = Math.min(this.#skips[pair]!, skip)
        if (skip === 0) this.#words[pair] = [...(this.#words[pair] ?? []), word]
      }
    }
  }

  #closer(text: string, at: number, pair: number, found: (at: number, id: number) => void) {
    for (const word of this.#words[pair] ?? []) if (isAt(text, at, word)) found(at, word.id)
  }
}

interface ScannedWord {
  readonly text: string
  readonly folded: boolean
  readonly id: number
}

const PAIR = 2
// Other characters share a place with an ASCII one: that costs a closer look, never a word.
const ASCII = 0x7f
const PAIRS = 128 * 128

function pairsOf({ text, folded }: ScannedWord, end: number): number[] {
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

function isAt(text: string, at: number, { text: word, folded }: ScannedWord): boolean {
  if (!folded) return text.startsWith(word, at)
  for (let index = 0; index < word.length; index++) {
    const code = text.charCodeAt(at + index)
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code
    if (lower !== word.charCodeAt(index)) return false
  }
  return true
}

/** Work that stops now and then. Whoever runs it decides whether something else comes in between. */
export type Steps<Result> = Generator<void, Result>

/** Run it to its end at once: for a text that is known to be short, and for a thread of its own. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** So long the event loop is held at most; one step is much shorter (BEY-04). */
const SLICE_MS = 8

/** Run it to its end without holding the event loop: after each slice everybody else has a turn. */
export async function finishInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let end = performance.now() + SLICE_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < end) continue
    await turn()
    end = performance.now() + SLICE_MS
  }
}

const waiting: (() => void)[] = []

// One slice in each round of the loop, however many texts are looked through at once.
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGo)
  })
}

function letOneGo() {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letOneGo)
}

export interface Secret extends SecretSpan {
  readonly kind: string
}

interface FoundSecrets {
  /** In order and apart from one another. */
  readonly secrets: readonly Secret[]
  /** The text was not looked through to its end: it holds more than any honest one. */
  readonly gaveUp: boolean
}

const MAX_SECRETS = 10_000
/** How often a word that may belong to a secret is looked at closer. */
const MAX_LOOKS = 250_000

/** The secrets in a text, at once. The time it takes grows with the text, whoever wrote it. */
export function findSecrets(text: string): FoundSecrets {
  return runSteps(searchSecrets(text))
}

/** The secrets in a text, in steps: as it stands, as it is read (without what nobody sees, with its
 *  escapes undone), and in what is encoded in it. */
export function* searchSecrets(text: string): Steps<FoundSecrets> {
  const search = new SecretSearch()
  yield* search.look(text, (span) => span)
  for (const view of yield* viewsOf(text))
    yield* search.look(view.text, ({ start, end, ...about }) => ({
      ...about,
      start: view.origin(start),
      end: view.origin(end - 1) + 1,
    }))
  for (const { start, end, text: decoded, encoding } of yield* encodedTexts(text))
    yield* search.look(decoded, ({ detector }) => ({ detector, start, end, encoding }))
  return search.result()
}

interface Found extends SecretSpan {
  readonly detector: number
  readonly encoding?: string
}

class SecretSearch {
  #looks = 0
  readonly #found: Found[] = [];

  /** `place` says where in the original a finding stands. */
  *look(text: string, place: (found: Found) => Found): Steps<void> {
    const ends = new Int32Array(DETECTORS.length)
    const found = (at: number, id: number) => {
      // What begins inside a secret of the same kind is part of it.
      if (at < ends[id]! || this.#looks >= MAX_LOOKS) return
      this.#looks += 1
      const detector = DETECTORS[id]
      const span = detector && findBroken(detector, text, at)
      if (span === undefined) return
      ends[id] = span.end
      if (this.#found.push(place({ ...span, detector: id })) >= MAX_SECRETS) this.#looks = MAX_LOOKS
    }
    for (let from = 0; from < text.length && this.#looks < MAX_LOOKS; ) {
      from = SCANNER.scanSome(text, { from, characters: STEP }, found)
      yield
    }
  }

  result(): FoundSecrets {
    return { secrets: joined(this.#found), gaveUp: this.#looks >= MAX_LOOKS }
  }
}

const STEP = 4096

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
  return secrets.map(({ start, end, detector, encoding }) => {
    const kind = DETECTORS[detector]?.kind ?? "secret"
    return { start, end, kind: encoding === undefined ? kind : `${kind} in ${encoding}` }
  })
}

function union(left: Found, right: Found): Found {
  const named = left.detector <= right.detector ? left : right
  const end = Math.max(left.end, right.end)
  return { ...named, start: left.start, end }
}
