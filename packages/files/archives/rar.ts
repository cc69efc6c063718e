import type { ByteSource } from "./byte-source.ts"
import { decodeName } from "./cp437.ts"

/** What a header says that the library does not tell. */
export interface RarHeader {
  readonly name: string
  readonly sum: number | undefined
}

const SIGNATURE_BYTES = 8
const VERSION_5 = 0x01
/** Of a header, as far as the end of any name that we would take. */
const HEAD_BYTES = 4096
const FILE = 2
const ENCRYPTED = 4
const HAS_EXTRA = 0x1
const HAS_DATA = 0x2
const HAS_TIME = 0x2
const HAS_SUM = 0x4

/** What the headers of a rar of version 5 say of its files, in their order. The library does not check
 *  a stored file against its sum, and knows only ASCII. Of older rars there is nothing. */
export function* rarHeaders(source: ByteSource, start: number): Generator<RarHeader> {
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
    if (type === FILE) yield fileHeader(fields)
    at += 4 + bodyAt + size + data
  }
}

function fileHeader(fields: Fields): RarHeader {
  const flags = fields.number()
  fields.number() // Its size.
  fields.number() // Its attributes.
  if ((flags & HAS_TIME) !== 0) fields.at += 4
  const sum = (flags & HAS_SUM) !== 0 ? fields.number32() : undefined
  fields.number() // How it is packed.
  fields.number() // On which system.
  return { sum, name: decodeName(fields.bytes(fields.number())) }
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
    const at = this.at
    this.at += 4
    return this.at <= this.#bytes.length ? this.#bytes.readUInt32LE(at) : undefined
  }

  bytes(length: number): Buffer {
    return this.#bytes.subarray(this.at, this.at + length)
  }
}
