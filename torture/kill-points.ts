import { table } from "../bench/figures.ts"
import { atEach, pointsOf, spread } from "./points.ts"
import { faultsOf } from "./script-verdict.ts"

export interface KillPointsOptions {
  /** At most so many places; all when there are fewer. */
  readonly points: number
}

const SHOWN = 20

/** Kill a scripted session on entering each call by which it changes its folder, and hold the folder
 *  against what was acknowledged until then. True if every promise was kept. */
export async function killPoints({ points }: KillPointsOptions): Promise<boolean> {
  const began = performance.now()
  const all = await pointsOf()
  const chosen = spread(all, points)
  console.log(`kill points: ${chosen.length} of ${all.length}`)
  const found: string[] = []
  let acknowledged = 0
  let survived = 0
  await atEach(
    chosen,
    ({ call, at }) => `${call}:signal=SIGKILL:when=${at}`,
    async ({ call, at }, { data, lines, code }) => {
      acknowledged += lines.filter(({ type }) => type === "acknowledged").length
      if (code === 0) survived += 1
      for (const fault of await faultsOf(data, lines)) found.push(`${call} ${at}: ${fault}`)
    },
  )
  const seconds = (performance.now() - began) / 1000
  console.log(
    table(
      ["kill points", "count"],
      [
        ["killed", String(chosen.length - survived)],
        ["ended before the call came", String(survived)],
        ["acknowledged operations", String(acknowledged)],
        ["promises broken", String(found.length)],
        ["seconds", seconds.toFixed(0)],
      ],
    ),
  )
  for (const fault of found.slice(0, SHOWN)) console.log(fault)
  return found.length === 0
}
