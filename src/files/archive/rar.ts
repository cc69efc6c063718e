import type { ByteSource } from "./byte-source.ts"

const SIGNATURE_BYTES = 8
const VERSION_5 = 0x01
/** Of a header, as far as the checksum: ten numbers at most. */
const HEAD_BYTES = 100
const FILE = 2
const ENCRYPTED = 4
const HAS_EXTRA = 0x1
const HAS_DATA = 0x2
const HAS_TIME = 0x2
const HAS_SUM = 0x4

/** The checksums that the headers of a rar of version 5 give its files, in their order. The library
 *  does not check a stored file against its own. Of older rars there are none: those it checks. */
export function* rarSums(source: ByteSource, start: number): Generator<number | undefined> {
  if (source.view(start + SIGNATURE_BYTES - 2, 1)[0] !== VERSION_5) return
  for (let at = start + SIGNATURE_BYTES; at < source.size; ) {
    const fields = new Fields(source.view(at + 4, HEAD_BYTES))
    const size = fields.number()
    const bodyAt = fields.at
    const type = fields.number()
    if (type === ENCRYPTED || size === 0) return
    const flags = fields.number()
    if ((flags & HAS_EXTRA) !== 0) fields.number()
    const data = (flags & HAS_DATA) !== 0 ? fields.number() : 0
    if (type === FILE) yield sumOf(fields)
    at += 4 + bodyAt + size + data
  }
}

function sumOf(fields: Fields): number | undefined {
  const flags = fields.number()
  fields.number() // Its size.
  fields.number() // Its attributes.
  if ((flags & HAS_TIME) !== 0) fields.at += 4
  return (flags & HAS_SUM) !== 0 ? fields.number32() : undefined
}

class Fields {
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Seven bits of each byte, the lowest first. What is cut off is 0: the library will say so. */
  number(): number {
    let value = 0
    for (let scale = 1; scale < 2 ** 53; scale *= 128) {
      const byte = this.#bytes[this.at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) break
    }
    return value
  }

  number32(): number | undefined {
    return this.at + 4 <= this.#bytes.length ? this.#bytes.readUInt32LE(this.at) : undefined
  }
}
