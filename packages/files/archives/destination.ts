import { lstat, mkdir, readdir, realpath, rename, rm, rmdir } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { makeTemporary } from "../disk/temporary.ts"
import { ArchiveRefusal, shownName } from "./refusal.ts"

/** What the folder is called until it is whole. */
export const EXTRACTING = ".extracting-"

/** A folder that comes to be whole, or not at all. */
export interface Destination {
  /** Where to write: an empty folder beside the destination. */
  readonly folder: string
  /** Put what was written in its place. */
  keep(): Promise<void>
  /** Leave nothing behind. */
  discard(): Promise<void>
}

/** Prepare a folder that is not there yet, or is empty. A link is not followed: it was not the user
 *  who decides where it leads. */
export async function openDestination(to: string): Promise<Destination> {
  const wanted = resolve(to)
  const exists = await refuseUnfit(wanted)
  const made = await mkdir(dirname(wanted), { recursive: true })
  const parent = await realpath(dirname(wanted))
  const stage = await makeTemporary(parent, EXTRACTING)
  const folder = join(stage, "content")
  await mkdir(folder)
  return {
    folder,
    async keep() {
      const target = join(parent, basename(wanted))
      if (exists) await rmdir(target)
      await rename(folder, target)
      await rmdir(stage)
    },
    async discard() {
      await rm(stage, { recursive: true, force: true })
      if (made !== undefined) await removeEmpty(dirname(wanted), made)
    },
  }
}

async function refuseUnfit(wanted: string): Promise<boolean> {
  const stats = await lstat(wanted).catch(() => undefined)
  if (stats === undefined) return false
  if (stats.isSymbolicLink()) throw new ArchiveRefusal(`${shownName(wanted)} is a link`)
  if (!stats.isDirectory()) throw new ArchiveRefusal(`${shownName(wanted)} is not a folder`)
  if ((await readdir(wanted)).length > 0)
    throw new ArchiveRefusal(`${shownName(wanted)} is not empty`)
  return true
}

/** The folders that were made on the way, from the last to the first, as long as they are empty. */
async function removeEmpty(last: string, first: string) {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}
