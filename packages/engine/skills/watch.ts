import { type FSWatcher, watch } from "node:fs"
import { relative, sep } from "node:path"
import { nearestFolder, TextFiles } from "./files.ts"
import { type Discovery, discover } from "./discover.ts"
import type { DiscoverOptions } from "./visit.ts"

export interface WatchOptions extends DiscoverOptions {
  /** Called with what is there now, whenever it is not what was there before. */
  readonly onChange: (discovery: Discovery) => void
  /** Look every so often instead of waiting to be told: for file systems that do not tell. */
  readonly pollMs?: number | undefined
}

const SETTLE_MS = 100
/** A command that soon ends need not listen; who stays looks once more before it does. */
const LISTEN_AFTER_MS = 500
const FALLBACK_POLL_MS = 2000
const MAX_WATCHERS = 1024

/** Keeps the commands and skills current while files are written, moved and removed. */
export class CommandWatcher {
  readonly #options: WatchOptions
  readonly #files: TextFiles
  readonly #watchers = new Map<string, Listening & { readonly watcher: FSWatcher }>()
  #discovery: Discovery
  #settling: NodeJS.Timeout | undefined
  #polling: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #closed = false

  static async start(options: WatchOptions): Promise<CommandWatcher> {
    const files = options.files ?? new TextFiles()
    const watcher = new CommandWatcher(options, files, await discover({ ...options, files }))
    if (options.pollMs !== undefined) watcher.#poll(options.pollMs)
    else watcher.#settle(LISTEN_AFTER_MS)
    return watcher
  }

  private constructor(options: WatchOptions, files: TextFiles, discovery: Discovery) {
    this.#options = options
    this.#files = files
    this.#discovery = discovery
  }

  get current(): Discovery {
    return this.#discovery
  }

  /** Look now. Also for what files do not tell: a trust that was given or taken. */
  async refresh(): Promise<Discovery> {
    const look = this.#running.then(() => this.#look())
    this.#running = look.catch(() => undefined)
    await look
    return this.#discovery
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#settling)
    clearInterval(this.#polling)
    for (const path of this.#watchers.keys()) this.#stopAt(path)
  }

  async #look(): Promise<void> {
    if (this.#closed) return
    const before = this.#discovery
    const found = await discover({ ...this.#options, files: this.#files })
    if (this.#closed) return
    this.#discovery = found
    if (!this.#polling) await this.#listen()
    if (!isSame(before, found)) this.#options.onChange(found)
  }

  /** Listen at every folder that was looked into, and at the nearest one above those that are not
   *  there yet. */
  async #listen(): Promise<void> {
    const wanted = await whereToListen(this.#discovery.watched)
    if (this.#closed) return
    // A folder that was removed and made again is another one, though its path is the same.
    for (const [path, { id }] of this.#watchers) if (wanted.get(path)?.id !== id) this.#stopAt(path)
    if (wanted.size > MAX_WATCHERS) return this.#poll(FALLBACK_POLL_MS)
    const before = this.#watchers.size
    for (const [path, listening] of wanted) this.#listenAt(path, listening)
    // What was written before we listened was not heard.
    if (this.#watchers.size > before) this.#settle()
  }

  #listenAt(path: string, { id, names }: Listening): void {
    const known = this.#watchers.get(path)
    if (known) known.names = names
    if (known || this.#polling) return
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => this.#heard(path, name))
      // The folder is gone, or the system has no more watches to give.
      watcher.on("error", () => {
        this.#stopAt(path)
        this.#settle()
      })
      this.#watchers.set(path, { watcher, id, names })
    } catch {
      this.#poll(FALLBACK_POLL_MS)
    }
  }

  #stopAt(path: string): void {
    this.#watchers.get(path)?.watcher.close()
    this.#watchers.delete(path)
  }

  #heard(path: string, name: string | null): void {
    const names = this.#watchers.get(path)?.names
    if (name === null || names === ANY || names?.has(name)) this.#settle()
  }

  #poll(everyMs: number): void {
    if (this.#polling || this.#closed) return
    for (const path of this.#watchers.keys()) this.#stopAt(path)
    this.#polling = setInterval(() => this.#lookQuietly(), everyMs).unref()
  }

  /** One look for all that happens together; the first of it is not put off for ever. */
  #settle(afterMs = SETTLE_MS): void {
    if (this.#settling || this.#closed) return
    this.#settling = setTimeout(() => {
      this.#settling = undefined
      this.#lookQuietly()
    }, afterMs).unref()
  }

  // What cannot be looked at now may be there at the next look.
  #lookQuietly(): void {
    this.refresh().catch(() => undefined)
  }
}

/** Any name matters in a folder of command files; in one above, only those that lead to them. */
const ANY = "any"

interface Listening {
  /** Which folder it is, whatever its path. */
  readonly id: string
  names: typeof ANY | Set<string>
}

async function whereToListen(paths: readonly string[]): Promise<Map<string, Listening>> {
  const folders = await Promise.all(paths.map(nearestFolder))
  const wanted = new Map<string, Listening>()
  for (const [at, path] of paths.entries()) {
    const { folder, id } = folders[at] ?? { folder: path, id: "" }
    const listening = wanted.get(folder) ?? { id, names: new Set<string>() }
    wanted.set(folder, listening)
    if (folder === path) listening.names = ANY
    else if (listening.names !== ANY)
      listening.names.add(relative(folder, path).split(sep, 1)[0] ?? path)
  }
  return wanted
}

function isSame(before: Discovery, after: Discovery): boolean {
  return (
    JSON.stringify([before.layers, before.skills]) === JSON.stringify([after.layers, after.skills])
  )
}
