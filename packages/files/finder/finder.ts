import { once } from "node:events"
import { extname, resolve } from "node:path"
import { Worker } from "node:worker_threads"
import type { Indexed } from "./file-finder.ts"
import type { ToFinder } from "./finder-thread.ts"
import type { Match } from "./search.ts"
import type { HidingModule } from "./view.ts"

interface FinderOptions {
  readonly root: string
  /** What is not shown. */
  readonly ignored?: HidingModule | undefined
}

interface FindOptions {
  readonly limit?: number | undefined
  /** How much a file is used, from 0 to 1, by its path. */
  readonly frecency?: Readonly<Record<string, number>> | undefined
}

/** Finds the files of a workspace by some letters of their paths. It works in a thread of its own and
 *  answers from what it knows by then; `ready` is when it has read everything once. */
export interface Finder {
  find(query: string, options?: FindOptions): Promise<Match[]>
  readonly ready: Promise<Indexed>
  close(): Promise<void>
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000
const MAX_FRECENCY = 2000
const MAX_QUERY = 1024
// What the thread may use at most, in megabytes.
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64 }

export function createFinder({ root, ignored }: FinderOptions): Finder {
  const url = new URL(`./finder-thread${extname(import.meta.url)}`, import.meta.url)
  const workerData = { root: resolve(root), ignored: ignored ?? null }
  const worker = new Worker(url, { workerData, resourceLimits: RESOURCE_LIMITS })
  return new ThreadFinder(worker)
}

class ThreadFinder implements Finder {
  readonly #worker: Worker
  readonly #asked = new Map<number, PromiseWithResolvers<Match[]>>()
  readonly #indexed = Promise.withResolvers<Indexed>()
  #next = 0
  #ended: string | undefined

  constructor(worker: Worker) {
    this.#worker = worker
    // Nobody has to wait for it; whoever asks is told by the question.
    this.#indexed.promise.catch(() => undefined)
    worker.on("message", (message: FromFinder) => this.#hear(message))
    worker.on("error", (error) => this.#end(`the finder failed: ${String(error)}`))
    worker.on("exit", () => this.#end("the finder is closed"))
  }

  get ready(): Promise<Indexed> {
    return this.#indexed.promise
  }

  find(query: string, { limit = DEFAULT_LIMIT, frecency = {} }: FindOptions = {}) {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended))
    const id = this.#next++
    const asked = Promise.withResolvers<Match[]>()
    this.#asked.set(id, asked)
    const request = {
      query: query.slice(0, MAX_QUERY),
      limit: Math.min(limit, MAX_LIMIT),
      frecency: Object.fromEntries(Object.entries(frecency).slice(0, MAX_FRECENCY)),
    }
    this.#post({ type: "find", id, request })
    return asked.promise
  }

  async close() {
    if (this.#ended !== undefined) return
    this.#post({ type: "close" })
    await once(this.#worker, "exit")
  }

  #hear(message: FromFinder) {
    if (message.type === "indexed") return this.#indexed.resolve(message.indexed)
    this.#asked.get(message.id)?.resolve(message.matches)
    this.#asked.delete(message.id)
  }

  #end(reason: string) {
    this.#ended ??= reason
    const error = new Error(this.#ended)
    this.#indexed.reject(error)
    for (const asked of this.#asked.values()) asked.reject(error)
    this.#asked.clear()
  }

  #post(message: ToFinder) {
    this.#worker.postMessage(message)
  }
}

type FromFinder =
  | { readonly type: "indexed"; readonly indexed: Indexed }
  | { readonly type: "found"; readonly id: number; readonly matches: Match[] }
