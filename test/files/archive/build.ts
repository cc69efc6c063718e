// Writes archives, honest and otherwise: every field that a reader might believe can be a lie.

import { crc32, deflateRawSync } from "node:zlib"

export type Bytes = string | Uint8Array

export function toBytes(bytes: Bytes): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes)
}

export interface ZipPart {
  readonly name: Bytes
  readonly data?: Bytes
  /** Given, it is what lies in the file; `data` is then what it unpacks to. */
  readonly packed?: Uint8Array
  readonly method?: number
  readonly flags?: number
  readonly crc?: number
  readonly size?: number
  readonly compressed?: number
  readonly mode?: number
  readonly offset?: number
  readonly localName?: Bytes
  readonly localExtra?: Uint8Array
  readonly extra?: Uint8Array
  /** Sizes and checksum behind the data and not before it. */
  readonly descriptor?: boolean
  readonly zip64?: boolean
  /** Only in the directory: its bytes are somebody else's. */
  readonly ghost?: boolean
}

export interface ZipOptions {
  readonly prefix?: Bytes
  readonly comment?: Bytes
  readonly count?: number
  readonly directoryBytes?: number
  readonly directoryOffset?: number
  readonly disk?: number
  readonly zip64?: {
    readonly count?: bigint
    readonly bytes?: bigint
    readonly offset?: bigint
    readonly at?: bigint
  }
  readonly after?: Bytes
}

const DEFLATED = 8

export function zip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const bodies: Buffer[] = []
  const records: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const filled = fill(part)
    const offset = part.offset ?? at
    records.push(directoryRecord(filled, offset))
    if (part.ghost) continue
    const body = localPart(filled)
    bodies.push(body)
    at += body.length
  }
  const directory = Buffer.concat(records)
  const end = zipEnd({ count: records.length, bytes: directory.length, offset: at }, options)
  return Buffer.concat([
    toBytes(options.prefix ?? ""),
    ...bodies,
    directory,
    end,
    toBytes(options.after ?? ""),
  ])
}

type Filled = ReturnType<typeof fill>

/** What follows the bytes of the only entry. */
export function zipTail(part: Filled): Buffer {
  const directory = directoryRecord(part, 0)
  const offset = localPart(part).length - part.packed.length + part.compressed
  return Buffer.concat([directory, zipEnd({ count: 1, bytes: directory.length, offset }, {})])
}

function fill(part: ZipPart) {
  const data = toBytes(part.data ?? "")
  const method = part.method ?? (data.length > 0 ? DEFLATED : 0)
  const packed = part.packed ?? (method === DEFLATED ? deflateRawSync(data) : data)
  return {
    ...part,
    method,
    packed,
    name: toBytes(part.name),
    crc: part.crc ?? crc32(data),
    size: part.size ?? data.length,
    compressed: part.compressed ?? packed.length,
    flags: (part.flags ?? 0) | (part.descriptor ? 8 : 0),
  }
}

const WIDE = 0xffff_ffff

export function localPart(part: Filled): Buffer {
  const name = part.localName === undefined ? part.name : toBytes(part.localName)
  const extra = toBytes(part.localExtra ?? "")
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(45, 4)
  header.writeUInt16LE(part.flags, 6)
  header.writeUInt16LE(part.method, 8)
  if (!part.descriptor) {
    header.writeUInt32LE(part.crc, 14)
    header.writeUInt32LE(Math.min(part.compressed, WIDE), 18)
    header.writeUInt32LE(Math.min(part.size, WIDE), 22)
  }
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat(
    [header, name, extra, part.packed, part.descriptor ? descriptor(part) : ""].map(toBytes),
  )
}

function descriptor({ crc, compressed, size }: Filled): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(crc, 4)
  bytes.writeUInt32LE(compressed, 8)
  bytes.writeUInt32LE(size, 12)
  return bytes
}

function directoryRecord(part: Filled, offset: number): Buffer {
  const extra = Buffer.concat([
    part.zip64 ? wideExtra([part.size, part.compressed, offset].map(BigInt)) : Buffer.alloc(0),
    toBytes(part.extra ?? ""),
  ])
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE((3 << 8) | 45, 4)
  record.writeUInt16LE(45, 6)
  record.writeUInt16LE(part.flags, 8)
  record.writeUInt16LE(part.method, 10)
  record.writeUInt32LE(part.crc, 16)
  record.writeUInt32LE(part.zip64 ? WIDE : part.compressed, 20)
  record.writeUInt32LE(part.zip64 ? WIDE : part.size, 24)
  record.writeUInt16LE(part.name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 38)
  record.writeUInt32LE(part.zip64 ? WIDE : offset, 42)
  return Buffer.concat([record, part.name, extra])
}

export function wideExtra(values: readonly bigint[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(values.length * 8, 2)
  for (const [at, value] of values.entries()) field.writeBigUInt64LE(value, 4 + at * 8)
  return field
}

/** Info-ZIP's second name. */
export function unicodeExtra(rawName: Bytes, name: string): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + Buffer.byteLength(name), 2)
  field[4] = 1
  field.writeUInt32LE(crc32(toBytes(rawName)), 5)
  return Buffer.concat([field, toBytes(name)])
}

function zipEnd(
  {
    count,
    bytes,
    offset,
  }: { readonly count: number; readonly bytes: number; readonly offset: number },
  options: ZipOptions,
): Buffer {
  const comment = toBytes(options.comment ?? "")
  const end = Buffer.alloc(22)
  const narrow = options.zip64
    ? { count: 0xffff, bytes: WIDE, offset: WIDE }
    : { count: count & 0xffff, bytes, offset }
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(options.disk ?? 0, 4)
  end.writeUInt16LE(options.count ?? narrow.count, 8)
  end.writeUInt16LE(options.count ?? narrow.count, 10)
  end.writeUInt32LE(options.directoryBytes ?? narrow.bytes, 12)
  end.writeUInt32LE(options.directoryOffset ?? narrow.offset, 16)
  end.writeUInt16LE(comment.length, 20)
  const wide = options.zip64 ? [wideEnd(options.zip64, { count, bytes, offset })] : []
  return Buffer.concat([...wide, end, comment])
}

function wideEnd(
  lies: NonNullable<ZipOptions["zip64"]>,
  {
    count,
    bytes,
    offset,
  }: { readonly count: number; readonly bytes: number; readonly offset: number },
): Buffer {
  const record = Buffer.alloc(56 + 20)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeBigUInt64LE(lies.count ?? BigInt(count), 24)
  record.writeBigUInt64LE(lies.count ?? BigInt(count), 32)
  record.writeBigUInt64LE(lies.bytes ?? BigInt(bytes), 40)
  record.writeBigUInt64LE(lies.offset ?? BigInt(offset), 48)
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(lies.at ?? BigInt(offset + bytes), 64)
  record.writeUInt32LE(1, 72)
  return record
}

/** Many names for the same bytes: `count` times what they unpack to, in one small file. */
export function overlappingZip(bytesEach: number, count: number): Buffer {
  const data = Buffer.alloc(bytesEach)
  const crc = crc32(data)
  const packed = deflateRawSync(data, { level: 9 })
  const ghosts = Array.from({ length: count - 1 }, (_, at) => ({
    name: `f${at + 1}`,
    offset: 0,
    ghost: true,
    size: bytesEach,
    crc,
    packed,
    method: DEFLATED,
  }))
  return zip([{ name: "f0", data, packed, method: DEFLATED }, ...ghosts])
}

/** Each entry quotes the headers of those behind it and ends in the same bytes as the last. The sums
 *  are left out: nobody may come so far. */
export function quotedZip(bytesEach: number, count: number): Buffer {
  let size = bytesEach
  let packed = deflateRawSync(Buffer.alloc(bytesEach), { level: 9 })
  const parts: { name: string; body: Buffer; size: number; compressed: number }[] = []
  for (let at = count - 1; at >= 0; at--) {
    const name = `f${String(at).padStart(4, "0")}`
    const body = localPart(fill({ name, packed, size, method: DEFLATED }))
    parts.unshift({ name, body, size, compressed: packed.length })
    const header = body.subarray(0, body.length - packed.length)
    const quote = Buffer.alloc(5)
    quote.writeUInt16LE(header.length, 1)
    quote.writeUInt16LE(~header.length & 0xffff, 3)
    packed = Buffer.concat([quote, header, packed])
    size += header.length
  }
  const [first] = parts
  if (!first) throw new Error("there is at least one entry")
  const all = first.body
  const ghosts = parts.slice(1).map(({ name, body, size, compressed }) => ({
    name,
    size,
    compressed,
    method: DEFLATED,
    ghost: true,
    offset: all.length - body.length,
  }))
  const packedFirst = all.subarray(30 + first.name.length)
  return zip([{ ...first, packed: packedFirst, method: DEFLATED }, ...ghosts])
}
