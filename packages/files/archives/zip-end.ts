import type { ByteSource } from "./byte-source.ts"
import { ArchiveRefusal } from "./refusal.ts"

/** What the end of a zip says about its directory. */
export interface ZipEnd {
  readonly count: number
  readonly zip64: boolean
  readonly directoryStart: number
  readonly directoryBytes: number
  /** Bytes before the archive, which its offsets do not count. */
  readonly prefix: number
}

const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const LOCATOR_SIGNATURE = 0x07064b50
const LOCATOR_BYTES = 20
const WIDE_END_SIGNATURE = 0x06064b50
const WIDE_END_BYTES = 56

/** Find the end record, follow it to the zip64 one where there is one, and hold them against the
 *  file. */
export function findZipEnd(source: ByteSource): ZipEnd {
  const at = endRecordAt(source)
  if (at === undefined) throw new ArchiveRefusal("the zip has no directory; it may be cut off")
  const record = Buffer.from(source.view(at, END_BYTES))
  const wide = wideEnd(source, at)
  const disks = wide ? 0 : record.readUInt16LE(4) | record.readUInt16LE(6)
  if (disks !== 0) throw new ArchiveRefusal("the zip is one of several volumes")
  const said = wide ?? {
    at,
    count: record.readUInt16LE(10),
    directoryBytes: record.readUInt32LE(12),
    offset: record.readUInt32LE(16),
  }
  return placeDirectory(said, wide !== undefined)
}

/** Whether a file ends like a zip, whatever it begins with. */
export function endsAsZip(source: ByteSource): boolean {
  return endRecordAt(source) !== undefined
}

/** The last end record whose comment ends with the file, or else the last whose comment fits. */
function endRecordAt(source: ByteSource): number | undefined {
  const start = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES)
  const tail = source.view(start, source.size - start)
  let fits: number | undefined
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== END_SIGNATURE) continue
    const end = at + END_BYTES + tail.readUInt16LE(at + 20)
    if (end === tail.length) return start + at
    if (end < tail.length) fits ??= start + at
  }
  return fits
}

interface Said {
  /** Of the record that says so: the directory ends here. */
  readonly at: number
  readonly count: number
  readonly directoryBytes: number
  readonly offset: number
}

function wideEnd(source: ByteSource, end: number): Said | undefined {
  const locatorAt = end - LOCATOR_BYTES
  if (locatorAt < 0) return undefined
  const locator = source.view(locatorAt, LOCATOR_BYTES)
  if (locator.readUInt32LE(0) !== LOCATOR_SIGNATURE) return undefined
  const offset = safe(locator.readBigUInt64LE(8))
  // Directly before the locator, unless it was extended; before it lie no offsets to be trusted.
  for (const at of [locatorAt - WIDE_END_BYTES, offset]) {
    if (at < 0 || at + WIDE_END_BYTES > locatorAt) continue
    const record = source.view(at, WIDE_END_BYTES)
    if (record.readUInt32LE(0) !== WIDE_END_SIGNATURE) continue
    return {
      at,
      count: safe(record.readBigUInt64LE(32)),
      directoryBytes: safe(record.readBigUInt64LE(40)),
      offset: safe(record.readBigUInt64LE(48)),
    }
  }
  throw new ArchiveRefusal("the zip64 directory is not where the archive says")
}

function safe(value: bigint): number {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value)
  throw new ArchiveRefusal("the zip64 directory has sizes that no disk holds")
}

/** The directory ends where its end record begins; how far its own offset is off is the prefix. */
function placeDirectory({ at, count, directoryBytes, offset }: Said, zip64: boolean): ZipEnd {
  const directoryStart = at - directoryBytes
  const prefix = directoryStart - offset
  if (directoryStart < 0 || prefix < 0)
    throw new ArchiveRefusal("the archive's directory is not where it says; it may be cut off")
  return { count, zip64, directoryStart, directoryBytes, prefix }
}
