import { setTimeout as sleep } from "node:timers/promises"
import { isLost, isOvertaken } from "./failure.ts"

/** What another overtook is tried again this often. */
const MAX_OVERTAKEN = 8
/** So long a database that went away is waited for before the caller is told, and at least so often:
 *  a process that was stopped meanwhile finds all its time gone and has not tried once. */
const WAITED_MS = 3000
const MIN_LOST = 5
const MAX_PAUSE_MS = 400

/** Do it, again where the fault is not its own. It must be safe to do again. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + WAITED_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const again = isOvertaken(error)
        ? attempt < MAX_OVERTAKEN
        : isLost(error) && (attempt < MIN_LOST || performance.now() < until)
      if (!again) throw error
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, MAX_PAUSE_MS))
    }
  }
}
