import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { compiledEnvironment } from "./compiled.ts"

export interface ScriptInput {
  readonly data: string
  /** Where the script notes what it asks for and is told, outside of the data folder. */
  readonly ledger: string
  readonly rounds: number
  /** So many calls the thread that works on files is ahead of the others before anything begins. */
  readonly ahead: number
}

/** One line of the ledger. */
export type Line =
  | {
      readonly type: "asked" | "acknowledged"
      readonly method: string
      readonly path: string
      readonly facts: Readonly<Record<string, string>>
    }
  | {
      readonly type: "refused"
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string
    }

/** The script's last word: all that it asked for was acknowledged. */
export const CLOSING: Line = { type: "asked", method: "CLOSE", path: "", facts: {} }

/** How the script's process ends when the disk failed to sync. */
export const EXIT_BROKEN = 71

/** The calls by which a folder changes. */
export const CALLS = [
  "write",
  "pwrite64",
  "ftruncate",
  "fsync",
  "fdatasync",
  "rename",
  "mkdir",
  "unlink",
] as const

export interface Ended {
  /** Null when it was killed. */
  readonly code: number | null
  /** It did not end by itself in all this time. */
  readonly late: boolean
  readonly lines: readonly Line[]
  readonly log: string
}

const PATIENCE_MS = 180_000

/** Run the script under strace with these further arguments; what it noted, and what strace saw. */
export async function runTraced(input: ScriptInput, args: readonly string[]): Promise<Ended> {
  const log = `${input.ledger}.strace`
  const script = join(import.meta.dirname, "script-process.ts")
  const child = spawn(
    "strace",
    ["-f", "-y", "-qq", "-o", log, ...args, process.execPath, script, JSON.stringify(input)],
    {
      stdio: ["ignore", "ignore", "ignore"],
      // One thread for files keeps their calls in one order.
      env: { ...compiledEnvironment(), UV_THREADPOOL_SIZE: "1" },
    },
  )
  let late = false
  const giveUp = () => {
    late = true
    killChildrenOf(child.pid)
  }
  const waiting = setTimeout(giveUp, PATIENCE_MS)
  const [code] = (await once(child, "exit")) as [number | null]
  clearTimeout(waiting)
  return { code, late, lines: await readLedger(input.ledger), log: await readFile(log, "latin1") }
}

// Whoever kills strace itself leaves behind what it traced.
function killChildrenOf(pid: number | undefined) {
  if (pid === undefined) return
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
  for (const child of children.split(" ").filter(Boolean)) process.kill(Number(child), "SIGKILL")
}

/** Whoever was killed may have left half a line; what is whole counts. */
export async function readLedger(file: string): Promise<Line[]> {
  const text = await readFile(file, "utf8").catch(() => "")
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

/** Of each thread, for each kind of call, which of its calls were on files of the folder. */
export function callsOn(log: string, data: string): ReadonlyMap<string, ReadonlySet<number>> {
  const counts = new Map<string, number>()
  const places = new Map<string, Set<number>>()
  for (const line of log.split("\n")) {
    const [, thread, call, rest = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? []
    if (!thread || !call) continue
    const key = `${thread} ${call}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (!rest.includes(data)) continue
    places.set(call, (places.get(call) ?? new Set()).add(count))
  }
  return places
}
