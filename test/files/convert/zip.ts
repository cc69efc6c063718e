// Writes small zips, true ones and lying ones.

import { constants, crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly name: string
  readonly data: string | Uint8Array
  /** What the directory says of its size, when that is not the truth. */
  readonly claims?: number
  readonly encrypted?: boolean
}

/** An entry of a start, a piece so many times over, and an end; only one piece is ever held. */
export interface RepeatedEntry {
  readonly name: string
  readonly start: string
  readonly piece: string
  readonly times: number
  readonly end: string
}

export function zipOf(entries: readonly (ZipEntry | RepeatedEntry)[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const about = { name: Buffer.from(entry.name), ...packedEntry(entry) }
    const local = header(about, 0x04034b50, 30)
    const central = header(about, 0x02014b50, 46)
    central.writeUInt32LE(offset, 42)
    bodies.push(local, about.name, about.packed)
    directory.push(central, about.name)
    offset += local.length + about.name.length + about.packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, listed, end])
}

interface Packed {
  readonly packed: Buffer
  readonly size: number
  readonly crc: number
  readonly encrypted: boolean
}

function packedEntry(entry: ZipEntry | RepeatedEntry): Packed {
  if ("piece" in entry) return packedPieces(entry)
  const data = Buffer.from(entry.data as string)
  return {
    packed: deflateRawSync(data, { level: 9 }),
    size: entry.claims ?? data.length,
    crc: crc32(data),
    encrypted: entry.encrypted ?? false,
  }
}

/** What was deflated with a full flush after it can stand any number of times in a row. */
function packedPieces({ start, piece, times, end }: RepeatedEntry): Packed {
  const flushed = (text: string) =>
    deflateRawSync(text, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const packed = flushed(piece)
  let crc = crc32(start)
  for (let time = 0; time < times; time++) crc = crc32(piece, crc)
  return {
    packed: Buffer.concat([flushed(start), ...Array(times).fill(packed), deflateRawSync(end)]),
    size: start.length + piece.length * times + end.length,
    crc: crc32(end, crc),
    encrypted: false,
  }
}

interface About extends Packed {
  readonly name: Buffer
}

/** Local and central headers say the same; the central one has four bytes more before it. */
function header(
  { name, packed, size, crc, encrypted }: About,
  mark: number,
  length: number,
): Buffer {
  const bytes = Buffer.alloc(length)
  const shift = length === 46 ? 2 : 0
  bytes.writeUInt32LE(mark, 0)
  bytes.writeUInt16LE(20, 4 + shift)
  bytes.writeUInt16LE(encrypted ? 1 : 0, 6 + shift)
  bytes.writeUInt16LE(8, 8 + shift)
  bytes.writeUInt32LE(crc, 14 + shift)
  bytes.writeUInt32LE(packed.length, 18 + shift)
  bytes.writeUInt32LE(size, 22 + shift)
  bytes.writeUInt16LE(name.length, 26 + shift)
  return bytes
}
