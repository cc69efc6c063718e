import type { WireFragment } from "./body.ts"
import type { Wire } from "./define-wire.ts"

/** So many closed messages, or folds of them, become one. */
const FOLD = 16
/** The newest stay by themselves: breakpoints are stamped among them. */
const OPEN = 16
const LEVELS = 6
/** What a fold of folds adds to them. */
const COMMAS = FOLD - 1

/** The closed wire messages of one session, oldest first, in few fragments: what a request costs does
 *  not grow with the history behind it. */
export class WireHistory {
  readonly #fold: Wire["fold"] | undefined
  /** The newest messages, folds of those before them, folds of folds, and so on. */
  readonly #levels: WireFragment[][] = Array.from({ length: LEVELS }, () => [])
  /** Bytes of the folds. */
  #folded = 0

  constructor({ fold }: { readonly fold?: Wire["fold"] | undefined }) {
    this.#fold = fold
  }

  /** Bytes that are held in memory. */
  get bytes(): number {
    return this.#folded + (this.#levels[0] ?? []).reduce((sum, one) => sum + residentBytes(one), 0)
  }

  add(message: WireFragment) {
    this.#push(message, 0)
  }

  messages(): readonly WireFragment[] {
    return this.#levels.toReversed().flat()
  }

  #push(message: WireFragment, level: number) {
    const here = this.#levels[level]
    if (!here) throw new Error(`a history has no level ${level}`)
    here.push(message)
    const full = level === 0 ? FOLD + OPEN : FOLD
    if (!this.#fold || level + 1 >= LEVELS || here.length < full) return
    const fold = this.#fold(here.splice(0, FOLD))
    this.#folded += level === 0 ? residentBytes(fold) : COMMAS
    this.#push(fold, level + 1)
  }
}

/** Bytes that a fragment holds in memory: all but its media. */
export function residentBytes({ pieces }: WireFragment): number {
  let bytes = 0
  for (const piece of pieces) if (piece instanceof Uint8Array) bytes += piece.length
  return bytes
}
