import { Readable } from "node:stream"
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import type { ByteSource } from "./byte-source.ts"
import { refuseEntry, ArchiveRefusal } from "./refusal.ts"
import type { EntrySink } from "./sink.ts"
import { readZipDirectory, type ZipDirectory, type ZipEntry } from "./zip-directory.ts"

const STORED = 0
const DEFLATED = 8
/** Methods that are known and not read. */
const METHODS: ReadonlyMap<number, string> = new Map([
  [1, "shrink"],
  [6, "implode"],
  [9, "deflate64"],
  [12, "bzip2"],
  [14, "lzma"],
  [93, "zstd"],
  [95, "xz"],
  [96, "jpeg"],
  [97, "wavpack"],
  [98, "ppmd"],
  [99, "AES"],
])

/** Read a zip by its directory. Entries are placed in the directory's order and read in the file's. */
export async function readZip(source: ByteSource, sink: EntrySink): Promise<void> {
  const directory = readZipDirectory(source, sink.maxEntries + 1)
  const wanted = placeEntries(directory, sink)
  if (wanted.length === 0) return
  const limits = endsOf(directory)
  for (const placed of wanted.sort((left, right) => left.entry.offset - right.entry.offset))
    await readPlaced(source, sink, { ...placed, before: limits.get(placed.entry) ?? 0 })
}

interface Placed {
  readonly entry: ZipEntry
  readonly path: string
}

function placeEntries({ entries, more }: ZipDirectory, sink: EntrySink): Placed[] {
  const wanted: Placed[] = []
  for (const entry of entries) {
    const path = sink.place(entry)
    if (path !== undefined) wanted.push({ entry, path })
    if (sink.done) return wanted
  }
  if (more) throw new ArchiveRefusal(`the archive has more than ${sink.maxEntries} entries`)
  return wanted
}

const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30

/** Where each entry must have ended: at the next one's header, or the directory. Entries that share
 *  bytes make a small file unpack into any size. */
function endsOf({ entries, start }: ZipDirectory): Map<ZipEntry, number> {
  const ordered = [...entries].sort((left, right) => left.offset - right.offset)
  const ends = new Map<ZipEntry, number>()
  for (const [at, entry] of ordered.entries()) {
    const before = ordered[at + 1]?.offset ?? start
    if (entry.offset + leastBytes(entry) > before) throw overlapping(entry)
    ends.set(entry, before)
  }
  return ends
}

function leastBytes({ rawName, compressed }: ZipEntry): number {
  return LOCAL_BYTES + rawName.length + compressed
}

function overlapping(entry: ZipEntry): ArchiveRefusal {
  return refuseEntry(entry.name, "shares its bytes with another entry or lies outside the archive")
}

interface Bounded extends Placed {
  readonly before: number
}

/** A larger entry is unpacked as a stream, in step with writing it. */
const MAX_AT_ONCE = 4 * 1024 * 1024

async function readPlaced(source: ByteSource, sink: EntrySink, bounded: Bounded): Promise<void> {
  const { entry, path } = bounded
  refuseUnreadable(entry)
  const start = dataStart(source, sink, bounded)
  if (Math.max(entry.size, entry.compressed) > MAX_AT_ONCE)
    return readLarge({ source, sink, start }, bounded)
  const packed = source.view(start, entry.compressed)
  if (packed.length < entry.compressed) throw refuseEntry(entry.name, "is cut off")
  const bytes = entry.method === STORED ? packed : inflate(packed, entry)
  checkWhole(entry, bytes.length, crc32(bytes))
  sink.put(path, entry.name, bytes)
}

function refuseUnreadable({ name, method, encrypted, size, compressed }: ZipEntry) {
  if (encrypted) throw refuseEntry(name, "is encrypted")
  if (method !== STORED && method !== DEFLATED)
    throw refuseEntry(
      name,
      `is packed by ${METHODS.get(method) ?? `method ${method}`}, not read here`,
    )
  if (method === STORED && size !== compressed)
    throw refuseEntry(name, "is stored and yet says two sizes")
}

/** Behind the local header, which is asked for nothing but its own length. */
function dataStart(source: ByteSource, sink: EntrySink, { entry, before }: Bounded): number {
  const header = source.view(entry.offset, LOCAL_BYTES)
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw refuseEntry(entry.name, "is not where the directory says")
  const nameBytes = header.readUInt16LE(26)
  const start = entry.offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28)
  if (start + entry.compressed > before) throw overlapping(entry)
  const name = source.view(entry.offset + LOCAL_BYTES, nameBytes).toString("latin1")
  if (name !== entry.rawName) sink.note(`${entry.name} has another name beside its bytes`)
  return start
}

const LEAST_CHUNK = 64

function inflate(packed: Buffer, { name, size }: ZipEntry): Buffer {
  // One more than it says: who reaches it has lied.
  const options = { chunkSize: Math.max(LEAST_CHUNK, size + 1), maxOutputLength: size + 1 }
  try {
    return inflateRawSync(packed, options)
  } catch (error) {
    throw damaged(name, error)
  }
}

function damaged(name: string, error: unknown): ArchiveRefusal {
  if (error instanceof ArchiveRefusal) return error
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code === "ERR_BUFFER_TOO_LARGE") return refuseEntry(name, "is larger than it says")
  return refuseEntry(name, `is damaged: ${message}`)
}

function checkWhole({ name, size, crc }: ZipEntry, bytes: number, sum: number) {
  if (bytes > size) throw refuseEntry(name, "is larger than it says")
  if (bytes < size) throw refuseEntry(name, "is shorter than it says")
  if (sum !== crc) throw refuseEntry(name, "is damaged: its checksum is another")
}

interface From {
  readonly source: ByteSource
  readonly sink: EntrySink
  readonly start: number
}

async function readLarge({ source, sink, start }: From, { entry, path }: Bounded): Promise<void> {
  const packed = source.chunks(start, start + entry.compressed)
  const writer = sink.create(path, entry.name)
  let bytes = 0
  let sum = 0
  for await (const chunk of entry.method === STORED ? packed : inflated(packed, entry)) {
    bytes += chunk.length
    if (bytes > entry.size) throw refuseEntry(entry.name, "is larger than it says")
    sum = crc32(chunk, sum)
    writer.write(chunk)
  }
  writer.end()
  checkWhole(entry, bytes, sum)
}

const CHUNK_BYTES = 256 * 1024
/** How far unpacking, which has a thread of its own, may run ahead of writing. */
const AHEAD_BYTES = 2 * 1024 * 1024

async function* inflated(packed: Iterable<Buffer>, { name }: ZipEntry): AsyncGenerator<Buffer> {
  const options = { chunkSize: CHUNK_BYTES, readableHighWaterMark: AHEAD_BYTES }
  const stream = Readable.from(packed, { objectMode: false }).pipe(createInflateRaw(options))
  try {
    for await (const chunk of stream) yield chunk
  } catch (error) {
    throw damaged(name, error)
  }
}
