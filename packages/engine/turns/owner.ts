import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { isRunning } from "compositor-files/disk/running"

/** A process that runs turns, named so that another process can tell whether it still lives: the
 *  machine, its boot, the pid, and when the process began (a pid is used again, that moment is not). */
export function ownerOf(pid: number = process.pid): string {
  return [hostname(), bootId(), String(pid), startedAt(pid) ?? ""].join("|")
}

/** Whether the owner is surely gone. Of a process on another machine nobody here can say: then its
 *  heartbeat decides. */
export function isGone(owner: string): boolean {
  const [host, boot, pid = "", started] = owner.split("|")
  if (host !== hostname()) return false
  if (boot !== bootId()) return true
  return startedAt(Number(pid)) !== started
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return "unknown"
  }
}

function startedAt(pid: number): string | undefined {
  try {
    // The 22nd field; the 2nd is the command's name in brackets and may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // A process that ended and was not collected yet still has its entry.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
  } catch {
    return isRunning(pid) ? "" : undefined
  }
}
