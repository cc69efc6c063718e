import { realpathSync } from "node:fs"
import { lstat, mkdir, readdir, utimes } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import process from "node:process"
import { PATH_DIGITS, attachmentPath, ALL_DIGITS } from "compositor-core/file/attachment-path"
import type { BlobStore, StoredBlob } from "../blobs/blobs.ts"
import { fileChunks } from "../blobs/blocks.ts"
import { type Changed, type Mutated, mutateFile } from "../disk/mutate.ts"
import { measureTree, removeTree } from "../disk/remove-tree.ts"
import { EXTRACTING } from "../archives/destination.ts"
import { sweepTemporary } from "../disk/temporary.ts"
import { refuseAsFailed, openWithin, type RefusedPath } from "../disk/within.ts"

export interface ScratchQuota {
  readonly bytes: number
  /** Files and folders. */
  readonly files: number
}

export const SCRATCH_QUOTA: ScratchQuota = { bytes: 100 * 1024 * 1024, files: 10_000 }

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The scratch folders of all sessions, under one folder that is this user's alone. A folder that
 *  belongs to someone else, or is a link, is left as it is and nothing is done in it (SCR-003). */
export class ScratchFolders {
  readonly #base: string
  readonly #quota: ScratchQuota

  constructor(base: string, quota: ScratchQuota = SCRATCH_QUOTA) {
    this.#base = join(realPathOf(dirname(resolve(base))), basename(base))
    this.#quota = quota
    void this.#sweepLeft().catch(() => undefined)
  }

  /** The session's own folder. It lives at least as long as the session is used (BIN-051). */
  async open(session_id: string, quota: ScratchQuota = this.#quota): Promise<Scratch> {
    const path = this.pathOf(session_id)
    await makeOwn(this.#base)
    await makeOwn(path)
    const now = new Date()
    await utimes(path, now, now)
    return new Scratch(path, quota)
  }

  async remove(session_id: string): Promise<void> {
    const path = this.pathOf(session_id)
    if (await isOwn(this.#base)) await removeTree(path)
  }

  /** Remove what nobody has used since `before`, and what belongs to no session any more. */
  async sweep(options: {
    readonly before: number
    readonly lives?: (session_id: string) => boolean | Promise<boolean>
  }): Promise<readonly string[]> {
    if (!(await isOwn(this.#base))) return []
    const removed: string[] = []
    for (const name of await readdir(this.#base)) {
      const path = join(this.#base, name)
      if (!SESSION_ID.test(name)) continue
      const stats = await lstat(path).catch(() => undefined)
      const isOld = stats !== undefined && stats.mtimeMs < options.before
      if (!isOld && (await (options.lives?.(name) ?? true))) continue
      await removeTree(path)
      removed.push(name)
    }
    return removed
  }

  /** Remove what processes that were killed left half extracted. */
  async #sweepLeft(): Promise<void> {
    if (!(await isOwn(this.#base))) return
    for (const name of await readdir(this.#base))
      if (SESSION_ID.test(name)) await sweepTemporary(join(this.#base, name), EXTRACTING)
  }

  /** Where a session's folder is, or would be. */
  pathOf(session_id: string): string {
    if (SESSION_ID.test(session_id)) return join(this.#base, session_id)
    throw new Error(`${session_id} is no session's id: it has no scratch folder`)
  }
}

/** Without the links above it, so that what is told of a file in it is a path in it. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

async function makeOwn(path: string) {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (!(await isOwn(path)))
    throw new Error(`${path} is a link or belongs to someone else: it is not used as scratch`)
}

/** A folder, no link, ours, and nobody else may look in. */
async function isOwn(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isDirectory()) return false
  const user = process.getuid?.()
  return user === undefined || (stats.uid === user && (stats.mode & 0o077) === 0)
}

/** Where a session puts what it makes. Nothing is written here but through a meter. */
export class Scratch {
  readonly path: string
  readonly quota: ScratchQuota

  constructor(path: string, quota: ScratchQuota) {
    this.path = path
    this.quota = quota
  }

  usage(): Promise<{ bytes: number; files: number }> {
    return measureTree(this.path)
  }

  async write(path: string, bytes: Uint8Array): Promise<Mutated> {
    const reason = await this.lacks({ bytes: bytes.length, files: path.split("/").length })
    if (reason !== undefined) return refuseAsFailed(`${path} is not written: ${reason}`)
    return this.#put(path, { type: "content", bytes })
  }

  #put(path: string, content: Changed): Promise<Mutated> {
    const max_bytes = this.quota.bytes
    return mutateFile({ root: this.path, path, change: () => content, max_bytes })
  }

  /** Why so much more does not fit; undefined when it does. */
  async lacks(more: ScratchQuota): Promise<string | undefined> {
    const { bytes, files } = await this.usage()
    if (bytes + more.bytes > this.quota.bytes)
      return `scratch holds ${bytes} of ${this.quota.bytes} bytes, and ${more.bytes} more do not fit`
    if (files + more.files > this.quota.files)
      return `scratch holds ${files} of ${this.quota.files} files, and ${more.files} more do not fit`
    return undefined
  }

  /** Put a blob into scratch under a name, again if it was swept (SCR-002). */
  async materialise(
    blobs: BlobStore,
    content_id: string,
    { name, shares_digits }: Named,
  ): Promise<{ readonly type: "placed"; readonly path: string } | RefusedPath> {
    const size = await blobs.size(content_id)
    if (size === undefined) return refuseAsFailed(`the bytes of ${name} are gone`)
    const path = attachmentPath(content_id, name, shares_digits ? ALL_DIGITS : PATH_DIGITS)
    const known = await openWithin(this.path, path, "file")
    if (known.type === "opened") {
      await known.handle.close()
      if (known.stats.size === size) return { type: "placed", path: known.realPath }
    }
    const reason = await this.lacks({ bytes: size, files: 3 })
    if (reason !== undefined) return refuseAsFailed(`${name} is not put into scratch: ${reason}`)
    const chunks = () => blobs.open(content_id)
    const written = await this.#put(path, { type: "stream", size, chunks })
    return written.type === "written" ? { type: "placed", path: written.realPath } : written
  }

  /** Make a file of scratch last: its bytes become a blob (SCR-001). */
  async promote(blobs: BlobStore, path: string): Promise<StoredBlob | RefusedPath> {
    const opened = await openWithin(this.path, path, "file")
    if (opened.type === "refused") return opened
    try {
      return await blobs.put(fileChunks(opened.handle), { maxBytes: this.quota.bytes })
    } finally {
      await opened.handle.close()
    }
  }
}

interface Named {
  readonly name: string
  readonly shares_digits?: true | undefined
}
