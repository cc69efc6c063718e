import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** The limit: 1 KB appended and synced, one after the other. Appends per second. */
export function rawAppendRate(folder: string, duration_ms: number): number {
  const path = join(folder, "raw-append")
  const file = openSync(path, "a")
  const kilobyte = Buffer.alloc(1024, "x")
  const began = performance.now()
  let appends = 0
  while (performance.now() - began < duration_ms) {
    writeSync(file, kilobyte)
    fdatasyncSync(file)
    appends += 1
  }
  const seconds = (performance.now() - began) / 1000
  closeSync(file)
  rmSync(path)
  return appends / seconds
}
