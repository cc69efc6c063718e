import { type Dirent, readdirSync, statSync } from "node:fs"
import type { Paths } from "./paths.ts"
import type { FolderView } from "./view.ts"

/** A folder whose files are in the index. */
interface Folder {
  /** From the root: "" or ends in a slash. */
  readonly path: string
  readonly number: number
  readonly depth: number
  /** The files of rules it had when it was read. */
  readonly rules: readonly string[]
  /** Its files in the index, and the names of its folders. */
  readonly files: readonly number[]
  readonly folders: readonly string[]
}

/** Something came or went, or what is hidden changed. */
export type Change = "entries" | "rules"

/** What is told to whoever watches folders. */
export interface FolderEvents {
  added(path: string): void
  removed(path: string): void
}

const MAX_FOLDERS = 200_000
const MAX_DEPTH = 128

/** The folders of a workspace as they were read. Reading goes on in pieces, the upper folders first,
 *  so that a search can be answered in between and a workspace that is too large lacks only what lies
 *  deep. */
export class FolderTree {
  readonly #root: string
  readonly #rootView: FolderView
  readonly #paths: Paths
  readonly #events: FolderEvents
  readonly #folders = new Map<string, Folder>()
  #unread: Unread[] = []
  #next = 0
  #isTruncated = false

  constructor({ root, view, paths, events }: TreeOptions) {
    this.#root = root
    this.#rootView = view
    this.#paths = paths
    this.#events = events
    this.#push({ path: "", depth: 0, view: this.#rootView })
  }

  get size(): number {
    return this.#folders.size
  }

  /** There were more files or folders than are kept. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  get isRead(): boolean {
    return this.#next >= this.#unread.length
  }

  /** Read folders until all are read or the time is up. */
  readUntil(deadline: number) {
    while (!this.isRead && performance.now() < deadline) {
      const unread = this.#unread[this.#next]!
      this.#next += 1
      this.#read(unread)
    }
    if (!this.isRead) return
    this.#unread = []
    this.#next = 0
  }

  paths(): IterableIterator<string> {
    return this.#folders.keys()
  }

  /** The number of a file, if it is in the index. */
  fileAt(path: string): number | undefined {
    const from = path.lastIndexOf("/") + 1
    const name = path.slice(from)
    const folder = this.#folders.get(path.slice(0, from))
    return folder?.files.find((id) => this.#paths.nameOf(id) === name)
  }

  /** Look at a folder again that has changed; what is new in it is read later. */
  update(path: string, change: Change) {
    if (change === "rules") this.#restart(path)
    else this.#refresh(path)
  }

  #refresh(path: string) {
    const known = this.#folders.get(path)
    if (known === undefined) return
    const entries = this.#entriesOf(path)
    if (entries === undefined) return this.#remove(path)
    const rules = rulesIn(entries, this.#rootView)
    if (rules.join("/") !== known.rules.join("/")) return this.#restart(path)
    this.#compare(known, entries)
  }

  /** Read a folder and all below it anew: what is hidden there has changed. */
  #restart(path: string) {
    const known = this.#folders.get(path)
    if (known === undefined) return
    const view = this.#viewFrom(path)
    this.#remove(path)
    this.#push({ path, depth: known.depth, view })
  }

  #remove(path: string) {
    const folder = this.#folders.get(path)
    if (folder === undefined) return
    for (const name of folder.folders) this.#remove(`${path}${name}/`)
    for (const id of folder.files) this.#paths.remove(id)
    this.#paths.removeFolder(folder.number)
    this.#folders.delete(path)
    this.#events.removed(path)
  }

  /** What has changed in a folder since then, by the times on the disk. */
  changeSince(path: string, time: number): Change | undefined {
    const folder = this.#folders.get(path)
    if (folder === undefined) return undefined
    const rules = folder.rules.map((name) => writtenAt(this.#onDisk(path) + name))
    if (rules.some((written) => written >= time)) return "rules"
    return writtenAt(this.#onDisk(path)) >= time ? "entries" : undefined
  }

  #onDisk(path: string): string {
    return `${this.#root}/${path}`
  }

  #push(unread: Unread) {
    if (this.#folders.size + this.#unread.length - this.#next >= MAX_FOLDERS)
      this.#isTruncated = true
    else this.#unread.push(unread)
  }

  #read({ path, depth, view: given }: Unread) {
    // Whoever watches begins before it is read: what comes in between is then told.
    this.#events.added(path)
    const entries = this.#entriesOf(path)
    if (entries === undefined) return this.#events.removed(path)
    const rules = rulesIn(entries, given)
    const view = rules.length > 0 ? given.with(rules) : given
    const number = this.#paths.addFolder(path)
    const files: number[] = []
    const folders: string[] = []
    const place = this.#onDisk(path)
    for (const entry of entries) {
      const kind = kindOf(entry, view, place)
      if (kind === "file") this.#addFile(number, entry.name, files)
      if (kind !== "folder") continue
      folders.push(entry.name)
      this.#found(`${path}${entry.name}/`, { depth, view, name: entry.name })
    }
    this.#folders.set(path, { path, number, depth, rules, files, folders })
  }

  #addFile(folder: number, name: string, files: number[]) {
    const id = this.#paths.add(folder, name)
    if (id === undefined) this.#isTruncated = true
    else files.push(id)
  }

  #found(path: string, { depth, view, name }: { depth: number; view: FolderView; name: string }) {
    if (depth < MAX_DEPTH) this.#push({ path, depth: depth + 1, view: view.enter(name) })
    else this.#isTruncated = true
  }

  #entriesOf(path: string): Dirent[] | undefined {
    try {
      return readdirSync(this.#onDisk(path), { withFileTypes: true })
    } catch {
      // It is gone, or not ours to read: then nothing in it can be found.
      return undefined
    }
  }

  /** The view of a folder before its own rules. It is made again when it is needed: a folder seldom
   *  changes, and there are many. */
  #viewFrom(path: string): FolderView {
    if (path === "") return this.#rootView
    const from = path.lastIndexOf("/", path.length - 2) + 1
    return this.#viewIn(path.slice(0, from)).enter(path.slice(from, -1))
  }

  #viewIn(path: string): FolderView {
    const view = this.#viewFrom(path)
    const rules = this.#folders.get(path)?.rules ?? []
    return rules.length > 0 ? view.with(rules) : view
  }

  /** Bring what is known of a folder in line with what is in it now. */
  #compare(known: Folder, entries: readonly Dirent[]) {
    const { path, number, depth } = known
    const view = this.#viewIn(path)
    const seen = { file: new Set<string>(), folder: new Set<string>() }
    const place = this.#onDisk(path)
    for (const entry of entries) {
      const kind = kindOf(entry, view, place)
      if (kind) seen[kind].add(entry.name)
    }
    for (const name of known.folders) if (!seen.folder.has(name)) this.#remove(`${path}${name}/`)
    for (const name of seen.folder)
      if (!this.#folders.has(`${path}${name}/`))
        this.#found(`${path}${name}/`, { depth, view, name })
    const files: number[] = []
    for (const id of known.files) {
      if (seen.file.delete(this.#paths.nameOf(id))) files.push(id)
      else this.#paths.remove(id)
    }
    for (const name of seen.file) this.#addFile(number, name, files)
    this.#folders.set(path, { ...known, files, folders: [...seen.folder] })
  }
}

interface TreeOptions {
  readonly root: string
  readonly view: FolderView
  readonly paths: Paths
  readonly events: FolderEvents
}

interface Unread {
  readonly path: string
  readonly depth: number
  readonly view: FolderView
}

function rulesIn(entries: readonly Dirent[], view: FolderView): string[] {
  const rules: string[] = []
  for (const { name } of entries) if (view.isRule(name)) rules.push(name)
  return rules.length > 1 ? rules.sort() : rules
}

/** What an entry is to us: nothing, if it is hidden or neither a file nor a folder. */
function kindOf(entry: Dirent, view: FolderView, place: string): "file" | "folder" | undefined {
  const isFolder = entry.isDirectory()
  if (!isFolder && !entry.isFile() && !leadsToFile(entry, place)) return undefined
  if (view.hides(entry.name, isFolder)) return undefined
  return isFolder ? "folder" : "file"
}

/** A link to a file counts as one. A link to a folder is not followed: it may lead in a circle. */
function leadsToFile(entry: Dirent, folder: string): boolean {
  if (!entry.isSymbolicLink()) return false
  try {
    return statSync(folder + entry.name).isFile()
  } catch {
    return false
  }
}

/** What is gone counts as written just now. */
function writtenAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
