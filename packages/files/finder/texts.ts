import { writeLetters } from "./letters.ts"

const FIRST_TEXTS = 1024
const FIRST_LETTERS = 32 * 1024

/** Many short texts with their letters in one array. A text is a number; when it is removed, the
 *  number is given to another. The texts themselves are kept as bytes too: so many strings would keep
 *  the garbage collector busy. */
export class Texts {
  #bytes = new Uint8Array(FIRST_LETTERS)
  /** Texts whose characters do not all fit into a byte. */
  readonly #wide = new Map<number, string>()
  readonly #free: number[] = []
  /** How many of the letters are written, and how many of those are of texts that are gone. */
  #written = 0
  #wasted = 0

  letters = new Uint8Array(FIRST_LETTERS)
  froms = new Uint32Array(FIRST_TEXTS)
  lengths = new Uint16Array(FIRST_TEXTS)
  /** Which letters a text has. */
  masks = new Int32Array(FIRST_TEXTS)
  /** All numbers are less than this. */
  end = 0

  get size(): number {
    return this.end - this.#free.length
  }

  add(text: string): number {
    const id = this.#free.pop() ?? this.end++
    this.#reserve(id, text.length)
    const from = this.#written
    this.#written += text.length
    if (!writeBytes(text, this.#bytes, from)) this.#wide.set(id, text)
    this.froms[id] = from
    this.lengths[id] = text.length
    this.masks[id] = writeLetters(text, this.letters, from)
    return id
  }

  remove(id: number) {
    this.#wasted += this.lengths[id]!
    this.#wide.delete(id)
    this.lengths[id] = 0
    this.masks[id] = 0
    this.#free.push(id)
    if (this.#wasted > FIRST_LETTERS && this.#wasted > this.#written / 2) this.#compact()
  }

  get(id: number): string {
    const from = this.froms[id]!
    const bytes = this.#bytes.subarray(from, from + this.lengths[id]!)
    return this.#wide.get(id) ?? String.fromCharCode(...bytes)
  }

  #reserve(id: number, length: number) {
    if (this.#written + length > this.letters.length) {
      this.letters = growArray(this.letters, this.#written + length)
      this.#bytes = growArray(this.#bytes, this.#written + length)
    }
    if (id < this.froms.length) return
    this.froms = growArray(this.froms, id + 1)
    this.lengths = growArray(this.lengths, id + 1)
    this.masks = growArray(this.masks, id + 1)
  }

  /** Writes the letters anew, without those of texts that are gone. */
  #compact() {
    const letters = new Uint8Array(this.letters.length)
    const bytes = new Uint8Array(this.#bytes.length)
    let written = 0
    for (let id = 0; id < this.end; id++) {
      const from = this.froms[id]!
      const to = from + this.lengths[id]!
      letters.set(this.letters.subarray(from, to), written)
      bytes.set(this.#bytes.subarray(from, to), written)
      this.froms[id] = written
      written += to - from
    }
    this.letters = letters
    this.#bytes = bytes
    this.#written = written
    this.#wasted = 0
  }
}

/** False if a character does not fit. */
function writeBytes(text: string, bytes: Uint8Array, at: number): boolean {
  let all = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes[at + index] = code
    all |= code
  }
  return all <= 0xff
}

export function growArray<A extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(
  array: A,
  least: number,
): A {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list of numbers makes lists of its kind
  const Kind = array.constructor as new (length: number) => A
  const larger = new Kind(Math.max(least, array.length * 2))
  larger.set(array)
  return larger
}
