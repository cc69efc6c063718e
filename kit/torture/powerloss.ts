import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { table } from "../bench/figures.ts"
import { Disk } from "./disk.ts"
import { FAST_FOLDER } from "./fast-folder.ts"
import { Random } from "./random.ts"
import { type Change, readRecording, RECORDING } from "./recording.ts"
import { faultsOf } from "./script-verdict.ts"
import { type Line, runTraced } from "./traced.ts"

export interface PowerlossOptions {
  readonly states: number
  readonly seed: number
}

const ROUNDS = [1, 2, 3]
const SHOWN = 20

/** Record what sessions tell a disk, and cut the power at random: of what was not synced any part may be
 *  there. Each state is opened and held against what was acknowledged until then. */
export async function powerloss({ states, seed }: PowerlossOptions): Promise<boolean> {
  console.log(`powerloss: ${states} states, --seed ${seed}`)
  const began = performance.now()
  const random = new Random(seed)
  const found: string[] = []
  let acknowledged = 0
  let changes = 0
  for (const [at, rounds] of ROUNDS.entries()) {
    const recorded = await record(rounds)
    changes += recorded.changes.length
    const share =
      Math.floor((states * (at + 1)) / ROUNDS.length) - Math.floor((states * at) / ROUNDS.length)
    const cut = await cuts(recorded, { states: share, random })
    found.push(...cut.found)
    acknowledged += cut.acknowledged
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    table(
      ["powerloss", "count"],
      [
        ["states", String(states)],
        ["recorded changes", String(changes)],
        ["acknowledged operations looked for", String(acknowledged)],
        ["lost, resurrected or corrupt", String(found.length)],
        ["seconds", seconds.toFixed(0)],
      ],
    ),
  )
  for (const fault of found.slice(0, SHOWN)) console.log(fault)
  return found.length === 0
}

interface Recorded {
  readonly data: string
  readonly changes: readonly Change[]
}

async function record(rounds: number): Promise<Recorded> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-power-"))
  const [data, ledger] = [join(folder, "data"), join(folder, "ledger")]
  const { log, code } = await runTraced({ data, ledger, rounds, ahead: 0 }, RECORDING)
  if (code !== 0) throw new Error(`the script ended with ${String(code)} when nobody hurt it`)
  const changes = readRecording(log, { data, ledger })
  await rm(folder, { recursive: true })
  return { data, changes }
}

/** The recording is walked once; at the places where the power goes, what may be left is looked at. */
async function cuts(
  { data, changes }: Recorded,
  { states, random }: { readonly states: number; readonly random: Random },
) {
  const places = new Map<number, number>()
  for (let left = states; left > 0; left--) {
    const at = random.between(0, changes.length)
    places.set(at, (places.get(at) ?? 0) + 1)
  }
  const found: string[] = []
  const disk = new Disk()
  const lines: Line[] = []
  let acknowledged = 0
  for (const [at, change] of [...changes.entries(), [changes.length, undefined] as const]) {
    for (let state = places.get(at) ?? 0; state > 0; state--) {
      acknowledged += lines.filter(({ type }) => type === "acknowledged").length
      for (const fault of await lookAt(disk, { data, lines, random }))
        found.push(`before change ${at} (${change?.type ?? "the end"}): ${fault}`)
    }
    if (!change) break
    disk.apply(change)
    if (change.type === "note") lines.push(JSON.parse(change.line))
  }
  return { found, acknowledged }
}

interface Cut {
  readonly data: string
  readonly lines: readonly Line[]
  readonly random: Random
}

async function lookAt(disk: Disk, { data, lines, random }: Cut): Promise<string[]> {
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-cut-"))
  try {
    disk.leave(random, data, folder)
    // What maps memory is made anew by whoever opens the folder.
    await rm(join(folder, "compositor.db-shm"), { force: true })
    return await faultsOf(folder, lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
