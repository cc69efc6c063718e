import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { errorCode } from "compositor-core/message/untyped"
import { BlobTooLarge, BLOCK_BYTES, inBlocks, readChunks } from "./blocks.ts"
import { notStored, storageFailure, syncFile, SyncFailed } from "../disk/disk-failure.ts"

export { BlobTooLarge }

export interface StoredBlob {
  readonly content_id: string
  readonly size: number
}

export interface ListedBlob extends StoredBlob {
  readonly modified_at: number
}

/** Half-open: `start` is in, `end` is not. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes by the SHA-256 of what they are. Every store keeps four promises, and
 *  `test/files/blobs.contract.ts` asks each for them: what `put` returned is durable; the same
 *  bytes are one blob, however often and by however many they are put; a put that fails leaves
 *  nothing; no medium is ever held in memory whole, except by `putBytes`. */
export interface BlobStore {
  /** Throws `BlobTooLarge` as soon as more than `maxBytes` have come. */
  put(chunks: AsyncIterable<Uint8Array>, limits: { readonly maxBytes: number }): Promise<StoredBlob>
  putBytes(bytes: Uint8Array): Promise<StoredBlob>
  /** Iterating throws `BlobMissing` when there is no such blob. */
  open(content_id: string, range?: ByteRange): AsyncIterable<Uint8Array>
  size(content_id: string): Promise<number | undefined>
  /** Whether the bytes are in the one place that all share, whatever copies are nearer. */
  isKept(content_id: string): Promise<boolean>
  /** Removing what is not there is fine. With `put_before`, what was put since then stays. `wanted` is
   *  asked when nobody finds the bytes any more: then they go for good, or come back. Whoever puts
   *  bytes, names them in a row and then finds them kept can so rely on them, whoever removes the
   *  same ones meanwhile. */
  remove(content_id: string, put_before?: number, wanted?: () => Promise<boolean>): Promise<void>
  /** `modified_at` is the last time anyone put these bytes: a sweeper spares what is young. */
  list(): AsyncIterable<ListedBlob>
  /** Remove what a crash left half written. */
  sweepTemporary(now?: number): Promise<void>
  /** Where the bytes can be had without us, for a while; null where only we have them. */
  link?(content_id: string, served: ServedAs): Promise<string | null>
}

export interface ServedAs {
  readonly type: string
  readonly disposition: "inline" | "attachment"
}

/** The place where blobs are kept could not do what was asked of it. */
export class BlobsFailed extends Error {}

export class BlobMissing extends Error {
  override readonly name = "BlobMissing"

  constructor(content_id: string) {
    super(`there is no blob ${content_id}`)
  }
}

const CONTENT_ID = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/
const FOLDER_NAME = /^[0-9a-f]{2}$/
const FILE_NAME = /^[0-9a-f]{62}$/
const TEMPORARY_LIFETIME_MS = 60 * 60 * 1000

/** Blobs as files: `<folder>/ab/cdef…`, written under `<folder>/tmp` and renamed into place. */
export class FileBlobs implements BlobStore {
  readonly #folder: string
  readonly #temporary: string
  /** Folders that are there and will be there after a power cut. */
  readonly #folders = new Map<string, Promise<void>>()
  readonly #broken: ((reason: string) => void) | undefined

  /** `broken` is called when the disk failed to sync: nothing more may be acknowledged. */
  constructor(folder: string, broken?: (reason: string) => void) {
    this.#folder = resolve(folder)
    this.#temporary = join(this.#folder, "tmp")
    this.#broken = broken
  }

  put(
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
  ): Promise<StoredBlob> {
    return this.#writing(() => this.#put(chunks, limits))
  }

  async #put(
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
  ): Promise<StoredBlob> {
    await this.#makeFolder(this.#temporary)
    const path = join(this.#temporary, randomUUID())
    try {
      const blob = await writeHashed(path, chunks, limits.maxBytes)
      await this.#land(path, blob)
      return blob
    } finally {
      await rm(path, { force: true })
    }
  }

  async putBytes(bytes: Uint8Array): Promise<StoredBlob> {
    const content_id = computeContentId(bytes)
    const blob = { content_id, size: bytes.length }
    if (await this.#writing(() => this.#keep(blob))) return blob
    return this.put(once(bytes), { maxBytes: bytes.length })
  }

  async *open(content_id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    const handle = await this.#openFile(content_id)
    try {
      yield* readChunks(handle, range)
    } finally {
      await handle.close()
    }
  }

  async size(content_id: string): Promise<number | undefined> {
    const place = this.#place(content_id)
    return place && (await fileSize(place.path))
  }

  async isKept(content_id: string): Promise<boolean> {
    return (await this.size(content_id)) !== undefined
  }

  async remove(
    content_id: string,
    put_before = Number.POSITIVE_INFINITY,
    wanted?: () => Promise<boolean>,
  ): Promise<void> {
    const place = this.#place(content_id)
    const stats = place && (await statsOf(place.path))
    if (!stats || stats.mtimeMs >= put_before) return
    await this.#writing(async () => {
      if (wanted) await this.#removeUnless(wanted, place.path)
      else await rm(place.path, { force: true })
      await syncFolder(place.folder)
    })
  }

  async #removeUnless(wanted: () => Promise<boolean>, path: string) {
    await this.#makeFolder(this.#temporary)
    const aside = join(this.#temporary, randomUUID())
    const gone = await rename(path, aside).catch(unlessMissing)
    if (gone === "missing") return
    if (await wanted()) await rename(aside, path)
    else await rm(aside, { force: true })
  }

  async *list(): AsyncIterable<ListedBlob> {
    for (const prefix of await namesIn(this.#folder, FOLDER_NAME))
      for (const rest of await namesIn(join(this.#folder, prefix), FILE_NAME)) {
        const stats = await stat(join(this.#folder, prefix, rest)).catch(() => undefined)
        if (!stats) continue
        const modified_at = Math.trunc(stats.mtimeMs)
        yield { content_id: `sha256:${prefix}${rest}`, size: stats.size, modified_at }
      }
  }

  async sweepTemporary(now: number = Date.now()): Promise<void> {
    for (const name of await namesIn(this.#temporary, /./)) {
      const path = join(this.#temporary, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats && now - stats.mtimeMs > TEMPORARY_LIFETIME_MS) await rm(path, { force: true })
    }
  }

  async #writing<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write()
    } catch (error) {
      if (error instanceof SyncFailed) this.#broken?.(error.message)
      throw storageFailure(error)
    }
  }

  async #land(temporary: string, blob: StoredBlob) {
    if (await this.#keep(blob)) return
    const { folder, path } = this.#placeOf(blob.content_id)
    await this.#makeFolder(folder)
    await rename(temporary, path)
    await syncFolder(folder)
  }

  #makeFolder(path: string): Promise<void> {
    const known = this.#folders.get(path)
    if (known) return known
    const made = makeFolder(path)
    this.#folders.set(path, made)
    made.catch(() => this.#folders.delete(path))
    return made
  }

  /** True when the blob is there. Its folder is synced again, because whoever put it first may not
   *  have come that far, and it counts as put now. */
  async #keep(blob: StoredBlob): Promise<boolean> {
    const { folder, path } = this.#placeOf(blob.content_id)
    if ((await fileSize(path)) !== blob.size) return false
    const now = new Date()
    const touched = await utimes(path, now, now).then(
      () => true,
      () => false,
    )
    if (touched) await syncFolder(folder)
    return touched
  }

  async #openFile(content_id: string): Promise<FileHandle> {
    const place = this.#place(content_id)
    if (!place) throw new BlobMissing(content_id)
    try {
      return await open(place.path, "r")
    } catch (error) {
      if (isMissing(error)) throw new BlobMissing(content_id)
      throw error
    }
  }

  #placeOf(content_id: string) {
    const place = this.#place(content_id)
    if (!place) throw new Error(`${content_id} is not a content id`)
    return place
  }

  // Ids come from outside: only one that is nothing but digits becomes a path.
  #place(content_id: string) {
    const [, prefix, rest] = CONTENT_ID.exec(content_id) ?? []
    if (prefix === undefined || rest === undefined) return undefined
    const folder = join(this.#folder, prefix)
    return { folder, path: join(folder, rest) }
  }
}

export function computeContentId(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`
}

async function writeHashed(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBlob> {
  const hash = createHash("sha256")
  let size = 0
  const handle = await open(path, "wx", 0o600)
  try {
    for await (const block of inBlocks(chunks, { maxBytes, block_bytes: BLOCK_BYTES, blocks: 1 })) {
      size += block.length
      const written = writeAll(handle, block)
      hash.update(block)
      await written
    }
    await syncFile(handle)
  } finally {
    await handle.close()
  }
  return { content_id: `sha256:${hash.digest("hex")}`, size }
}

async function writeAll(handle: FileHandle, block: Uint8Array) {
  let from = 0
  while (from < block.length) from += (await handle.write(block, from)).bytesWritten
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** A new folder is safe once the folders above it know of it. */
async function makeFolder(path: string) {
  const first = (await mkdir(path, { recursive: true, mode: 0o700 }).catch(notMade)) ?? path
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    await syncFolder(dirname(folder))
}

// What goes wrong on the way down is told as a folder that is not there.
function notMade(error: unknown): never {
  throw notStored(error)
}

async function syncFolder(path: string) {
  const handle = await open(path, "r")
  try {
    await syncFile(handle)
  } finally {
    await handle.close()
  }
}

async function fileSize(path: string): Promise<number | undefined> {
  return (await statsOf(path))?.size
}

async function statsOf(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => pattern.test(name)).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function unlessMissing(error: unknown): "missing" {
  if (isMissing(error)) return "missing"
  throw error
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT"
}
