import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { openWithin, pathThrough } from "compositor-files/disk/within"
import { MAX_BODY_BYTES, MemoryName, type MemoryScope } from "compositor-core/contract/memory"
import { type MemoryEntry, printEntry, readMemoryEntry } from "./entry.ts"

export const MAX_ENTRIES = 500
/** A file holds a body and a head. */
const MAX_FILE_BYTES = MAX_BODY_BYTES + 4096

export interface MemoryFile {
  readonly entry: MemoryEntry
  readonly path: string
  /** The file as it is, for whoever pins it. */
  readonly text: string
}

/** The memories of one scope: a folder with one readable file for each. What was written is on disk
 *  when the call returns. A link, a device or an over-long file in the folder is no memory. */
export class MemoryFolder {
  readonly scope: MemoryScope
  readonly folder: string
  readonly #root: string

  /** `root` is what the folder must lie in, links followed: a repository may hold a link where its
   *  memory should be, or above it, and nothing is read or written through that. */
  constructor(scope: MemoryScope, folder: string, root = folder) {
    this.scope = scope
    this.folder = folder
    this.#root = root
  }

  async list(): Promise<MemoryFile[]> {
    const names = (await this.#opened(({ at }) => readdir(at), []))
      .filter((file) => file.endsWith(".md"))
      .map((file) => file.slice(0, -3))
      .filter((name) => MemoryName.safeParse(name).success)
      .sort()
      .slice(0, MAX_ENTRIES)
    const files = await Promise.all(names.map((name) => this.read(name)))
    return files.filter((file) => file !== undefined)
  }

  async read(name: string): Promise<MemoryFile | undefined> {
    const path = this.path(name)
    const text = await this.#opened(({ at }) => readSmall(join(at, fileOf(name))), undefined)
    if (text === undefined) return undefined
    return { entry: readMemoryEntry(text, { scope: this.scope, name }), path, text }
  }

  async write(entry: MemoryEntry): Promise<MemoryFile> {
    await this.#make()
    const path = this.path(entry.name)
    const text = printEntry(entry)
    const written = await this.#opened(async ({ at, handle }) => {
      await replace(join(at, fileOf(entry.name)), text)
      await handle.sync()
      return true
    }, false)
    if (written) return { entry, path, text }
    throw notOurs(this.folder)
  }

  async delete(name: string): Promise<boolean> {
    return this.#opened(async ({ at, handle }) => {
      const path = join(at, fileOf(name))
      const found = await lstat(path).catch(() => undefined)
      if (!found) return false
      await rm(path, { force: true })
      await handle.sync()
      return true
    }, false)
  }

  path(name: string): string {
    return join(this.folder, fileOf(name))
  }

  /** What lies in the folder is reached through it as it was opened: nobody can turn a link meanwhile. */
  async #opened<Value>(
    work: (folder: { readonly at: string; readonly handle: FileHandle }) => Promise<Value>,
    otherwise: Value,
  ): Promise<Value> {
    const opened = await openWithin(this.#root, this.folder, "folder")
    if (opened.type === "refused") return otherwise
    const { handle, realPath } = opened
    try {
      return await work({ at: await pathThrough(handle, realPath), handle })
    } finally {
      await handle.close()
    }
  }

  async #make(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 })
    let above = this.#root
    for (const step of relative(this.#root, this.folder).split(sep).filter(Boolean)) {
      await new MemoryFolder(this.scope, above, this.#root).#opened(
        ({ at }) => mkdir(join(at, step), 0o700).catch(unlessThere),
        undefined,
      )
      above = join(above, step)
    }
    if (!(await lstat(this.folder)).isDirectory()) throw notOurs(this.folder)
  }
}

function notOurs(folder: string): Error {
  return new Error(`${folder} is not a folder, so nothing is kept in it`)
}

function fileOf(name: string): string {
  return `${MemoryName.parse(name)}.md`
}

function unlessThere(error: NodeJS.ErrnoException) {
  if (error.code !== "EEXIST") throw error
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`
  try {
    await writeDurably(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
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
