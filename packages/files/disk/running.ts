import process from "node:process"
import { errorCode } from "compositor-core/message/untyped"

/** Whether there is such a process, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === "EPERM"
  }
}
