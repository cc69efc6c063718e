import type { Dirent } from "node:fs"
import { opendir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { type IsAbsent, isInside } from "./visit.ts"

const MAX_DEPTH = 6
const MAX_FOLDERS = 2000
const MAX_FILES = 2000
/** Of one folder. */
const MAX_ENTRIES = 5000

/** How far one discovery may look. Links are followed, but never to a folder seen before, and in a
 *  project never out of it. */
export class SkillSearch {
  /** Every folder that was looked into, for whoever watches. */
  readonly folders: string[] = []
  readonly #root: string | null
  readonly #isAbsent: IsAbsent
  readonly #seen = new Set<string>()
  #files = 0

  /** `root` is the real path that a project's links may not leave; null for the user's folders. */
  constructor(root: string | null, isAbsent: IsAbsent = () => false) {
    this.#root = root
    this.#isAbsent = isAbsent
  }

  /** True when something was left out because there is too much of it. */
  get isCutShort(): boolean {
    return this.folders.length >= MAX_FOLDERS || this.#files >= MAX_FILES
  }

  /** What a folder holds, in order of name; nothing for a folder that may not be looked into. A
   *  folder is entered once, whatever it is called. */
  async enter(folder: string): Promise<readonly ScannedItem[]> {
    if (this.isCutShort || this.#isAbsent(folder)) return []
    const real = await realpath(folder).catch(() => undefined)
    if (
      real === undefined ||
      this.#seen.has(real) ||
      (this.#root !== null && !isInside(this.#root, real))
    )
      return []
    this.#seen.add(real)
    this.folders.push(folder)
    const items: ScannedItem[] = []
    for (const entry of await entriesOf(folder)) {
      const item = await itemOf(folder, entry)
      if (item) items.push(item)
    }
    return items.sort(byName)
  }

  /** Count a file against the limit. */
  take(): boolean {
    this.#files += 1
    return this.#files <= MAX_FILES
  }
}

interface ScannedItem {
  readonly name: string
  readonly path: string
  readonly type: "file" | "folder"
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) if (entries.push(entry) >= MAX_ENTRIES) break
  } catch {
    // A folder that is no longer there, or not ours to read, holds nothing.
  }
  return entries
}

/** What an entry is once links are followed; devices, sockets and dead links are nothing. */
async function itemOf(folder: string, entry: Dirent): Promise<ScannedItem | undefined> {
  const path = join(folder, entry.name)
  const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry
  if (found?.isFile()) return { name: entry.name, path, type: "file" }
  return found?.isDirectory() ? { name: entry.name, path, type: "folder" } : undefined
}

function byName(left: ScannedItem, right: ScannedItem): number {
  if (left.name === right.name) return 0
  return left.name < right.name ? -1 : 1
}

export interface FoundFile {
  readonly path: string
  /** Within the folder that was searched, with `/`. */
  readonly relative: string
}

interface WantedFiles {
  readonly files: RegExp
  readonly deep: boolean
  /** Only files whose folder has this name count. */
  readonly parent?: string | undefined
}

/** The files of a folder that are wanted; hidden folders are not looked into. */
export async function findFiles(
  folder: string,
  wanted: WantedFiles,
  search: SkillSearch,
): Promise<FoundFile[]> {
  return findIn({ folder, prefix: "", depth: 1 }, wanted, search)
}

interface Place {
  readonly folder: string
  readonly prefix: string
  readonly depth: number
}

async function findIn(
  place: Place,
  wanted: WantedFiles,
  search: SkillSearch,
): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  for (const { name, path, type } of await search.enter(place.folder)) {
    if (type === "file" && isWanted(name, place, wanted) && search.take())
      found.push({ path, relative: place.prefix + name })
    if (type !== "folder" || !wanted.deep || place.depth >= MAX_DEPTH || name.startsWith("."))
      continue
    const inner = { folder: path, prefix: `${place.prefix}${name}/`, depth: place.depth + 1 }
    found.push(...(await findIn(inner, wanted, search)))
  }
  return found
}

function isWanted(name: string, { prefix }: Place, { files, parent }: WantedFiles): boolean {
  if (!files.test(name)) return false
  return parent === undefined || prefix.split("/").at(-2) === parent
}
