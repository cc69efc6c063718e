import { crc32 } from "node:zlib"
import type { ByteSource } from "./byte-source.ts"
import { decodeName } from "./cp437.ts"
import { ArchiveRefusal, refuseEntry } from "./refusal.ts"
import type { FoundEntry } from "./sink.ts"
import { findZipEnd, type ZipEnd } from "./zip-end.ts"

/** An entry as the central directory has it. */
export interface ZipEntry extends FoundEntry {
  readonly size: number
  /** As stored, so that the local header can be held against it. */
  readonly rawName: string
  readonly method: number
  readonly encrypted: boolean
  readonly crc: number
  readonly compressed: number
  /** Of its local header, from the start of the file. */
  readonly offset: number
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[]
  /** There are more than were asked for. */
  readonly more: boolean
  /** Where the directory begins: every entry's bytes lie before it. */
  readonly start: number
}

const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_BYTES = 46
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024

/** The central directory of a zip, from its end backwards. What stands before the archive, such as
 *  the program of a self-extracting one, does not matter. */
export function readZipDirectory(source: ByteSource, maxEntries: number): ZipDirectory {
  const end = findZipEnd(source)
  if (end.directoryBytes > MAX_DIRECTORY_BYTES)
    throw new ArchiveRefusal(`the archive's directory has more than ${MAX_DIRECTORY_BYTES} bytes`)
  // Kept while the window moves on.
  const bytes = Buffer.from(source.view(end.directoryStart, end.directoryBytes))
  const { entries, more, count } = readEntries(bytes, end, maxEntries)
  if (!more && !isCount(count, end))
    throw new ArchiveRefusal(`the archive says ${end.count} entries and has ${count}`)
  return { entries, more, start: end.directoryStart }
}

/** Old writers let a 16-bit count overflow. */
function isCount(count: number, end: ZipEnd): boolean {
  return count === end.count || (!end.zip64 && count % 0x1_0000 === end.count)
}

function readEntries(bytes: Buffer, end: ZipEnd, maxEntries: number) {
  const entries: ZipEntry[] = []
  let at = 0
  while (at + ENTRY_BYTES <= bytes.length && bytes.readUInt32LE(at) === ENTRY_SIGNATURE) {
    if (entries.length >= maxEntries) return { entries, more: true, count: entries.length }
    const length = recordLength(bytes, at)
    if (at + length > bytes.length) throw new ArchiveRefusal("the archive's directory is cut off")
    entries.push(readEntry(bytes.subarray(at, at + length), end.prefix))
    at += length
  }
  return { entries, more: false, count: entries.length }
}

function recordLength(bytes: Buffer, at: number): number {
  const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
  return ENTRY_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
}

const ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000

function readEntry(record: Buffer, prefix: number): ZipEntry {
  const nameEnd = ENTRY_BYTES + record.readUInt16LE(28)
  const rawName = record.subarray(ENTRY_BYTES, nameEnd)
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30))
  const name = unicodeName(extra, rawName) ?? decodeName(rawName)
  const [size, compressed, offset] = wideNumbers(record, extra, name)
  return {
    name,
    rawName: rawName.toString("latin1"),
    type: typeOf(name, record.readUInt32LE(38)),
    method: record.readUInt16LE(10),
    encrypted: (record.readUInt16LE(8) & ENCRYPTED_FLAGS) !== 0,
    crc: record.readUInt32LE(16),
    size,
    compressed,
    offset: prefix + offset,
  }
}

const UNICODE_PATH = 0x7075
const ZIP64 = 0x0001

/** Info-ZIP's second name counts as long as it belongs to the first. */
function unicodeName(extra: Buffer, rawName: Buffer): string | undefined {
  const field = extraField(extra, UNICODE_PATH)
  if (!field || field.length < 5 || field[0] !== 1) return undefined
  return field.readUInt32LE(1) === crc32(rawName) ? decodeName(field.subarray(5)) : undefined
}

function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === id)
      return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
  return undefined
}

const IN_ZIP64 = 0xffff_ffff

/** Size, compressed size and offset; each from the zip64 field where the record has no room. */
function wideNumbers(record: Buffer, extra: Buffer, name: string): [number, number, number] {
  const field = extraField(extra, ZIP64)
  let at = 0
  const wide = (narrow: number): number => {
    if (narrow !== IN_ZIP64 || field === undefined) return narrow
    if (at + 8 > field.length) throw refuseEntry(name, "has a zip64 field that is cut off")
    const value = field.readBigUInt64LE(at)
    at += 8
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw refuseEntry(name, "has a size that no disk holds")
    return Number(value)
  }
  const size = wide(record.readUInt32LE(24))
  const compressed = wide(record.readUInt32LE(20))
  return [size, compressed, wide(record.readUInt32LE(42))]
}

const TYPE_BITS = 0o170000
const DOS_FOLDER = 0x10
const TYPES: ReadonlyMap<number, FoundEntry["type"]> = new Map([
  [0o120000, "link"],
  [0o040000, "folder"],
  [0o020000, "special"],
  [0o060000, "special"],
  [0o010000, "special"],
  [0o140000, "special"],
])

function typeOf(name: string, attributes: number): FoundEntry["type"] {
  const byMode = TYPES.get((attributes >>> 16) & TYPE_BITS)
  if (byMode) return byMode
  return /[\\/]$/.test(name) || (attributes & DOS_FOLDER) !== 0 ? "folder" : "file"
}
