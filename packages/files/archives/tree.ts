import { nameKey } from "./name.ts"

interface PlacedEntry {
  /** Relative to the destination. */
  readonly path: string
  /** It is not where its name says, because something is there already. */
  readonly moved: boolean
}

interface Folder {
  readonly path: string
  readonly inside: Map<string, Folder | "file">
  /** How many were given another name, by the name they wanted. */
  readonly moved: Map<string, number>
}

/** Where the entries of one archive go. No two of them are ever the same file on any disk: whoever
 *  comes second gets another name, `a~2.txt`. */
export class EntryTree {
  readonly #root: Folder = { path: "", inside: new Map(), moved: new Map() }
  /** Folders by the path they were asked for, since most files lie beside the one before. */
  readonly #known = new Map<string, Folder>()
  readonly #made: (path: string) => void

  /** `made` is told of every folder before anything is placed in it. */
  constructor(made: (path: string) => void) {
    this.#made = made
  }

  folder(segments: readonly string[]): PlacedEntry {
    const { path } = this.#folderAt(segments)
    return { path, moved: path !== segments.join("/") }
  }

  file(segments: readonly string[]): PlacedEntry {
    const name = segments.at(-1) ?? ""
    const folder = this.#folderAt(segments.slice(0, -1))
    const free = freeName(folder, name)
    folder.inside.set(nameKey(free), "file")
    const path = inFolder(folder, free)
    return { path, moved: free !== name || path.length !== segments.join("/").length }
  }

  #folderAt(segments: readonly string[]): Folder {
    if (segments.length === 0) return this.#root
    const asked = segments.join("/")
    const known = this.#known.get(asked)
    if (known) return known
    const parent = this.#folderAt(segments.slice(0, -1))
    const folder = this.#folderIn(parent, segments.at(-1) ?? "")
    this.#known.set(asked, folder)
    return folder
  }

  #folderIn(parent: Folder, name: string): Folder {
    const there = parent.inside.get(nameKey(name))
    if (there !== undefined && there !== "file") return there
    const free = freeName(parent, name)
    const folder: Folder = { path: inFolder(parent, free), inside: new Map(), moved: new Map() }
    parent.inside.set(nameKey(free), folder)
    this.#made(folder.path)
    return folder
  }
}

function inFolder(folder: Folder, name: string): string {
  return folder.path === "" ? name : `${folder.path}/${name}`
}

function freeName(folder: Folder, name: string): string {
  const key = nameKey(name)
  if (!folder.inside.has(key)) return name
  const dot = name.lastIndexOf(".")
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""]
  for (let number = (folder.moved.get(key) ?? 1) + 1; ; number++) {
    const other = `${stem}~${number}${extension}`
    if (folder.inside.has(nameKey(other))) continue
    folder.moved.set(key, number)
    return other
  }
}
