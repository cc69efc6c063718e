// Loaded into the product's process by `watchLoop`: writes the longest that its loop worked without a
// pause, in milliseconds of its thread's own processor time, so that a busy machine does not count.

import { writeFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const file = process.env.LOOP_WATCH_FILE
if (isMainThread && file) {
  let before = process.threadCpuUsage()
  let longest = 0
  const look = () => {
    const now = process.threadCpuUsage()
    const worked = (now.user - before.user + (now.system - before.system)) / 1000
    before = now
    if (worked <= longest) return
    longest = worked
    writeFileSync(file, String(longest))
  }
  setInterval(look, 3).unref()
  process.on("SIGUSR2", () => {
    longest = 0
    before = process.threadCpuUsage()
    writeFileSync(file, "0")
  })
}
