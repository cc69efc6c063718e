import { type FSWatcher, watch } from "node:fs"
import { join } from "node:path"
import { errorCode } from "compositor-core/message/untyped"

/** Past this many folders they are not watched: each watch costs the system memory. */
const MAX_WATCHED_FOLDERS = 16_384

interface WatchEvents {
  /** Something came to or went from this folder, or `name` in it was written to. */
  changed(folder: string, name: string | null, isWrite: boolean): void
  /** The system will watch no more: from now on nothing is told. */
  failed(): void
}

/** Tells of changes in the folders it is given. Where the system watches a whole tree, one watch does;
 *  on Linux each folder has its own, because there Node would also watch every single file. */
export interface FolderWatch {
  /** False where it cannot be watched. */
  add(folder: string): boolean
  remove(folder: string): void
  close(): void
}

export function watchFolders(root: string, events: WatchEvents): FolderWatch {
  return process.platform === "linux" ? new EachFolder(root, events) : new WholeTree(root, events)
}

class EachFolder implements FolderWatch {
  readonly #root: string
  readonly #events: WatchEvents
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(root: string, events: WatchEvents) {
    this.#root = root
    this.#events = events
  }

  add(folder: string): boolean {
    if (this.#watchers.has(folder)) return true
    if (this.#watchers.size >= MAX_WATCHED_FOLDERS) return false
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, (event, name) =>
        this.#events.changed(folder, name, event === "change"),
      )
      watcher.on("error", () => this.remove(folder))
      this.#watchers.set(folder, watcher)
      return true
    } catch (error) {
      // A folder that is gone by now needs no watch; anything else is the system's limit.
      return errorCode(error) === "ENOENT"
    }
  }

  remove(folder: string) {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  close() {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }
}

class WholeTree implements FolderWatch {
  readonly #watcher: FSWatcher | undefined

  constructor(root: string, events: WatchEvents) {
    try {
      this.#watcher = watch(root, { recursive: true, persistent: false }, (event, path) => {
        const place = (path ?? "").replaceAll("\\", "/")
        const from = place.lastIndexOf("/") + 1
        events.changed(place.slice(0, from), place.slice(from) || null, event === "change")
      })
      this.#watcher.on("error", () => events.failed())
    } catch {
      this.#watcher = undefined
    }
  }

  add(): boolean {
    return this.#watcher !== undefined
  }

  remove() {}

  close() {
    this.#watcher?.close()
  }
}
