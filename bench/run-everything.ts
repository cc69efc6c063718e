import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import type { Shown } from "./figures.ts"

/** What became of one job that ran in a process of its own. */
export interface Ran {
  readonly name: string
  readonly summary: string
  readonly quick: boolean
  /** `passed`: every gate held. `failed`: one did not, or the job ended before its figures. */
  readonly outcome: "passed" | "failed"
  readonly tables: readonly Shown[]
  /** Where it ended badly, the last words that it said. */
  readonly last_words: string | null
  readonly seconds: number
  readonly at: string
  /** How busy the machine was when it began. */
  readonly load: number
}

export interface Runnable {
  readonly name: string
  readonly summary: string
  /** What it is called with where there is no time. */
  readonly quick?: readonly string[]
}

/** Run one job after the other, each in a process of its own, so that none warms another's caches,
 *  and tell of each when it is done. */
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

const LAST_CHARACTERS = 400

async function runOne(
  script: string,
  { name, summary, quick: small = [] }: Runnable,
  { quick, notes }: { readonly quick: boolean; readonly notes: string },
): Promise<Ran> {
  const [load = 0] = loadavg()
  const began = performance.now()
  const at = new Date().toISOString()
  const child = spawn(process.execPath, [script, name, ...(quick ? small : [])], {
    env: {
      ...process.env,
      COMPOSITOR_FIGURES: notes,
      ...(quick ? { COMPOSITOR_QUICK: "1" } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let words = ""
  const hear = (text: string) => {
    process.stderr.write(text)
    words = `${words}${text}`.slice(-LAST_CHARACTERS)
  }
  child.stdout.setEncoding("utf8").on("data", hear)
  child.stderr.setEncoding("utf8").on("data", hear)
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const tables = await tablesIn(notes)
  const outcome = code === 0 ? "passed" : "failed"
  const last_words = code === 0 ? null : words.trim().split("\n").slice(-3).join(" ")
  return { name, summary, quick, outcome, tables, last_words, seconds, at, load }
}

async function tablesIn(file: string): Promise<Shown[]> {
  const text = await readFile(file, "utf8").catch(() => "")
  const lines = text.split("\n").filter((line) => line !== "")
  return lines.map((line) => JSON.parse(line) as Shown)
}
