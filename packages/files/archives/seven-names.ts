import { crc32 } from "node:zlib"
import type { ByteSource } from "./byte-source.ts"
import { LibraryArchive } from "./library.ts"

const START_BYTES = 32
const MAX_HEADER_BYTES = 16 * 1024 * 1024
const ENCODED = 0x17
const PACK_INFO = 0x06
const SIZES = 0x09
const NAMES = 0x11

/** The names of a 7z in the order of its entries; none where its header is not understood. The library
 *  gives them with a star for every letter that is not ASCII. */
export async function sevenNames(source: ByteSource, start: number): Promise<readonly string[]> {
  try {
    const header = lastHeader(source, start)
    return namesIn(header[0] === ENCODED ? await decoded(header, source, start) : header)
  } catch {
    return []
  }
}

function lastHeader(source: ByteSource, start: number): Buffer {
  const begin = source.view(start, START_BYTES)
  const offset = Number(begin.readBigUInt64LE(12))
  const size = Number(begin.readBigUInt64LE(20))
  if (size > MAX_HEADER_BYTES) throw new Error("The header is too large.")
  return Buffer.from(source.view(start + START_BYTES + offset, size))
}

/** A header is packed like a file: as the only file of an archive, the library unpacks it. */
async function decoded(header: Buffer, source: ByteSource, start: number): Promise<Buffer> {
  const reader = new SevenNumbers(header, 1)
  if (reader.byte() !== PACK_INFO) throw new Error("The header has no place.")
  const position = reader.number()
  const rest = reader.at
  if (reader.number() !== 1 || reader.byte() !== SIZES) throw new Error("The header is in pieces.")
  const size = reader.number()
  if (size > MAX_HEADER_BYTES) throw new Error("The header is too large.")
  const packed = Buffer.from(source.view(start + START_BYTES + position, size))
  const streams = header.subarray(rest, -1)
  return unpacked(packed, Buffer.concat([STREAMS_AT_START, streams, ONE_FILE]))
}

/** The header of an archive, up to where its packed bytes begin: at once. */
const STREAMS_AT_START = Buffer.from([0x01, 0x04, PACK_INFO, 0])

/** One stream in the packed bytes, for one file called h, and the end of a header. */
const ONE_FILE = Buffer.from([0x08, 0, 0, 0x05, 1, NAMES, 5, 0, 0x68, 0, 0, 0, 0, 0])

async function unpacked(packed: Buffer, header: Buffer): Promise<Buffer> {
  const begin = Buffer.alloc(20)
  begin.writeBigUInt64LE(BigInt(packed.length), 0)
  begin.writeBigUInt64LE(BigInt(header.length), 8)
  begin.writeUInt32LE(crc32(header), 16)
  const signature = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4, 0, 0, 0, 0])
  signature.writeUInt32LE(crc32(begin), 8)
  const bytes = Buffer.concat([signature, begin, packed, header])
  const archive = await LibraryArchive.open(bytes.length, (target) => target.set(bytes))
  if (archive.next() === 0) throw new Error("The header cannot be unpacked.")
  const chunks: Buffer[] = []
  let length = 0
  for (let chunk = archive.read(); chunk.length > 0; chunk = archive.read()) {
    length += chunk.length
    if (length > MAX_HEADER_BYTES) throw new Error("The header is too large.")
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

/** The names are the one property that is as long as it says and ends in a NUL of two bytes. What comes
 *  before it need not be understood; whoever uses a name holds it against the library's. */
function namesIn(header: Buffer): readonly string[] {
  for (let at = header.indexOf(NAMES); at >= 0; at = header.indexOf(NAMES, at + 1)) {
    const reader = new SevenNumbers(header, at + 1)
    const size = reader.number()
    const names = header.subarray(reader.at + 1, reader.at + size)
    const isWhole = size > 2 && names.length === size - 1 && names.length % 2 === 0
    if (!isWhole || header[reader.at] !== 0 || names.readUInt16LE(names.length - 2) !== 0) continue
    return names.toString("utf16le").split("\0").slice(0, -1)
  }
  return []
}

/** Numbers whose first byte says how many follow. */
class SevenNumbers {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  byte(): number {
    return this.#bytes[this.at++] ?? 0
  }

  number(): number {
    const first = this.byte()
    let value = 0
    for (let count = 0; count < 8; count++) {
      const mask = 0x80 >> count
      if ((first & mask) === 0) return value + (first & (mask - 1)) * 256 ** count
      value += this.byte() * 256 ** count
    }
    return value
  }
}
