import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import type { BlobStore, ByteRange } from "./blobs.ts"
import { BlobsBehind } from "./blobs-behind.ts"
import { readChunks } from "./blocks.ts"
import { isRunning } from "../disk/running.ts"

/** So long a copy is kept: what was deleted elsewhere is gone from here by then. */
const KEPT_MS = 60 * 60 * 1000
/** A larger share of the folder is not given to one blob. */
const LARGEST_SHARE = 4

interface Copy {
  readonly size: number
  readonly made_at: number
}

/** Blobs that are far away, with copies of what was read lately in a folder of bounded size: a
 *  conversation sends the same media with every request. The copies are this process's alone, each was
 *  checked against its name, and those of processes that are gone are removed. */
export class CopiedBlobs extends BlobsBehind {
  readonly #folder: string
  readonly #max_bytes: number
  /** Least recently read first. */
  readonly #copies = new Map<string, Copy>()
  #bytes = 0
  #ready: Promise<void> | undefined

  constructor(far: BlobStore, { folder, max_bytes }: { folder: string; max_bytes: number }) {
    super(far)
    this.#folder = join(resolve(folder), String(process.pid))
    this.#max_bytes = max_bytes
  }

  override async *open(content_id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    const near = await this.#openCopy(content_id)
    if (near) return yield* readCopy(near, range)
    if (!range) return yield* this.#copying(content_id)
    const copied = await this.#copyWhole(content_id)
    if (copied) return yield* readCopy(copied, range)
    yield* this.behind.open(content_id, range)
  }

  override async size(content_id: string) {
    return this.#copies.get(content_id)?.size ?? (await this.behind.size(content_id))
  }

  override async remove(content_id: string, put_before?: number, wanted?: () => Promise<boolean>) {
    await this.#forget(content_id)
    await this.behind.remove(content_id, put_before, wanted)
  }

  override async sweepTemporary(now: number = Date.now()) {
    for (const [content_id, { made_at }] of this.#copies)
      if (now - made_at > KEPT_MS) await this.#forget(content_id)
    await this.behind.sweepTemporary(now)
  }

  async #openCopy(content_id: string): Promise<FileHandle | undefined> {
    const copy = this.#copies.get(content_id)
    if (!copy) return undefined
    this.#copies.delete(content_id)
    this.#copies.set(content_id, copy)
    return open(this.#pathOf(content_id), "r").catch(() => undefined)
  }

  // A piece alone cannot be checked against the name: it is read from a copy of the whole, which was. A
  // blob that is too large for a copy is believed.
  async #copyWhole(content_id: string): Promise<FileHandle | undefined> {
    const size = await this.behind.size(content_id)
    if (size === undefined || size > this.#max_bytes / LARGEST_SHARE) return undefined
    let read = 0
    for await (const chunk of this.#copying(content_id)) {
      read += chunk.length
      if (read > size) throw otherBytes(content_id)
    }
    return this.#openCopy(content_id)
  }

  // Passes the bytes on while it writes them down, the last of them when all were checked. A reader who
  // leaves early leaves no copy.
  async *#copying(content_id: string): AsyncIterable<Uint8Array> {
    await (this.#ready ??= emptied(this.#folder))
    const draft = await Draft.begin(join(this.#folder, randomUUID()))
    let held: Uint8Array | undefined
    try {
      for await (const chunk of this.behind.open(content_id)) {
        if (draft.size + chunk.length <= this.#max_bytes / LARGEST_SHARE) await draft.write(chunk)
        else await draft.drop()
        draft.hash.update(chunk)
        if (held) yield held
        held = chunk
      }
      if (`sha256:${draft.hash.digest("hex")}` !== content_id) throw otherBytes(content_id)
      if (await draft.land(this.#pathOf(content_id))) await this.#keep(content_id, draft.size)
      if (held) yield held
    } finally {
      await draft.drop()
    }
  }

  async #keep(content_id: string, size: number) {
    if (this.#copies.has(content_id)) return
    this.#copies.set(content_id, { size, made_at: Date.now() })
    this.#bytes += size
    for (const oldest of this.#copies.keys()) {
      if (this.#bytes <= this.#max_bytes) return
      await this.#forget(oldest)
    }
  }

  async #forget(content_id: string) {
    const copy = this.#copies.get(content_id)
    if (!copy) return
    this.#copies.delete(content_id)
    this.#bytes -= copy.size
    await rm(this.#pathOf(content_id), { force: true })
  }

  // Only ids that the far store gave bytes for, or that are in the map, come here.
  #pathOf(content_id: string): string {
    return join(this.#folder, content_id.slice("sha256:".length))
  }
}

function otherBytes(content_id: string): Error {
  return new Error(`the blob ${content_id} has other bytes than its name says`)
}

/** A copy that is being written. A disk that is full makes no copy, and nothing else. */
class Draft {
  readonly hash = createHash("sha256")
  readonly #path: string
  #handle: FileHandle | undefined
  size = 0

  static async begin(path: string): Promise<Draft> {
    return new Draft(path, await open(path, "wx", 0o600).catch(() => undefined))
  }

  private constructor(path: string, handle: FileHandle | undefined) {
    this.#path = path
    this.#handle = handle
  }

  async write(chunk: Uint8Array) {
    this.size += chunk.length
    const written = await this.#handle?.write(chunk).catch(() => undefined)
    if (written?.bytesWritten !== chunk.length) await this.drop()
  }

  async land(path: string): Promise<boolean> {
    if (!this.#handle) return false
    await this.#close()
    return rename(this.#path, path).then(
      () => true,
      () => false,
    )
  }

  async drop() {
    if (!this.#handle) return
    await this.#close()
    await rm(this.#path, { force: true })
  }

  async #close() {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

async function* readCopy(handle: FileHandle, range: ByteRange | undefined) {
  try {
    yield* readChunks(handle, range)
  } finally {
    await handle.close()
  }
}

async function emptied(folder: string) {
  const all = dirname(folder)
  await mkdir(all, { recursive: true, mode: 0o700 })
  for (const name of await readdir(all))
    if (!isRunning(Number(name)) || name === basename(folder))
      await rm(join(all, name), { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
}
