import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import type { Shown } from "./figures.ts"
import { describeCommit, describeMachine, type Machine } from "./machine.ts"

/** What became of one job that ran in a process of its own. */
export interface Ran {
  readonly name: string
  readonly summary: string
  readonly quick: boolean
  /** `passed`: every gate held. `failed`: one did not, or the job ended before its figures.
   *  `timed-out`: it was ended, with all that it had begun. */
  readonly outcome: "passed" | "failed" | "timed-out"
  readonly tables: readonly Shown[]
  /** The last line that it said; where it ended badly, its error. */
  readonly last_words: string
  readonly seconds: number
  readonly at: string
  /** How busy the machine was when it began. */
  readonly load: number
  readonly machine: Machine
  readonly commit: string
}

export interface Runnable {
  readonly name: string
  readonly summary: string
  /** What it is called with where there is no time. */
  readonly quick?: readonly string[]
  /** How long it may take. Whoever takes longer hangs. */
  readonly minutes?: number
}

/** Run one job after the other, each in a process of its own, so that none warms another's caches,
 *  and tell of each when it is done. One that fails or hangs does not keep the others. */
export async function runEverything(
  script: string,
  jobs: readonly Runnable[],
  options: { readonly quick: boolean; readonly tell: (ran: Ran) => void },
): Promise<Ran[]> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-figures-"))
  const all: Ran[] = []
  try {
    for (const job of jobs) {
      const ran = await runOne(script, job, { quick: options.quick, notes: join(folder, job.name) })
      options.tell(ran)
      all.push(ran)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return all
}

const LAST_CHARACTERS = 2000
const MINUTES = 30
const MINUTE_MS = 60_000

async function runOne(
  script: string,
  { name, summary, quick: small = [], minutes = MINUTES }: Runnable,
  { quick, notes }: { readonly quick: boolean; readonly notes: string },
): Promise<Ran> {
  const [load = 0] = loadavg()
  const began = performance.now()
  const at = new Date().toISOString()
  const env = { ...process.env, COMPOSITOR_FIGURES: notes }
  const { code, isLate, words } = await ended(
    spawn(process.execPath, [script, name, ...(quick ? small : [])], {
      env: quick ? { ...env, COMPOSITOR_QUICK: "1" } : env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    }),
    minutes * MINUTE_MS,
  )
  return {
    name,
    summary,
    quick,
    outcome: isLate ? "timed-out" : code === 0 ? "passed" : "failed",
    tables: await tablesIn(notes),
    last_words: lastOf(words, code === 0),
    seconds: Math.round((performance.now() - began) / 100) / 10,
    at,
    load,
    machine: describeMachine(tmpdir()),
    commit: describeCommit(),
  }
}

function lastOf(words: string, isGood: boolean): string {
  const lines = words.trim().split("\n")
  const error = isGood ? undefined : lines.findLast((line) => /Error\b/.test(line))
  return (error ?? lines.at(-1) ?? "").trim()
}

interface Ended {
  readonly code: number | null
  readonly isLate: boolean
  readonly words: string
}

// A group of its own, because what a job began must not outlive it: when its time is over, and when
// we are told to stop.
async function ended(child: ChildProcess, limit_ms: number): Promise<Ended> {
  let words = ""
  const hear = (text: string) => {
    process.stderr.write(text)
    words = `${words}${text}`.slice(-LAST_CHARACTERS)
  }
  child.stdout?.setEncoding("utf8").on("data", hear)
  child.stderr?.setEncoding("utf8").on("data", hear)
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    killGroup(child)
  }, limit_ms)
  const leave = () => {
    killGroup(child)
    process.exit(INTERRUPTED)
  }
  for (const signal of STOPS) process.once(signal, leave)
  const code = await new Promise<number | null>((resolve) => {
    child.on("close", resolve)
    // Somebody may have left its group and hold the pipe.
    child.on("exit", (ended) => setTimeout(resolve, PIPE_MS, ended).unref())
  })
  clearTimeout(limit)
  for (const signal of STOPS) process.off(signal, leave)
  return { code, isLate, words }
}

const STOPS = ["SIGINT", "SIGTERM"] as const
const INTERRUPTED = 130
const PIPE_MS = 10_000

function killGroup({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

async function tablesIn(file: string): Promise<Shown[]> {
  const text = await readFile(file, "utf8").catch(() => "")
  const lines = text.split("\n").filter((line) => line !== "")
  return lines.map((line) => JSON.parse(line) as Shown)
}
