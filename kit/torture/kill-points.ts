import { table } from "../bench/figures.ts"
import { atEach, isWhole, pointsOf, spread, sumOf } from "./points.ts"
import { faultsOf } from "./script-verdict.ts"

export interface KillPointsOptions {
  /** At most so many places; all when there are fewer. */
  readonly points: number
  readonly journal?: string | undefined
}

const ROUNDS = 1
const SHOWN = 20

/** Kill a scripted session on entering each call by which it changes its folder, and hold the folder
 *  against what was acknowledged until then. True if every promise was kept. */
export async function killPoints({ points, journal }: KillPointsOptions): Promise<boolean> {
  const began = performance.now()
  const all = await pointsOf(ROUNDS)
  const chosen = spread(all, points)
  console.log(`kill points: ${chosen.length} of ${all.length}`)
  const judged = await atEach(chosen, {
    rounds: ROUNDS,
    quick: false,
    journal,
    inject: ({ call, at }) => `${call}:signal=SIGKILL:when=${at}`,
    judge: async (_point, { data, lines, code }) => ({
      counts: {
        killed: code === 0 ? 0 : 1,
        "acknowledged operations": lines.filter(({ type }) => type === "acknowledged").length,
      },
      faults: await faultsOf(data, lines),
    }),
  })
  const found = judged.flatMap(({ point, faults }) => faults.map((fault) => `${point}: ${fault}`))
  for (const { point, reached, counts } of judged)
    if (reached && counts.killed === 0) found.push(`${point}: the call came, and nobody was killed`)
  const seconds = (performance.now() - began) / 1000
  console.log(
    table(
      ["kill points", "count"],
      [
        ...Object.entries(sumOf(judged)).map(([name, count]) => [name, String(count)]),
        ["at the call itself", String(judged.filter(({ reached }) => reached).length)],
        ["promises broken", String(found.length)],
        ["seconds", seconds.toFixed(0)],
      ],
    ),
  )
  for (const fault of found.slice(0, SHOWN)) console.log(fault)
  if (!isWhole(judged)) console.log("too many places were missed")
  return found.length === 0 && isWhole(judged)
}
