/** Keeps the best few of many: a heap whose root is the worst that is kept. Of equals, the one with
 *  the smaller id is better, so that what is kept does not depend on the order it came in. */
export class Top {
  readonly #limit: number
  readonly #ids: number[] = []
  readonly #scores: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A score that is less than this is not kept. */
  get floor(): number {
    return this.#ids.length < this.#limit ? Number.NEGATIVE_INFINITY : this.#scores[0]!
  }

  add(id: number, score: number) {
    if (this.#ids.length < this.#limit) this.#rise(id, score)
    else if (this.#limit > 0 && this.#isWorse(0, id, score)) this.#sink(id, score)
  }

  /** The best first. */
  list(): { readonly id: number; readonly score: number }[] {
    return this.#ids
      .map((id, at) => ({ id, score: this.#scores[at]! }))
      .sort((left, right) => right.score - left.score || left.id - right.id)
  }

  #isWorse(at: number, id: number, score: number): boolean {
    const known = this.#scores[at]!
    return known < score || (known === score && this.#ids[at]! > id)
  }

  #rise(id: number, score: number) {
    let at = this.#ids.length
    this.#put(at, id, score)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#isWorse(parent, id, score)) break
      this.#put(at, this.#ids[parent]!, this.#scores[parent]!)
      at = parent
    }
    this.#put(at, id, score)
  }

  #sink(id: number, score: number) {
    let at = 0
    for (;;) {
      const child = this.#worseChild(at)
      if (child === undefined || !this.#isWorse(child, id, score)) break
      this.#put(at, this.#ids[child]!, this.#scores[child]!)
      at = child
    }
    this.#put(at, id, score)
  }

  #worseChild(at: number): number | undefined {
    const left = 2 * at + 1
    const right = left + 1
    if (left >= this.#ids.length) return undefined
    if (right >= this.#ids.length) return left
    return this.#isWorse(right, this.#ids[left]!, this.#scores[left]!) ? right : left
  }

  #put(at: number, id: number, score: number) {
    this.#ids[at] = id
    this.#scores[at] = score
  }
}
