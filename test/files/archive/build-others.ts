import { crc32 } from "node:zlib"
import type { Bytes } from "./build.ts"
import { toBytes } from "./build.ts"

export interface PlainPart {
  readonly name: string
  readonly data: Bytes
  readonly crc?: number
  /** Unix mode bits. */
  readonly mode?: number
}

/** A 7z whose files are stored one after the other. */
export function sevenZip(parts: readonly PlainPart[]): Buffer {
  const streams = parts.map(({ data }) => toBytes(data))
  const packed = Buffer.concat(streams)
  const header = sevenHeader(parts, streams)
  const start = Buffer.alloc(20)
  start.writeBigUInt64LE(BigInt(packed.length), 0)
  start.writeBigUInt64LE(BigInt(header.length), 8)
  start.writeUInt32LE(crc32(header), 16)
  const signature = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4])
  return Buffer.concat([signature, number32(crc32(start)), start, packed, header])
}

function sevenHeader(parts: readonly PlainPart[], streams: readonly Buffer[]): Buffer {
  const total = streams.reduce((sum, { length }) => sum + length, 0)
  const sizes = streams.slice(0, -1).flatMap(({ length }) => [...sevenNumber(length)])
  const sums = parts.flatMap(({ crc }, at) => [
    ...number32(crc ?? crc32(streams[at] ?? Buffer.alloc(0))),
  ])
  const names = Buffer.concat([
    Buffer.from([0]),
    ...parts.map(({ name }) => Buffer.from(`${name}\0`, "utf16le")),
  ])
  const modes = parts.flatMap(({ mode = 0o100644 }) => [...number32(((mode << 16) | 0x8000) >>> 0)])
  const attributes = [1, 0, ...modes]
  const fields = [
    [0x01, 0x04],
    [0x06, 0, 1, 0x09, ...sevenNumber(total), 0],
    [0x07, 0x0b, 1, 0, 1, 0x01, 0x00, 0x0c, ...sevenNumber(total), 0],
    [0x08, 0x0d, ...sevenNumber(parts.length), ...(sizes.length > 0 ? [0x09, ...sizes] : [])],
    [0x0a, 1, ...sums, 0, 0],
    [0x05, ...sevenNumber(parts.length)],
    [0x11, ...sevenNumber(names.length), ...names],
    [0x15, ...sevenNumber(attributes.length), ...attributes],
    [0, 0],
  ]
  return Buffer.from(fields.flat())
}

function sevenNumber(value: number): number[] {
  if (value < 0x80) return [value]
  if (value < 0x4000) return [0x80 | (value >> 8), value & 0xff]
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return [0xff, ...bytes]
}

/** A rar of version 5 whose files are stored. */
export function rar(parts: readonly PlainPart[]): Buffer {
  const signature = Buffer.from("Rar!\x1a\x07\x01\x00", "latin1")
  const main = rarBlock([1, 0, 0])
  const files = parts.flatMap((part) => {
    const data = toBytes(part.data)
    const name = Buffer.from(part.name)
    const sum = number32(part.crc ?? crc32(data))
    const fields = [
      [2, 2, ...varint(data.length)],
      [4, ...varint(data.length), ...varint(part.mode ?? 0o100644), ...sum],
      [0, 1, ...varint(name.length), ...name],
    ].flat()
    return [rarBlock(fields), data]
  })
  return Buffer.concat([signature, main, ...files, rarBlock([5, 0, 0])])
}

function rarBlock(fields: readonly number[]): Buffer {
  const body = Buffer.from([...varint(fields.length), ...fields])
  return Buffer.concat([number32(crc32(body)), body])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
