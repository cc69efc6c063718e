import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { errorCode } from "compositor-core/message/untyped"
import {
  entriesTo,
  hideEverything,
  type IgnoredBy,
  type IgnoreList,
  type IgnoreLists,
  ignoredBy,
  readIgnoreList,
} from "./ignore.ts"

/** Reads ignore files as paths are asked about, and again when they have changed.
 *
 *  Each kind of file counts by itself: a path is ignored when any kind ignores it, so a `!` in a
 *  .gitignore cannot bring back what an .aiignore hides. */
export class IgnoreFiles {
  readonly #names: readonly string[]
  /** The folder whose ignore files are the outermost: the repository's, or the root itself. */
  readonly #top: string
  /** The root, from the top: "" or "packages/web/". */
  readonly #prefix: string
  readonly #read = new Map<string, ReadList>()

  constructor(root: string, names: readonly string[]) {
    const real = realPathOf(root)
    this.#names = names
    this.#top = repositoryOf(real) ?? real
    const between = relative(this.#top, real).split(sep).join("/")
    this.#prefix = between === "" ? "" : `${between}/`
  }

  /** What ignores a file of the root, if anything; `path` is relative to the root. */
  ignoredBy(path: string): IgnoredBy | undefined {
    const entries = entriesTo(this.#prefix + path, this.#prefix.length, false)
    for (const name of this.#names) {
      let lists = this.#listsAbove(name)
      for (const entry of entries) {
        lists = this.#with(lists, name, entry.path.slice(0, -entry.name.length))
        const found = ignoredBy(lists, entry)
        if (found) return found
      }
    }
    return undefined
  }

  /** For a walk from the root: the lists of every kind that hold in it, its own not among them. */
  listsAboveRoot(): readonly IgnoreLists[] {
    return this.#names.map((name) => this.#listsAbove(name))
  }

  get names(): readonly string[] {
    return this.#names
  }

  get prefix(): string {
    return this.#prefix
  }

  /** The list of this kind in the folder `base`, if there is one. */
  list(name: string, base: string): IgnoreList | undefined {
    return this.#fresh(name, base)
  }

  #listsAbove(name: string): IgnoreLists {
    let lists: IgnoreLists = []
    const excluded = name === GIT_IGNORE ? this.#fresh(GIT_EXCLUDE, "") : undefined
    if (excluded) lists = [excluded]
    const above = this.#prefix.split("/").slice(0, -1)
    above.forEach((_, at) => {
      lists = this.#with(lists, name, at === 0 ? "" : `${above.slice(0, at).join("/")}/`)
    })
    return lists
  }

  #with(lists: IgnoreLists, name: string, base: string): IgnoreLists {
    const list = this.#fresh(name, base)
    return list ? [...lists, list] : lists
  }

  #fresh(name: string, base: string): IgnoreList | undefined {
    const file = base + name
    const path = join(this.#top, file)
    const stamp = stampOf(path)
    if (stamp === undefined) return undefined
    const known = this.#read.get(file)
    if (known?.stamp === stamp) return known.list
    if (this.#read.size >= MAX_LISTS_KEPT) this.#read.clear()
    const list = readList(path, file, base)
    this.#read.set(file, { stamp, list })
    return list
  }
}

interface ReadList {
  readonly stamp: string
  readonly list: IgnoreList | undefined
}

const GIT_IGNORE = ".gitignore"
const GIT_EXCLUDE = ".git/info/exclude"
const MAX_LISTS_KEPT = 4096
const MAX_IGNORE_FILE_BYTES = 1024 * 1024

/** A folder that is gone has no ignore files, and nothing in it can be opened. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : repositoryOf(above)
}

function stampOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    return stats && `${stats.mtimeNs}:${stats.size}:${stats.ino}`
  } catch (error) {
    return String(errorCode(error))
  }
}

/** Like git, this follows no link and reads no folder. An ignore file that is there and cannot be
 *  read hides its folder. */
function readList(path: string, file: string, base: string): IgnoreList | undefined {
  try {
    const text = readSmallFile(path)
    return text === undefined ? undefined : readIgnoreList(file, base, text)
  } catch (error) {
    const code = errorCode(error) ?? ""
    return ABSENT.includes(code) ? undefined : hideEverything(file, base)
  }
}

const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"]
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

function readSmallFile(path: string): string | undefined {
  const file = openSync(path, OPEN_FLAGS)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    if (stats.size > MAX_IGNORE_FILE_BYTES)
      throw new Error(`${path} has ${stats.size} bytes, more than ${MAX_IGNORE_FILE_BYTES}`)
    const bytes = Buffer.alloc(stats.size)
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, stats.size, 0))
  } finally {
    closeSync(file)
  }
}
