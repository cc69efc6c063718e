import { constants, type Stats } from "node:fs"
import { lstat, open, readdir, rmdir, unlink } from "node:fs/promises"
import { pathThrough } from "./within.ts"

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Remove an entry of a folder and all below it. No link is followed: each folder is opened as a
 *  folder and what lies in it is removed through what was opened, so that a folder that is swapped
 *  for a link meanwhile costs nobody a file. What is not there is fine. */
export async function removeTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(missing)
  if (!stats) return
  if (!stats.isDirectory()) return unlink(path).catch(missing)
  await emptyFolder(path)
  await rmdir(path).catch(missing)
}

async function emptyFolder(path: string) {
  const handle = await open(path, FOLDER_FLAGS).catch(missing)
  if (!handle) return
  try {
    const through = await pathThrough(handle, path)
    for (const name of await readdir(through)) await removeTree(`${through}/${name}`)
  } finally {
    await handle.close()
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}

/** What a folder and all below it hold. Links count as files and are not followed. */
export async function measureTree(path: string): Promise<{ bytes: number; files: number }> {
  const handle = await open(path, FOLDER_FLAGS)
  let bytes = 0
  let files = 0
  try {
    const through = await pathThrough(handle, path)
    for (const name of await readdir(through)) {
      const stats: Stats | undefined = await lstat(`${through}/${name}`).catch(missing)
      if (!stats) continue
      files += 1
      if (!stats.isDirectory()) bytes += stats.size
      else {
        const below = await measureTree(`${through}/${name}`)
        bytes += below.bytes
        files += below.files
      }
    }
  } finally {
    await handle.close()
  }
  return { bytes, files }
}
