import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import {
  MAX_BODY_BYTES,
  type MemoryEntry,
  MemoryName,
  type MemoryScope,
  printEntry,
  readEntry,
} from "./entry.ts"

export const MAX_ENTRIES = 500
/** A file holds a body and a head. */
const MAX_FILE_BYTES = MAX_BODY_BYTES + 4096

export interface ShelfFile {
  readonly entry: MemoryEntry
  readonly path: string
  /** The file as it is, for whoever pins it. */
  readonly text: string
}

/** The memories of one scope: a folder with one readable file for each. What was written is on disk
 *  when the call returns. A link, a device or an over-long file in the folder is no memory. */
export class MemoryShelf {
  readonly scope: MemoryScope
  readonly folder: string

  constructor(scope: MemoryScope, folder: string) {
    this.scope = scope
    this.folder = folder
  }

  async list(): Promise<ShelfFile[]> {
    const names = (await readdir(this.folder).catch(() => []))
      .filter((file) => file.endsWith(".md"))
      .map((file) => file.slice(0, -3))
      .filter((name) => MemoryName.safeParse(name).success)
      .sort()
      .slice(0, MAX_ENTRIES)
    const files = await Promise.all(names.map((name) => this.read(name)))
    return files.filter((file) => file !== undefined)
  }

  async read(name: string): Promise<ShelfFile | undefined> {
    const path = this.path(name)
    const text = await readSmall(path)
    if (text === undefined) return undefined
    return { entry: readEntry(text, { scope: this.scope, name }), path, text }
  }

  async write(entry: MemoryEntry): Promise<ShelfFile> {
    await this.#folderIsOurs()
    const path = this.path(entry.name)
    const text = printEntry(entry)
    const temporary = `${path}.${randomUUID()}.part`
    try {
      await writeDurably(temporary, text)
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(this.folder)
    return { entry, path, text }
  }

  async delete(name: string): Promise<boolean> {
    const found = await lstat(this.path(name)).catch(() => undefined)
    if (!found) return false
    await rm(this.path(name), { force: true })
    await syncFolder(this.folder)
    return true
  }

  path(name: string): string {
    return join(this.folder, `${MemoryName.parse(name)}.md`)
  }

  // A repository may hold a link where its memory should be: nothing is written through it.
  async #folderIsOurs(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const found = await lstat(this.folder)
    if (!found.isDirectory())
      throw new Error(`${this.folder} is not a folder, so nothing is kept in it`)
  }
}

async function readSmall(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch(() => undefined)
  if (!handle) return undefined
  try {
    const { size } = await handle
      .stat()
      .then((found) => (found.isFile() ? found : { size: Infinity }))
    return size > MAX_FILE_BYTES ? undefined : await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
