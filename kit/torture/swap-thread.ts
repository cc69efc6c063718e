import { copyFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"

// Swaps a file and a folder of a workspace for links that lead out of it, and back, until it is told
// to stop. Every step is a rename, so that one or the other is nearly always there.

const folder = workerData as string
const [ws, out, aside] = ["ws", "out", "aside"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
writeFileSync(join(out, "folder", "secret"), "")
copyFileSync(join(ws, "file"), join(aside, "plain"))

let swaps = 0
parentPort?.postMessage("ready")
while (isGoingOn()) {
  swapFile()
  swapFolder()
  swaps += 2
}
parentPort?.postMessage(swaps)

function isGoingOn(): boolean {
  return parentPort !== null && receiveMessageOnPort(parentPort) === undefined
}

function swapFile() {
  symlinkSync(join(out, "file"), join(aside, "link"))
  put(join(aside, "link"), join(ws, "file"))
  copyFileSync(join(aside, "plain"), join(aside, "copy"))
  put(join(aside, "copy"), join(ws, "file"))
}

function swapFolder() {
  put(join(ws, "folder"), join(aside, "real"))
  put(join(aside, "folder"), join(ws, "folder"))
  put(join(ws, "folder"), join(aside, "folder"))
  put(join(aside, "real"), join(ws, "folder"))
}

/** A writer may have made the folder that is missing for a moment: it goes. */
function put(from: string, to: string) {
  for (;;) {
    try {
      return renameSync(from, to)
    } catch {
      rmSync(to, { recursive: true, force: true })
    }
  }
}
