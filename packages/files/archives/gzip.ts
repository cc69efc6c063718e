import { Readable } from "node:stream"
import { crc32, createInflateRaw } from "node:zlib"
import type { ByteSource } from "./byte-source.ts"
import { ArchiveRefusal } from "./refusal.ts"

const CHUNK_BYTES = 256 * 1024
const HEADER_BYTES = 10
const TRAILER_BYTES = 8
/** Of a header, as far as the end of any name and comment that we would take. */
const MAX_HEADER_BYTES = 128 * 1024
const HAS_SUM = 0x02
const HAS_EXTRA = 0x04
const HAS_NAME = 0x08
const HAS_COMMENT = 0x10

/** The content of a gzip file, member after member. What stands behind the last one is left out, as
 *  `gzip` does it, and noted; the library would refuse the whole file. */
export async function* gunzip(
  source: ByteSource,
  note: (text: string) => void,
): AsyncGenerator<Buffer> {
  let at = 0
  do at = yield* member(source, at)
  while (isMember(source, at))
  const left = source.size - at
  if (left > 0 && !isPadding(source, at))
    note(`${left} bytes behind the end of the gzip data were left out`)
}

function isMember(source: ByteSource, at: number): boolean {
  const head = source.view(at, 3)
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8
}

function isPadding(source: ByteSource, at: number): boolean {
  for (const chunk of source.chunks(at, source.size))
    if (chunk.some((byte) => byte !== 0)) return false
  return true
}

/** Says where the next one would begin. */
async function* member(source: ByteSource, start: number): AsyncGenerator<Buffer, number> {
  const dataAt = start + headerBytes(source.view(start, MAX_HEADER_BYTES))
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES })
  const packed = Readable.from(source.chunks(dataAt, source.size), { objectMode: false })
  packed.pipe(inflate)
  let sum = 0
  let length = 0
  try {
    const chunks: AsyncIterable<Buffer> = inflate
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum)
      length += chunk.length
      yield chunk
    }
  } finally {
    packed.destroy()
  }
  const end = dataAt + inflate.bytesWritten
  const trailer = source.view(end, TRAILER_BYTES)
  if (trailer.length < TRAILER_BYTES)
    throw new ArchiveRefusal("the gzip data is damaged: it is cut off")
  if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== length % 2 ** 32)
    throw new ArchiveRefusal("the gzip data is damaged: its checksum is another")
  return end + TRAILER_BYTES
}

function headerBytes(head: Buffer): number {
  const flags = head[3] ?? 0
  let at = HEADER_BYTES
  if ((flags & HAS_EXTRA) !== 0 && at + 2 <= head.length) at += 2 + head.readUInt16LE(at)
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue
    const end = head.indexOf(0, at)
    if (end < 0) throw new ArchiveRefusal("the gzip data is damaged: its header has no end")
    at = end + 1
  }
  return (flags & HAS_SUM) === 0 ? at : at + 2
}
