import { table } from "../bench/figures.ts"
import { type FaultError, judgeFault } from "./faults-verdict.ts"
import { atEach, isWhole, pointsOf, spread, sumOf } from "./points.ts"

export interface FaultsOptions {
  /** Of each kind of call, so many of the first. */
  readonly first: number
  /** At most so many places of all kinds; all when there are fewer. */
  readonly points: number
  readonly journal?: string | undefined
}

const CALLS = ["write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "mkdir"]
const ERRORS: readonly FaultError[] = ["ENOSPC", "EIO"]
const ROUNDS = 2
const SHOWN = 40

/** Let each call by which a scripted session changes its folder fail once, and look what it says, what
 *  it keeps and whether it goes on. */
export async function tortureFaults({ first, points, journal }: FaultsOptions): Promise<boolean> {
  const began = performance.now()
  const places = await placesOf(first)
  const chosen = spread(places, points)
  const kinds = CALLS.map((call) => `${chosen.filter((one) => one.call === call).length} ${call}`)
  console.log(`faults: ${chosen.length} of ${places.length} places (${kinds.join(", ")})`)
  console.log(`${ERRORS.join(" and ")} at each`)
  const judged = []
  for (const error of ERRORS)
    judged.push(
      ...(await atEach(chosen, {
        rounds: ROUNDS,
        quick: true,
        journal: journal && `${journal}.${error}`,
        inject: ({ call, at }) => `${call}:error=${error}:when=${at}`,
        judge: (point, outcome) => judgeFault({ error, call: point.call }, outcome),
      })),
    )
  const found = judged.flatMap(({ point, faults }) => faults.map((fault) => `${point}: ${fault}`))
  const seconds = (performance.now() - began) / 1000
  console.log(
    table(
      ["faults", "count"],
      [
        ["injected", String(judged.filter(({ reached }) => reached).length)],
        ["the script ended before the call", String(judged.filter((one) => !one.reached).length)],
        ...Object.entries(sumOf(judged)).map(([name, count]) => [name, String(count)]),
        ["seconds", seconds.toFixed(0)],
        ["not as promised", String(found.length)],
      ],
    ),
  )
  for (const fault of found.slice(0, SHOWN)) console.log(fault)
  if (!isWhole(judged)) console.log("too many places were missed")
  return found.length === 0 && isWhole(judged)
}

async function placesOf(first: number) {
  const places = await pointsOf(ROUNDS, CALLS)
  return CALLS.flatMap((call) => places.filter((one) => one.call === call).slice(0, first))
}
