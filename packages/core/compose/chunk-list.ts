import type { KnownNode } from "./node.ts"
import type { State } from "./scan.ts"

/** A stretch of a source. No token crosses its ends, and its spans count from its start, so that
 *  nothing in it changes when the text before it does. */
export interface SourceChunk {
  readonly text: string
  readonly nodes: readonly KnownNode[]
  /** What the text before it says about it. */
  readonly state: State
  /** How far its nodes depend on the text, counted from its start; it may be further than it goes. */
  readonly reach: number
}

/** Chunks and where each starts. Starts behind the last change are told by an offset that is applied
 *  when they are asked for: typing in one place moves them all at no cost. */
export class ChunkList {
  readonly #chunks: SourceChunk[] = []
  readonly #starts: number[] = []
  /** From this chunk on, starts are `#shift` further than noted. */
  #pivot = 0
  #shift = 0
  #length = 0

  /** How many units all of them have. */
  get length(): number {
    return this.#length
  }

  get count(): number {
    return this.#chunks.length
  }

  at(index: number): SourceChunk {
    const chunk = this.#chunks[index]
    if (!chunk) throw new Error(`There is no chunk ${index} among ${this.#chunks.length}.`)
    return chunk
  }

  /** Where the chunk starts; for the one behind the last, where all of them end. */
  start(index: number): number {
    const noted = this.#starts[index]
    if (noted === undefined) return this.#length
    return index < this.#pivot ? noted : noted + this.#shift
  }

  /** The chunk that has the unit at `position`, or the last one. */
  find(position: number): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.start(middle) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Put chunks in the place of those from `first` to before `end`. */
  replace(first: number, end: number, chunks: readonly SourceChunk[]) {
    const from = this.start(first)
    const removed = this.start(end) - from
    this.#movePivot(end)
    const starts: number[] = []
    let at = from
    for (const { text } of chunks) {
      starts.push(at)
      at += text.length
    }
    this.#chunks.splice(first, end - first, ...chunks)
    this.#starts.splice(first, end - first, ...starts)
    this.#pivot = first + chunks.length
    this.#shift += at - from - removed
    this.#length += at - from - removed
  }

  texts(first = 0, end = this.#chunks.length): string {
    let text = ""
    for (let index = first; index < end; index++) text += this.at(index).text
    return text
  }

  #movePivot(to: number) {
    for (; this.#pivot < to; this.#pivot++)
      this.#starts[this.#pivot] = (this.#starts[this.#pivot] ?? 0) + this.#shift
    for (; this.#pivot > to; this.#pivot--)
      this.#starts[this.#pivot - 1] = (this.#starts[this.#pivot - 1] ?? 0) - this.#shift
  }
}
