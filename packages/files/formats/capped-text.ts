import type { Converted } from "./converted.ts"

/** The text is as long as it may become: whoever fills it can stop. */
class Full extends Error {}

/** Text up to a number of bytes. It is kept as bytes, because a slice of a string keeps alive the
 *  whole chunk that it was cut from. */
export class CappedText {
  readonly #limit: number
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  write(text: string): void {
    this.#makeRoom(text.length * 3)
    // Never half of a character: `write` stops before one that does not fit.
    const free = Math.min(this.#bytes.length, this.#limit) - this.#length
    const wanted = text.length * 3 <= free ? 0 : Buffer.byteLength(text)
    this.#length += this.#bytes.write(text, this.#length, free, "utf8")
    if (wanted > free) throw new Full()
  }

  line(text = ""): void {
    this.write(`${text}\n`)
  }

  toString(): string {
    return this.#bytes.toString("utf8", 0, this.#length)
  }

  #makeRoom(bytes: number): void {
    const needed = Math.min(this.#length + bytes, this.#limit)
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(
      Math.min(Math.max(needed, this.#bytes.length * 2), this.#limit),
    )
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Let `fill` write until it is done or there is no more room. */
export async function cappedText(
  limit: number,
  fill: (text: CappedText) => Promise<string | undefined | void> | string | undefined | void,
): Promise<Extract<Converted, { type: "text" }>> {
  const text = new CappedText(limit)
  try {
    const note = await fill(text)
    return { type: "text", text: text.toString(), truncated: false, ...(note ? { note } : {}) }
  } catch (error) {
    if (!(error instanceof Full)) throw error
    const note = `The text is cut after ${limit} bytes.`
    return { type: "text", text: text.toString(), truncated: true, note }
  }
}
