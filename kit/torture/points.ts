import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { FAST_FOLDER } from "./fast-folder.ts"
import { endedTurns } from "./script-verdict.ts"
import { CALLS, callsOn, type Ended, runTraced } from "./traced.ts"

/** The Nth call of its kind that a thread makes; no two threads have the same on files of the folder. */
export interface Point {
  readonly call: string
  readonly at: number
}

export interface Outcome extends Ended {
  readonly data: string
}

/** What came of one point, as it is kept in a journal. */
export interface Judged {
  readonly point: string
  /** Whether the script came to that call at all. */
  readonly reached: boolean
  /** What is counted of it. */
  readonly counts: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

export interface Torment {
  readonly rounds: number
  /** Stop at the calls that matter and no others, which is quick; a signal cannot be sent so. */
  readonly quick: boolean
  /** What strace does at a point. */
  readonly inject: (point: Point) => string
  readonly judge: (point: Point, outcome: Outcome) => Promise<Omit<Judged, "point" | "reached">>
  /** A file in which each point is noted once it was looked at: those that stand in it are not looked
   *  at again. */
  readonly journal?: string | undefined
}

const RUNS_AT_ONCE = 2
/** More calls of a kind than any thread but the one for files makes beside the writer's. */
const AHEAD = 300
/** So many places may be missed because one run is a little shorter than another. */
const MAX_MISSED = 0.02
/** How the calls of a run fall differs a little: a place that was missed is tried again. */
const TRIES = 3
const TELL_EVERY = 50

/** All the places at which the script changes its folder, in their order for each kind of call. */
export async function pointsOf(
  rounds: number,
  calls: readonly string[] = CALLS,
): Promise<readonly Point[]> {
  return inFolder(async (folder) => {
    const data = join(folder, "data")
    const input = { data, ledger: join(folder, "ledger"), rounds, ahead: AHEAD }
    const { log, code } = await runTraced(input, ["--seccomp-bpf", "-e", `trace=${CALLS.join()}`])
    if (code !== 0) throw new Error(`the script ended with ${code} when nobody hurt it`)
    const { unfinished } = endedTurns(data)
    if (unfinished.length > 0) throw new Error(`when nobody hurt it ${unfinished.join(", ")}`)
    const places = callsOn(log, data)
    return calls.flatMap((call) =>
      [...(places.get(call) ?? [])].sort((a, b) => a - b).map((at) => ({ call, at })),
    )
  })
}

/** Run the script once for each point with what is injected there, and judge what is left. */
export async function atEach(points: readonly Point[], torment: Torment): Promise<Judged[]> {
  const judged = readJournal(torment.journal)
  const left = points.filter((point) => !judged.has(torment.inject(point)))
  if (left.length < points.length)
    console.log(`${points.length - left.length} of them were looked at before`)
  const runner = async () => {
    for (let point = left.shift(); point; point = left.shift()) {
      const one = await lookAt(point, torment)
      judged.set(one.point, one)
      if (torment.journal) appendFileSync(torment.journal, `${JSON.stringify(one)}\n`)
      if (judged.size % TELL_EVERY === 0) console.log(`${judged.size} of ${points.length}`)
    }
  }
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, runner))
  return [...judged.values()]
}

function readJournal(journal: string | undefined): Map<string, Judged> {
  if (journal === undefined || !existsSync(journal)) return new Map()
  const lines = readFileSync(journal, "utf8").split("\n")
  const judged = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line))
  return new Map(judged.map((one: Judged) => [one.point, one]))
}

async function lookAt(point: Point, torment: Torment): Promise<Judged> {
  for (let tried = 1; ; tried++) {
    const one = await once(point, torment)
    if (one.reached || one.faults.length > 0 || tried === TRIES) return one
  }
}

/** Calls that more than one thread makes. */
const SHARED: ReadonlySet<string> = new Set(["write", "fsync"])

function once(point: Point, { rounds, quick, inject, judge }: Torment): Promise<Judged> {
  return inFolder(async (folder) => {
    const data = join(folder, "data")
    const injected = inject(point)
    const trace = ["-s", "80", "-e", `trace=${point.call},writev`, "-e", `inject=${injected}`]
    // The others' calls come before it has made as many, unless it is sent ahead.
    const ahead = point.at > AHEAD && SHARED.has(point.call) ? AHEAD : 0
    const input = { data, ledger: join(folder, "ledger"), rounds, ahead }
    const ended = await runTraced(input, quick ? ["--seccomp-bpf", ...trace] : trace)
    const reached = callsOn(ended.log, data).get(point.call)?.has(point.at) ?? false
    const { counts, faults } = await judge(point, { ...ended, data })
    const late = ended.late ? ["it did not end by itself"] : []
    return { point: injected, reached, counts, faults: [...faults, ...late] }
  })
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-points-"))
  try {
    return await use(folder)
  } finally {
    // Whoever was just killed may still be writing its last.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Whether nearly every place was come to: what was not looked at is not known to be good. */
export function isWhole(judged: readonly Judged[]): boolean {
  return judged.filter(({ reached }) => !reached).length <= judged.length * MAX_MISSED
}

/** How much there is of each thing that was counted. */
export function sumOf(judged: readonly Judged[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { counts } of judged)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** So many of them, from the first to the last. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items]
  return Array.from(
    { length: count },
    (_, at) => items[Math.floor((at * items.length) / count)],
  ).filter((item) => item !== undefined)
}
