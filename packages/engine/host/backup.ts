import { cp, readdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type BlobStore, FileBlobs } from "compositor-files/blobs/blobs"
import { makePrivate } from "compositor-files/disk/private-folder"
import type { Store } from "../store/store.ts"
import { MAX_UPLOAD_BYTES } from "../uploads/upload.ts"

interface BackupDestination {
  /** The data folder that is copied. */
  readonly data: string
  readonly store: Pick<Store, "backup" | "knownBlobs">
  readonly blobs: Pick<BlobStore, "open">
  /** An empty or new folder. */
  readonly folder: string
  readonly progress: (done: number, total: number) => void
}

/** What a copy has from elsewhere, or what is of this machine and this moment only. */
const NOT_COPIED = /^(compositor\.db.*|blobs|copies|scratch|server\.json.*|token)$/

/** Copy what a host keeps, while it is in use, into a folder that can be a data folder: rows by the
 *  engine's own means (or, from PostgreSQL, all rows of one moment), the blobs that they name from
 *  wherever those lie, and the folder's own files: settings, memory, agents, skills, trust. */
export async function backup({ data, store, blobs, folder, progress }: BackupDestination) {
  const target = resolve(folder)
  await makePrivate(target)
  if ((await readdir(target)).length > 0) throw new Error(`${target} is not empty`)
  await store.backup(join(target, "compositor.db"), progress)
  const copies = new FileBlobs(join(target, "blobs"))
  const known = await store.knownBlobs()
  for (const content_id of known)
    await copies.put(blobs.open(content_id), { maxBytes: MAX_UPLOAD_BYTES })
  for (const name of await readdir(data))
    if (!NOT_COPIED.test(name))
      await cp(join(data, name), join(target, name), { recursive: true, verbatimSymlinks: true })
  await makePrivate(target, true)
  return { folder: target, blobs: known.length }
}
