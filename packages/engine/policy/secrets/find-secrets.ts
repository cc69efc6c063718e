import { findBroken } from "./broken.ts"
import type { Span } from "./detector.ts"
import { DETECTORS } from "./detectors.ts"
import { encodedTexts } from "./encoded.ts"
import { finish, type Steps } from "./slices.ts"
import { viewsOf } from "./views.ts"
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

/** The secrets in a text, at once. The time it takes grows with the text, whoever wrote it. */
export function findSecrets(text: string): Search {
  return finish(searchSecrets(text))
}

/** The secrets in a text, in steps: as it stands, as it is read (without what nobody sees, with its
 *  escapes undone), and in what is encoded in it. */
export function* searchSecrets(text: string): Steps<Search> {
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

interface Found extends Span {
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
      if (at < (ends[id] as number) || this.#looks >= MAX_LOOKS) return
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

  result(): Search {
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
