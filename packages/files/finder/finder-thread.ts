import { parentPort, workerData } from "node:worker_threads"
import { FileFinder, type FindRequest } from "./file-finder.ts"
import { type HidingModule, openView } from "./view.ts"

/** The finder's thread: it reads the workspace, keeps the index and answers questions. */
const port = parentPort
if (!port) throw new Error("the finder runs in a thread of its own")
const { root, ignored }: { root: string; ignored: HidingModule | null } = workerData

const finder = new FileFinder(root, await openView(root, ignored))
port.on("message", (message: ToFinder) => {
  switch (message.type) {
    case "find":
      port.postMessage({ type: "found", id: message.id, matches: finder.find(message.request) })
      return
    case "close":
      finder.close()
      port.close()
  }
})
port.postMessage({ type: "indexed", indexed: await finder.index() })

export type ToFinder =
  | { readonly type: "find"; readonly id: number; readonly request: FindRequest }
  | { readonly type: "close" }
