import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"

/** What others may do with a file: read, write, run it. */
const OTHERS = 0o077
// A link is not followed, and a pipe is not waited for.
const LOOK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Make a folder its owner's alone, whoever made it and however: 0700, and what lies in it without any
 *  right for others. Gives the paths that had to be changed. A folder of another user is refused: it
 *  could not be kept private.
 *
 *  A folder that is private already hides what lies in it, so only its own files are looked at then;
 *  `deep` looks at everything. */
export async function makePrivate(folder: string, deep = false): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await requireOwn(handle, folder)
    const mended = await shut(handle, folder).catch(() => [])
    if (process.getuid && ((await handle.stat()).mode & OTHERS) !== 0)
      throw new Error(
        `${folder} lies on a disk that keeps no rights, so it cannot be kept private: ` +
          "name a folder elsewhere with --data or COMPOSITOR_DATA",
      )
    const inside = await shutInside(folder, deep || mended.length > 0)
    return [...mended, ...inside]
  } finally {
    await handle.close()
  }
}

async function requireOwn(handle: FileHandle, folder: string) {
  const user = process.getuid?.()
  const { uid } = await handle.stat()
  if (user === undefined || uid === user) return
  throw new Error(
    `${folder} belongs to user ${uid} and not to you (${user}), so it cannot be kept private: ` +
      `sudo chown -R ${user} ${folder}, or name another folder with --data or COMPOSITOR_DATA`,
  )
}

async function shut(handle: FileHandle, path: string): Promise<string[]> {
  const { mode, uid } = await handle.stat()
  if ((mode & OTHERS) === 0 || uid !== process.getuid?.()) return []
  await handle.chmod(mode & 0o7777 & ~OTHERS)
  return [path]
}

async function shutInside(folder: string, deep: boolean): Promise<string[]> {
  const mended: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) continue
    const path = join(folder, entry.name)
    // It may be gone, or something else, by now.
    const handle = await open(path, LOOK).catch(() => undefined)
    if (!handle) continue
    try {
      mended.push(...(await shut(handle, path)))
    } finally {
      await handle.close()
    }
    if (deep && entry.isDirectory()) mended.push(...(await shutInside(path, deep)))
  }
  return mended
}
