import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import type { ArchiveTask, FromThread } from "./archive-thread.ts"

interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((files: number, bytes: number) => void) | undefined
}

type TaskResult = Exclude<FromThread, { type: "progress" }>

/** What the thread's own objects may take, in megabytes; an archive's bytes are beside them. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

/** Read one archive in a thread of its own. When its time is over or nobody wants it any more, the
 *  thread is ended wherever it is, with every file that it had open. */
export async function runTask(task: ArchiveTask, options: TaskOptions = {}): Promise<TaskResult> {
  const { signal, progress } = options
  signal?.throwIfAborted()
  const url = new URL(`./archive-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(url, { workerData: task, resourceLimits: RESOURCE_LIMITS })
  const { milliseconds } = task.limits
  const late: TaskResult = {
    type: "refused",
    reason: `the archive took longer than ${milliseconds / 1000} s`,
  }
  const result = await new Promise<TaskResult | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(late), milliseconds)
    const end = (result: TaskResult | undefined) => {
      clearTimeout(timer)
      resolve(result)
    }
    signal?.addEventListener("abort", () => end(undefined), { once: true })
    worker.on("message", (message: FromThread) => {
      if (message.type === "progress") progress?.(message.files, message.bytes)
      else end(message)
    })
    worker.on("error", (error) => end({ type: "refused", reason: reasonOf(error) }))
    worker.on("exit", () => end({ type: "refused", reason: "reading the archive ended early" }))
  })
  await worker.terminate()
  if (result) return result
  throw signal?.reason
}

function reasonOf(error: unknown): string {
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return "the archive needs more memory than it may have"
  return `the archive cannot be read: ${message}`
}
