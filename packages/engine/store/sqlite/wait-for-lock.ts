import { BUSY_TIMEOUT_MS } from "./connection.ts"

const PAUSE_MS = 0.5

/** Begin once no other process writes, on a connection that does not wait by itself. SQLite sleeps longer
 *  and longer between its tries, up to a tenth of a second: among several writers that would be most of
 *  what a message waits. */
export function waitForLock(begin: () => void) {
  const until = performance.now() + BUSY_TIMEOUT_MS
  while (!hasBegun(begin, until)) Atomics.wait(NOBODY, 0, 0, PAUSE_MS)
}

// Nobody ever wakes it: this is how a thread sleeps for less than the event loop could.
const NOBODY = new Int32Array(new SharedArrayBuffer(4))

function hasBegun(begin: () => void, until: number): boolean {
  try {
    begin()
    return true
  } catch (error) {
    const { code = "" } = error as { code?: string }
    if (!code.startsWith("SQLITE_BUSY") || performance.now() > until) throw error
    return false
  }
}
