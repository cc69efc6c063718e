import { SNIFF_BYTES } from "compositor-files/kinds/sniff"

/** Passes chunks on and keeps the first of them, to see what they are. */
export class SniffingStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterable<Uint8Array>
  readonly #head: Uint8Array[] = []
  #size = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks
  }

  async *[Symbol.asyncIterator]() {
    for await (const chunk of this.#chunks) {
      if (this.#size < SNIFF_BYTES) this.#head.push(Uint8Array.from(chunk))
      this.#size += chunk.length
      yield chunk
    }
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#head).subarray(0, SNIFF_BYTES)
  }
}
