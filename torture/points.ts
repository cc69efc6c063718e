import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CALLS, callsOn, type Ended, runTraced } from "./traced.ts"

/** The Nth call of its kind that a thread makes. */
export interface Point {
  readonly call: string
  readonly at: number
}

export interface Outcome extends Ended {
  readonly data: string
}

const RUNS_AT_ONCE = 2
const ROUNDS = 1

/** All the places at which the script changes its folder, in their order for each kind of call. */
export async function pointsOf(calls: readonly string[] = CALLS): Promise<Point[]> {
  return inFolder(async (folder) => {
    const data = join(folder, "data")
    const { log, code } = await runTraced(
      { data, ledger: join(folder, "ledger"), rounds: ROUNDS },
      ["--seccomp-bpf", "-e", `trace=${CALLS.join()}`],
    )
    if (code !== 0) throw new Error(`the script ended with ${code} when nobody hurt it`)
    const places = callsOn(log, data)
    return calls.flatMap((call) =>
      [...(places.get(call) ?? [])].sort((a, b) => a - b).map((at) => ({ call, at })),
    )
  })
}

/** Run the script once for each point with what is injected there, and judge what is left. */
export async function atEach(
  points: readonly Point[],
  inject: (point: Point) => string,
  judge: (point: Point, outcome: Outcome) => Promise<void>,
) {
  const left = [...points]
  const runner = async () => {
    for (let point = left.shift(); point; point = left.shift())
      await once(point, inject(point), judge)
  }
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, runner))
}

function once(
  point: Point,
  injected: string,
  judge: (point: Point, outcome: Outcome) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const data = join(folder, "data")
    const input = { data, ledger: join(folder, "ledger"), rounds: ROUNDS }
    const trace = ["-s", "80", "-e", `trace=${point.call},writev`, "-e", `inject=${injected}`]
    await judge(point, { ...(await runTraced(input, trace)), data })
  })
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-points-"))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** So many of them, from the first to the last. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items]
  return Array.from(
    { length: count },
    (_, at) => items[Math.floor((at * items.length) / count)],
  ).filter((item) => item !== undefined)
}
