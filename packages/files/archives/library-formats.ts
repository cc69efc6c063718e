import { crc32 } from "node:zlib"
import { errorMessage } from "compositor-core/message/untyped"
import type { ByteSource } from "./byte-source.ts"
import { LibraryArchive } from "./library.ts"
import { rarHeaders, type RarHeader } from "./rar.ts"
import { ArchiveRefusal, refuseEntry } from "./refusal.ts"
import { sevenNames } from "./seven-names.ts"
import type { EntrySink, FoundEntry } from "./sink.ts"

/** Read a 7z or rar that begins at `start`. */
export async function readByLibrary(
  source: ByteSource,
  { format, start }: { readonly format: "7z" | "rar"; readonly start: number },
  sink: EntrySink,
): Promise<void> {
  let name: string | undefined
  if (format === "7z") refuseCut(source, start)
  const told = format === "rar" ? rarHeaders(source, start) : sevenHeaders(source, start)
  try {
    const archive = await LibraryArchive.open(source.size - start, (target) => {
      source.read(target, start)
    })
    for (let entry = archive.next(); entry !== 0; entry = archive.next()) {
      const { value } = await told.next()
      const found = foundEntry(archive, entry, value)
      name = found.name
      const path = sink.place(found)
      const sum = value?.sum
      if (path !== undefined) writeEntry(archive, entry, { path, name, sink, sum })
      if (sink.done) return
    }
  } catch (error) {
    throw damaged(error, format, name)
  }
}

/** Asked for only when the first entry is read. */
async function* sevenHeaders(source: ByteSource, start: number): AsyncGenerator<RarHeader> {
  for (const name of await sevenNames(source, start)) yield { name, sum: undefined }
}

const SEVEN_START_BYTES = 32

/** Where the directory of a 7z is missing, the library finds no entries and says nothing. */
function refuseCut(source: ByteSource, start: number) {
  const header = source.view(start, SEVEN_START_BYTES)
  const isThere =
    header.length === SEVEN_START_BYTES &&
    header.readUInt32LE(8) === crc32(header.subarray(12)) &&
    header.readBigUInt64LE(12) + header.readBigUInt64LE(20) <=
      BigInt(source.size - start - SEVEN_START_BYTES)
  if (!isThere) throw new ArchiveRefusal("the 7z is cut off, or its start is damaged")
}

const TYPES: ReadonlyMap<number, FoundEntry["type"]> = new Map([
  [0o100000, "file"],
  [0o040000, "folder"],
  [0o120000, "link"],
])

function foundEntry(archive: LibraryArchive, entry: number, told?: RarHeader): FoundEntry {
  const starred = archive.name(entry)
  if (starred === null) throw new ArchiveRefusal("an entry has a name that cannot be read")
  const name = told && isStarred(told.name, starred) ? told.name : starred
  const type = archive.isHardLink(entry) ? "link" : (TYPES.get(archive.mode(entry)) ?? "special")
  // Larger than 32 bits, it comes as something else; then the bytes are counted without it.
  const size = archive.size(entry)
  return { name, type, size: size >= 0 ? size : undefined }
}

/** Whether the library made one name of the other: it knows only ASCII, and a few of its readers put a
 *  slash at the end of folders. */
function isStarred(name: string, starred: string): boolean {
  const plain = (text: string) => text.replace(NOT_ASCII, "*").replace(/[\\/]+$/, "")
  return plain(name) === plain(starred)
}

// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /(?:[^\0-\x7f]|\*)+/g

interface Writing {
  readonly path: string
  readonly name: string
  readonly sink: EntrySink
  readonly sum: number | undefined
}

function writeEntry(archive: LibraryArchive, entry: number, { path, name, sink, sum }: Writing) {
  if (archive.isEncrypted(entry)) throw refuseEntry(name, "is encrypted")
  const writer = sink.create(path, name)
  let found = 0
  for (let bytes = archive.read(); bytes.length > 0; bytes = archive.read()) {
    found = crc32(bytes, found)
    writer.write(bytes)
  }
  writer.end()
  if (sum !== undefined && sum !== found)
    throw refuseEntry(name, "is damaged: its checksum is another")
}

function damaged(error: unknown, format: string, name: string | undefined): Error {
  if (error instanceof ArchiveRefusal) return error
  const message = errorMessage(error)
  if (/encrypt|passphrase/i.test(message)) {
    const what = name === undefined ? new ArchiveRefusal(`the ${format} is encrypted`) : undefined
    return what ?? refuseEntry(name ?? "", "is encrypted")
  }
  if (name === undefined) return new ArchiveRefusal(`the ${format} is damaged: ${message}`)
  return refuseEntry(name, `or what follows it is damaged: ${message}`)
}
