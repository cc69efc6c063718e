import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { milliseconds, quantile, table } from "../bench/figures.ts"
import { FAST_FOLDER } from "./fast-folder.ts"
import { Crowd } from "./crowd.ts"
import type { Firings } from "./turns-firings.ts"
import { readVerdict, rowsOfFile } from "./turns-verdict.ts"
import { holdsWriteLock } from "./write-lock.ts"

export interface TurnsOptions {
  readonly turns: number
  readonly seed: number
}

const SERVERS = 3
const SESSIONS = 48
const BURST = 20
const SESSION_MESSAGES = 200
const LEASE_MS = 2500
const FREEZE_MS = [50, 4000] as const
const MAX_FIRING_MS = 250

/** Three servers over one folder, killed and frozen at random while they run turns; then what the folder
 *  says is held against what may be. */
export async function tortureTurns({ turns, seed }: TurnsOptions): Promise<boolean> {
  console.log(`turns: ${turns} turns, ${SERVERS} servers, --seed ${seed}`)
  const began = performance.now()
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-turns-"))
  const calls = join(folder, "calls")
  const file = join(folder, "compositor.db")
  const input = { data: folder, lease_ms: LEASE_MS, calls }
  const crowd = new Crowd({
    inputs: Array.from({ length: SERVERS }, () => input),
    seed,
    senders: SESSIONS,
    session_messages: SESSION_MESSAGES,
    burst: BURST,
    freeze_ms: FREEZE_MS,
    holds: (pid) => holdsWriteLock(pid, file),
  })
  const run = await crowd.run(turns)
  const verdict = readVerdict(rowsOfFile(file), { ...run, calls })
  const seconds = (performance.now() - began) / 1000
  const { firings } = verdict
  const [claimed, asked] = [firings.claimed_ms, firings.asked_ms].map((ms) => quantile(ms, 0.99))
  const gates: readonly (readonly [string, number, boolean])[] = [
    ["writes accepted from a stale fence", verdict.foreign_answers, verdict.foreign_answers === 0],
    ["turns with steps of two owners", verdict.two_owners, verdict.two_owners === 0],
    ["order inversions", verdict.inversions, verdict.inversions === 0],
    ["stuck messages", verdict.stuck, verdict.stuck === 0],
    ["acknowledged messages lost", verdict.lost, verdict.lost === 0],
    ["turns", verdict.turns, verdict.turns >= turns],
    ["idle to claim p99 (ms)", Math.round(claimed ?? Number.NaN), isPrompt(claimed)],
    ["idle to the model's call p99 (ms)", Math.round(asked ?? Number.NaN), isPrompt(asked)],
  ]
  const { kills, freezes } = run
  const held = freezes.filter((freeze) => freeze.held).length
  console.log(
    table(
      ["turns", "figure", "gate"],
      [
        [
          "kills, freezes, of them with the lock",
          `${kills.length}, ${freezes.length}, ${held}`,
          "",
        ],
        ["interrupted, taken up again", `${verdict.interrupted}, ${verdict.refired}`, ""],
        ["turns a second", String(Math.round(verdict.turns / seconds)), ""],
        ...shown(firings),
        ...gates.map(([name, figure, isGood]) => [name, String(figure), isGood ? "ok" : "FAILED"]),
      ],
    ),
  )
  const clean = gates.every(([, , isGood]) => isGood)
  if (clean) await rm(folder, { recursive: true })
  else console.log(`the folder is kept for a look: ${folder}`)
  return clean
}

function isPrompt(ms: number | undefined): boolean {
  return ms !== undefined && ms <= MAX_FIRING_MS
}

function shown({ claimed_ms, asked_ms, ...counts }: Firings): string[][] {
  const middle = (values: readonly number[]) =>
    `${milliseconds(quantile(values, 0.5))}, ${milliseconds(quantile(values, 1))}`
  return [
    ["idle to claim p50, max", middle(claimed_ms), ""],
    ["idle to the model's call p50, max", middle(asked_ms), ""],
    ["waited at an idle session", String(counts.at_idle), ""],
    ["waited behind a take-over", String(counts.after_take_over), ""],
    ["not counted: the lock was with a stopped one", String(counts.locked), ""],
    ["killed between claim and call", String(counts.never_asked), ""],
  ]
}
