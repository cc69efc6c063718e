import { parentPort, workerData } from "node:worker_threads"
import { Committer, type WriterRequest } from "./committer.ts"

/** The writer's thread. What arrives while a commit is under way commits together next. */
const FOREIGN_POLL_MS = 40
/** Up to here a group is not worth dividing. */
const SMALL_GROUP = 32

const port = parentPort
if (!port) throw new Error("the writer runs in a thread of its own")
const committer = new Committer(workerData.file)
const waiting: WriterRequest[] = []
let polling: NodeJS.Timeout | undefined

port.on("message", (message: ToWriter) => {
  switch (message.type) {
    case "requests":
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(...message.requests)
      return
    case "watch":
      polling ??= setInterval(poll, FOREIGN_POLL_MS)
      return
    case "close":
      while (waiting.length > 0) flush()
      clearInterval(polling)
      committer.close()
      port.postMessage({ type: "closed" })
      port.close()
  }
})
port.postMessage({ type: "open" })

/** Half of what waits, so that those who are answered can send again while the other half commits:
 *  two threads that only ever wait for each other leave a core idle. */
function flush() {
  const requests = waiting.splice(0, Math.max(SMALL_GROUP, Math.ceil(waiting.length / 2)))
  if (requests.length === 0) return
  if (waiting.length > 0) setImmediate(flush)
  port?.postMessage({ type: "commit", commit: committer.commit(requests) })
}

function poll() {
  if (committer.changedByOthers()) port?.postMessage({ type: "foreign" })
}

export type ToWriter =
  | { readonly type: "requests"; readonly requests: readonly WriterRequest[] }
  | { readonly type: "watch" }
  | { readonly type: "close" }
