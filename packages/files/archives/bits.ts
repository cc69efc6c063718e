/** Bits of a stream of bytes, the highest of each byte first. */
export class Bits {
  readonly #chunks: Iterator<Buffer>
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  #bits = 0
  #count = 0

  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** Up to 24 bits as a number. */
  read(count: number): number {
    while (this.#count < count) {
      this.#bits = (this.#bits << 8) | this.#byte()
      this.#count += 8
    }
    this.#count -= count
    const value = (this.#bits >>> this.#count) & ((1 << count) - 1)
    this.#bits &= (1 << this.#count) - 1
    return value
  }

  read32(): number {
    return this.read(16) * 0x1_0000 + this.read(16)
  }

  /** Leave what is left of a byte. */
  toByte() {
    this.#count -= this.#count % 8
    this.#bits &= (1 << this.#count) - 1
  }

  hasByte(): boolean {
    return this.#count >= 8 || this.#fill()
  }

  #byte(): number {
    if (this.#at >= this.#chunk.length && !this.#fill()) throw new Error("it is cut off")
    return this.#chunk[this.#at++] ?? 0
  }

  #fill(): boolean {
    while (this.#at >= this.#chunk.length) {
      const next = this.#chunks.next()
      if (next.done) return false
      this.#chunk = next.value
      this.#at = 0
    }
    return true
  }
}
