import { createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { crc32, createInflateRaw } from "node:zlib"
import { refuse } from "./refusal.ts"

/** A zip that is one document: office files, books, designs. Bytes are counted as they come out, and
 *  what its directory says of them must be true. */
export class ZipPackage {
  readonly #path: string
  readonly #handle: FileHandle
  readonly #entries: ReadonlyMap<string, Entry>
  #left = MAX_UNPACKED_BYTES

  private constructor(path: string, handle: FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#path = path
    this.#handle = handle
    this.#entries = entries
  }

  static async open(path: string): Promise<ZipPackage> {
    const handle = await open(path)
    const { size } = await handle.stat()
    const mark = await readAt(handle, 0, COMPOUND.length)
    if (mark.equals(COMPOUND))
      refuse("It is encrypted, and needs a password; or it is older than its name says.")
    return new ZipPackage(path, handle, await directory(handle, size))
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The bytes of an entry, as they are unpacked. */
  async *chunks(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (!entry) return refuse(`It has no ${name}, which a file of its kind has.`)
    const start = await this.#dataStart(entry)
    if (entry.packed === 0) return
    const raw = createReadStream(this.#path, { start, end: start + entry.packed - 1 })
    const source = entry.method === STORED ? raw : raw.pipe(createInflateRaw())
    raw.on("error", (error) => source.destroy(error))
    let size = 0
    let sum = 0
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > entry.size)
          refuse(`${name} inside is larger than the ${entry.size} bytes it claims.`)
        this.#spend(chunk.length)
        sum = crc32(chunk, sum)
        yield chunk
      }
      if (sum !== entry.sum) refuse(`${name} inside is damaged: its checksum is another.`)
    } finally {
      raw.destroy()
      source.destroy()
    }
  }

  /** An entry as a whole, when it is small. */
  async bytes(name: string, most: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.chunks(name)) {
      size += chunk.length
      if (size > most) refuse(`${name} inside is larger than ${most} bytes.`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async #dataStart({ offset, method, name }: Entry): Promise<number> {
    if (method !== STORED && method !== DEFLATED)
      refuse(`${name} inside is packed by method ${method}, which documents do not use.`)
    const header = await readAt(this.#handle, offset, LOCAL_BYTES)
    if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_MARK)
      refuse(`${name} inside is not where the file says it is.`)
    return offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  }

  #spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) refuse(`It unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB.`)
  }
}

interface Entry {
  readonly name: string
  readonly method: number
  readonly packed: number
  readonly size: number
  readonly offset: number
  readonly sum: number
}

/** How files of the older Office begin, and those of the newer one that are encrypted. */
const COMPOUND = Buffer.from("d0cf11e0a1b11ae1", "hex")
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
const MAX_ENTRIES = 20_000
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const LOCAL_MARK = 0x04034b50
const LOCAL_BYTES = 30
const CENTRAL_MARK = 0x02014b50
const CENTRAL_BYTES = 46
const END_MARK = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535

async function directory(handle: FileHandle, size: number): Promise<Map<string, Entry>> {
  const tailStart = Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES)
  const tail = await readAt(handle, tailStart, size - tailStart)
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || end + END_BYTES > tail.length || tail.readUInt32LE(end) !== END_MARK)
    return refuse("It ends before its directory: the file is damaged or was cut off.")
  const count = tail.readUInt16LE(end + 10)
  const length = tail.readUInt32LE(end + 12)
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY_BYTES)
    return refuse(`It holds ${count} entries, more than a document has.`)
  const bytes = await readAt(handle, tail.readUInt32LE(end + 16), length)
  return readEntries(bytes)
}

function readEntries(bytes: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  let at = 0
  while (at + CENTRAL_BYTES <= bytes.length && bytes.readUInt32LE(at) === CENTRAL_MARK) {
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString("utf8", at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength)
    if (bytes.readUInt16LE(at + 8) & ENCRYPTED) refuse("It is encrypted, and needs a password.")
    const entry = {
      name,
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
      sum: bytes.readUInt32LE(at + 16),
    }
    // The first of a name counts, as for other readers: a second one is hidden, not chosen.
    if (!entries.has(name)) entries.set(name, entry)
    at += CENTRAL_BYTES + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  if (entries.size === 0) refuse("Its directory is empty or damaged.")
  return entries
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
