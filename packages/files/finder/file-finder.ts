import { setImmediate } from "node:timers/promises"
import { type Change, FolderTree } from "./folder-tree.ts"
import { Paths } from "./paths.ts"
import { type Match, FileSearch } from "./search.ts"
import type { FolderView } from "./view.ts"
import { type FolderWatch, watchFolders } from "./watch.ts"

export interface FindRequest {
  readonly query: string
  readonly limit: number
  /** How much a file is used, from 0 to 1, by its path. */
  readonly frecency: Readonly<Record<string, number>>
}

export interface Indexed {
  readonly files: number
  readonly folders: number
  /** There were more than are kept. */
  readonly truncated: boolean
}

/** How long the thread is busy before it looks for a question. */
const SLICE_MS = 20
/** Changes come in bursts: a checkout, a build. */
const SETTLE_MS = 50
/** More changes than this at once are not followed one by one. */
const MAX_CHANGES = 2000
/** Without a watch, folders are looked at when a question comes and this has passed. */
const SWEEP_MS = 2000
/** Some disks keep times in steps as coarse as this. */
const CLOCK_STEP_MS = 2000

/** The index of a workspace, kept up with what happens in it. A question is answered at any time, from
 *  what is known by then. */
export class FileFinder {
  readonly #paths = new Paths()
  readonly #search = new FileSearch(this.#paths)
  readonly #tree: FolderTree
  readonly #root: string
  readonly #view: FolderView
  readonly #openWatch: typeof watchFolders
  #watch: FolderWatch | undefined
  readonly #changes = new Map<string, Change>()
  #isSweepDue = false
  #sweptAt = Date.now()
  #settling: NodeJS.Timeout | undefined
  #isWorking = false
  #isClosed = false

  constructor(root: string, view: FolderView, openWatch = watchFolders) {
    this.#root = root
    this.#view = view
    this.#openWatch = openWatch
    const events = {
      added: (folder: string) => this.#watchFolder(folder),
      removed: (folder: string) => this.#watch?.remove(folder),
    }
    this.#tree = new FolderTree({ root, view, paths: this.#paths, events })
  }

  /** Read the whole workspace, and from then on keep up with it. */
  async index(): Promise<Indexed> {
    await this.#readAll()
    const indexed = {
      files: this.#paths.size,
      folders: this.#tree.size,
      truncated: this.#tree.isTruncated,
    }
    void this.#startWatching()
    return indexed
  }

  find({ query, limit, frecency }: FindRequest): Match[] {
    if (this.#watch === undefined && Date.now() - this.#sweptAt > SWEEP_MS) this.#sweepSoon()
    const used = new Map<number, number>()
    for (const [path, share] of Object.entries(frecency)) {
      const id = this.#tree.fileAt(path)
      if (id !== undefined) used.set(id, share)
    }
    return this.#search.find({ query, limit, frecency: used })
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#settling)
    this.#watch?.close()
  }

  async #readAll() {
    while (!this.#tree.isRead && !this.#isClosed) {
      this.#tree.readUntil(performance.now() + SLICE_MS)
      await setImmediate()
    }
  }

  /** What changed while it was read is found by the times on the disk. */
  async #startWatching() {
    this.#watch = this.#openWatch(this.#root, {
      changed: (folder, name, isWrite) => this.#note(folder, name, isWrite),
      failed: () => this.#stopWatching(),
    })
    await this.#eachFolder((folder) => this.#watchFolder(folder))
    this.#sweepSoon()
  }

  #watchFolder(folder: string) {
    if (this.#watch && !this.#watch.add(folder)) this.#stopWatching()
  }

  #stopWatching() {
    this.#watch?.close()
    this.#watch = undefined
  }

  #note(folder: string, name: string | null, isWrite: boolean) {
    const isRule = name !== null && this.#view.isRule(name)
    if (isWrite && !isRule) return
    if (isRule || !this.#changes.has(folder))
      this.#changes.set(folder, isRule ? "rules" : "entries")
    if (this.#changes.size <= MAX_CHANGES) return this.#settle()
    this.#changes.clear()
    this.#sweepSoon()
  }

  #sweepSoon() {
    this.#isSweepDue = true
    this.#settle()
  }

  #settle() {
    if (!this.#isClosed) this.#settling ??= setTimeout(() => void this.#work(), SETTLE_MS)
  }

  /** Take in what has changed. What changes meanwhile is taken in afterwards. */
  async #work() {
    this.#settling = undefined
    if (this.#isWorking) return this.#settle()
    this.#isWorking = true
    try {
      if (this.#isSweepDue) await this.#sweep()
      const changes = [...this.#changes]
      this.#changes.clear()
      for (const [folder, change] of changes) this.#tree.update(folder, change)
      await this.#readAll()
    } finally {
      this.#isWorking = false
    }
  }

  async #sweep() {
    this.#isSweepDue = false
    const since = this.#sweptAt - CLOCK_STEP_MS
    this.#sweptAt = Date.now()
    await this.#eachFolder((folder) => {
      const change = this.#tree.changeSince(folder, since)
      if (change) this.#changes.set(folder, change)
    })
  }

  async #eachFolder(visit: (folder: string) => void) {
    let deadline = performance.now() + SLICE_MS
    for (const folder of this.#tree.paths()) {
      if (this.#isClosed) return
      visit(folder)
      if (performance.now() < deadline) continue
      await setImmediate()
      deadline = performance.now() + SLICE_MS
    }
  }
}
