import { table } from "../bench/figures.ts"
import { atEach, type Outcome, type Point, pointsOf, spread } from "./points.ts"
import { faultsOf } from "./script-verdict.ts"
import { CLOSING } from "./traced.ts"

export interface FaultsOptions {
  /** Of each kind of call, so many of the first. */
  readonly first: number
  /** At most so many places of all kinds; all when there are fewer. */
  readonly points: number
}

const CALLS = ["write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "mkdir"]
const ERRORS = ["ENOSPC", "EIO"] as const
const SHOWN = 20

/** Let each call by which a scripted session changes its folder fail once, and look what it says, what
 *  it keeps and whether it goes on. */
export async function tortureFaults({ first, points }: FaultsOptions): Promise<boolean> {
  const began = performance.now()
  const places = (await pointsOf(CALLS)).filter(
    ({ call }, at, every) => every.slice(0, at).filter((one) => one.call === call).length < first,
  )
  const chosen = spread(places, points)
  console.log(
    `faults: ${chosen.length} of ${places.length} places, ${ERRORS.join(" and ")} at each`,
  )
  const found: string[] = []
  const counts = { injected: 0, refused: 0, recovered: 0, exited: 0, not_started: 0 }
  for (const error of ERRORS)
    await atEach(
      chosen,
      ({ call, at }) => `${call}:error=${error}:when=${at}`,
      async (point, outcome) => {
        const hit = hitOf(outcome)
        if (hit === undefined) return
        const { lines, code } = outcome
        counts.injected += 1
        counts.refused += lines.filter(({ type }) => type === "refused").length
        if (lines.length === 0) counts.not_started += 1
        else if (code === 0) counts.recovered += 1
        else counts.exited += 1
        for (const fault of await judged(error, point, { outcome, hit }))
          found.push(`${error} at ${point.call} ${point.at} (${hit}): ${fault}`)
      },
    )
  const seconds = (performance.now() - began) / 1000
  console.log(
    table(
      ["faults", "count"],
      [
        ...Object.entries(counts).map(([name, count]) => [
          name.replaceAll("_", " "),
          String(count),
        ]),
        ["seconds", seconds.toFixed(0)],
        ["not as promised", String(found.length)],
      ],
    ),
  )
  for (const fault of found.slice(0, SHOWN)) console.log(fault)
  return found.length === 0
}

/** The file of the folder whose call failed; other calls of the process may fail beside it. */
function hitOf({ log, data }: Outcome): string | undefined {
  const line = log.split("\n").find((one) => one.includes("(INJECTED)") && one.includes(data))
  return line && (new RegExp(`${data}([^>"]*)`).exec(line)?.[1] || "/")
}

interface Judged {
  readonly outcome: Outcome
  readonly hit: string
}

async function judged(error: string, { call }: Point, { outcome, hit }: Judged): Promise<string[]> {
  const { lines, code, data } = outcome
  const faults = await faultsOf(data, lines)
  for (const line of lines)
    if (line.type === "refused" && (line.code === "" || line.status < 500))
      faults.push(`${line.method} ${line.path} was refused with ${line.status} ${line.code}`)
  // A server that cannot open its folder says so and acknowledges nothing.
  if (lines.length === 0) return faults
  const isSync = call === "fsync" || call === "fdatasync"
  // A folder's own sync, or a blob's, is asked for again; after the database's nothing is certain.
  const isDatabase = hit.includes("compositor.db")
  if (isSync && isDatabase && code === 0 && !isClosing(outcome))
    faults.push(`the disk failed to sync and the process ended with ${String(code)}`)
  if (error === "ENOSPC" && !isSync && code !== 0)
    faults.push(`there was room again and the process ended with ${String(code)}`)
  if (error === "ENOSPC" && !isSync) faults.push(...unfinished(lines))
  return faults
}

// All was acknowledged and synced before: what fails now is only moved from the log later.
function isClosing({ log, data }: Outcome): boolean {
  const lines = log.split("\n")
  const closing = lines.findIndex((line) => line.includes("writev(") && line.includes("CLOSE"))
  const failed = lines.findIndex((line) => line.includes("(INJECTED)") && line.includes(data))
  return closing >= 0 && failed > closing
}

/** What was asked for and never acknowledged, though there was room again. */
function unfinished(lines: Outcome["lines"]): string[] {
  const open = new Set<string>()
  for (const { type, method, path } of lines) {
    if (type === "acknowledged") open.delete(`${method} ${path}`)
    if (type === "asked" && method !== CLOSING.method) open.add(`${method} ${path}`)
  }
  return [...open].map((what) => `${what} was never acknowledged`)
}
