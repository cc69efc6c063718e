import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts"
import type { Store } from "../src/store/store.ts"
import { type Action, actions } from "./session-actions.ts"
import { type Clock, SessionModel } from "./session-model.ts"

export interface ModelOptions {
  readonly steps: number
  readonly seed: number
  /** Actions of one run: a run starts with a new session. */
  readonly length?: number
}

const LENGTH = 120
/** After so many runs the folder is begun anew, so that its size does not decide the time. */
const RUNS_OF_A_FOLDER = 200
const HOUR_MS = 60 * 60 * 1000
// Whether a disk keeps what it was told is another torture; memory makes this one thirty times faster.
const MEMORY = "/dev/shm"

/** Random lives of sessions against lists in memory. True when no step made a difference. */
export async function tortureModel({ steps, seed, length = LENGTH }: ModelOptions) {
  console.log(`model: ${steps} steps, --seed ${seed}`)
  const began = performance.now()
  const walked = await walk({ steps, seed, length })
  const seconds = (performance.now() - began) / 1000
  const rate = Math.round(walked.steps / seconds)
  console.log(`${walked.steps} steps in ${walked.runs} runs, ${seconds.toFixed(1)} s, ${rate}/s`)
  console.log(walked.fault ? walked.fault : "0 divergences")
  return walked.fault === undefined
}

export interface Walked {
  readonly steps: number
  readonly runs: number
  /** The shortest life that shows a difference, in words. */
  readonly fault: string | undefined
}

export async function walk({ steps, seed, length = LENGTH }: ModelOptions): Promise<Walked> {
  let walked = 0
  let runs = 0
  while (walked < steps) {
    const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "compositor-model-"))
    let now = 1_800_000_000_000
    const clock = () => ++now
    const store = await openSqliteStore({
      file: join(folder, "compositor.db"),
      thread: false,
      clock,
    })
    const moved: Clock = {
      now: () => now,
      tick: (hours) => {
        now += hours * HOUR_MS
      },
    }
    const property = fc.asyncProperty(actions(length), async (life) => {
      runs += 1
      if (walked >= steps) return
      walked += await live(store, life, moved)
    })
    const details = await fc.check(property, { numRuns: RUNS_OF_A_FOLDER, seed: seed + runs })
    await store.close()
    await rm(folder, { recursive: true })
    if (details.failed) return { steps: walked, runs, fault: fc.defaultReportMessage(details) }
  }
  return { steps: walked, runs, fault: undefined }
}

async function live(store: Store, life: readonly Action[], clock: Clock): Promise<number> {
  const model = new SessionModel(store, clock)
  await model.begin()
  for (const action of life) {
    await model.perform(action)
    await model.check()
  }
  await model.drain()
  return life.length
}
