import { crc32 } from "node:zlib"
import type { ByteSource } from "./byte-source.ts"
import { LibraryArchive, MAX_LIBRARY_BYTES } from "./library.ts"
import { ArchiveRefusal } from "./refusal.ts"

/** The header of a tar whose one file never ends, in an xz stream of its own. The library unpacks xz
 *  only around archives, and reads streams that follow each other as one: with this in front, any
 *  data is the inside of a file. */
const FRONT = Buffer.from(
  "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AH/ACxdADwAM1AYaImDAdzibg/G1ohJAaDdfb3I5/AYqVO4HIRytlIV1O9B3CdV" +
    "WToAAO+f0FgAAUSABAAAAGK7GGk+MA2LAgAAAAABWVo=",
  "base64",
)

const HEADER_BYTES = 12
const FOOTER_BYTES = 12

/** Unpack xz. The streams' indexes say how much there is; a stream of our own behind them shows that
 *  the library came to their end and found every checksum right. */
export async function* unxz(source: ByteSource): AsyncGenerator<Buffer> {
  if (source.size > MAX_LIBRARY_BYTES)
    throw new ArchiveRefusal(`xz is read up to ${MAX_LIBRARY_BYTES} bytes`)
  const bytes = source.view(0, source.size)
  const size = unpackedSize(bytes)
  const back = storedStream(SEAL)
  const pieces = [FRONT, bytes, back]
  const archive = await LibraryArchive.open(FRONT.length + bytes.length + back.length, (target) => {
    let at = 0
    for (const piece of pieces) {
      target.set(piece, at)
      at += piece.length
    }
  })
  if (archive.next() === 0) throw new Error("it cannot be unpacked")
  for (let left = size; left > 0; ) {
    const chunk = Buffer.from(archive.read(left))
    if (chunk.length === 0) throw new Error("it is cut off")
    left -= chunk.length
    yield chunk
  }
  if (!archive.read(SEAL.length).equals(SEAL)) throw new Error("its checksum is another")
}

const SEAL = Buffer.from("the end of what was packed")

/** What all the indexes say together, from the last stream to the first. */
function unpackedSize(bytes: Buffer): number {
  let size = 0
  for (let end = bytes.length; end > 0; ) {
    if (end >= 4 && bytes.readUInt32LE(end - 4) === 0) {
      end -= 4
      continue
    }
    const stream = lastStream(bytes, end)
    size += stream.unpacked
    end = stream.start
  }
  return size
}

function lastStream(bytes: Buffer, end: number) {
  const footer = end - FOOTER_BYTES
  if (footer < HEADER_BYTES || bytes.toString("latin1", end - 2, end) !== "YZ")
    throw new Error("it is cut off, or something follows it")
  const indexBytes = (bytes.readUInt32LE(footer + 4) + 1) * 4
  const index = bytes.subarray(Math.max(0, footer - indexBytes), footer)
  const { packed, unpacked } = readIndex(index)
  const start = footer - indexBytes - packed - HEADER_BYTES
  if (start < 0) throw new Error("its index is damaged")
  return { start, unpacked }
}

function readIndex(index: Buffer): { packed: number; unpacked: number } {
  let at = 1
  const number = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = index[at++]
      if (byte === undefined || scale > 2 ** 56) throw new Error("its index is damaged")
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  if (index[0] !== 0) throw new Error("its index is damaged")
  let packed = 0
  let unpacked = 0
  for (let records = number(); records > 0; records--) {
    packed += Math.ceil(number() / 4) * 4
    unpacked += number()
  }
  if (!Number.isSafeInteger(packed) || !Number.isSafeInteger(unpacked))
    throw new Error("its index is damaged")
  return { packed, unpacked }
}

const CHECK_CRC32 = 1

/** An xz stream that holds a few bytes as they are. */
export function storedStream(content: Buffer): Buffer {
  const flags = Buffer.from([0, CHECK_CRC32])
  // One filter, LZMA2 with its smallest dictionary; one chunk that is stored and resets it.
  const block = summed(Buffer.from([2, 0, 0x21, 1, 0, 0, 0, 0]))
  const chunk = Buffer.alloc(3)
  chunk[0] = 1
  chunk.writeUInt16BE(content.length - 1, 1)
  const data = Buffer.concat([chunk, content, Buffer.from([0])])
  const unpadded = block.length + data.length + 4
  const index = summed(padded(Buffer.from([0, 1, ...varint(unpadded), ...varint(content.length)])))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(index.length / 4 - 1)
  return Buffer.concat([
    Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
    summed(flags),
    block,
    padded(data),
    sumOf(content),
    index,
    sumOf(Buffer.concat([size, flags])),
    size,
    flags,
    Buffer.from("YZ"),
  ])
}

function summed(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, sumOf(bytes)])
}

function sumOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(bytes))
  return sum
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]
}
