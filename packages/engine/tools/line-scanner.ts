import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { errorMessage } from "compositor-core/message/untyped"
import { type LineMatch, matchLines, type ScanRequest } from "./match-lines.ts"
import { ToolError } from "./tool.ts"

interface ScanOptions {
  readonly most: number
  readonly signal: AbortSignal
}

/** A pattern may take for ever on a text that was made for it; longer than this, and it is given up. */
const BATCH_MS = 5000

/** Finds lines in texts. A plain word is looked for here; an expression runs in a thread that can be
 *  stopped, because nothing else stops one. */
export class LineScanner {
  readonly #source: string
  readonly #flags: string
  readonly #plain: boolean
  #worker: Worker | undefined

  /** What is wrong with the pattern, if it is none. */
  static open(
    source: string,
    { ignoreCase }: { readonly ignoreCase: boolean },
  ): LineScanner | string {
    try {
      const { flags } = new RegExp(source, ignoreCase ? "iu" : "u")
      return new LineScanner(source, flags)
    } catch {
      // Many write what is fine without Unicode's stricter rules.
    }
    try {
      return new LineScanner(source, new RegExp(source, ignoreCase ? "i" : "").flags)
    } catch (error) {
      return errorMessage(error)
    }
  }

  private constructor(source: string, flags: string) {
    this.#source = source
    this.#flags = flags
    this.#plain = !flags.includes("i") && !/[\\^$.*+?()[\]{}|]/.test(source)
  }

  async scan(
    files: readonly { readonly text: string }[],
    { most, signal }: ScanOptions,
  ): Promise<readonly LineMatch[]> {
    const request: ScanRequest = {
      source: this.#source,
      flags: this.#flags,
      plain: this.#plain,
      texts: files.map(({ text }) => text),
      most,
    }
    return this.#plain ? matchLines(request) : this.#ask(request, signal)
  }

  async close() {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #ask(request: ScanRequest, signal: AbortSignal): Promise<readonly LineMatch[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly LineMatch[]>()
    const worker = (this.#worker ??= startThread())
    const give = (reason: string) => () => reject(new ToolError(reason))
    const timer = setTimeout(give(`${this.#source} takes too long: say it more plainly.`), BATCH_MS)
    const abort = give("The search was stopped.")
    const fail = (error: Error) => reject(error)
    signal.addEventListener("abort", abort, { once: true })
    worker.once("message", resolve)
    worker.once("error", fail)
    worker.postMessage(request)
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
      worker.off("message", resolve)
      worker.off("error", fail)
    })
  }
}

function startThread(): Worker {
  const url = new URL(`./grep-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: 256 } })
  worker.unref()
  return worker
}
