import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { milliseconds, quantile, table } from "../bench/figures.ts"
import { Crowd, type Kill } from "./crowd.ts"
import { FAST_FOLDER } from "./fast-folder.ts"
import { asking, startPostgres } from "./postgres.ts"
import {
  type AnswerRow,
  type Freeze,
  type MessageRow,
  readVerdict,
  type Sent,
  type TurnRow,
  type TurnsRows,
} from "./turns-verdict.ts"

export interface ClusterOptions {
  readonly turns: number
  readonly seed: number
}

const NODES = 3
const SENDERS = 48
const SESSION_MESSAGES = 40
const BURST = 10
const LEASE_MS = 4000
/** Longer than the lease, now and then: then the others take over. */
const FREEZE_MS = [50, 9000] as const
/** A node looks for work that others left once a second. */
const LOOK_MS = 1000
const SHARE_CUT = 0.3

/** Three nodes on one PostgreSQL, each with a folder of its own: killed, frozen and cut off from the
 *  database at random while they run turns; then what the rows say is held against what may be. */
export async function tortureCluster({ turns, seed }: ClusterOptions): Promise<boolean> {
  console.log(`cluster: ${turns} turns, ${NODES} nodes on PostgreSQL, --seed ${seed}`)
  const began = performance.now()
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-cluster-"))
  const server = await startPostgres({ durable: false })
  try {
    const store = await server.room("cluster")
    const calls = join(folder, "calls")
    const crowd = new Crowd({
      inputs: Array.from({ length: NODES }, (_, at) => ({
        data: join(folder, `node-${at}`),
        lease_ms: LEASE_MS,
        calls,
        store,
      })),
      seed,
      senders: SENDERS,
      session_messages: SESSION_MESSAGES,
      burst: BURST,
      freeze_ms: FREEZE_MS,
      holds: () => false,
      cut: async () => void (await asking(store, CUT)),
    })
    const run = await crowd.run(turns)
    const seconds = (performance.now() - began) / 1000
    const rows = await rowsOf(store)
    const verdict = readVerdict(rows, { ...run, calls })
    const taken = takeOvers(rows.turns, run)
    const slowest = Math.max(0, ...taken)
    const [parallel, doubled] = [parallelIn(rows.turns), doubledIn(rows.turns, run.sent)]
    const gates: readonly (readonly [string, number, boolean])[] = [
      ["turns", verdict.turns, verdict.turns >= turns],
      ["parallel turns", parallel, parallel === 0],
      ["acknowledged messages lost", verdict.lost, verdict.lost === 0],
      ["messages answered twice", doubled, doubled === 0],
      ["order inversions", verdict.inversions, verdict.inversions === 0],
      ["stuck messages", verdict.stuck, verdict.stuck === 0],
      [
        "writes accepted from a stale fence",
        verdict.foreign_answers,
        verdict.foreign_answers === 0,
      ],
      ["turns with steps of two owners", verdict.two_owners, verdict.two_owners === 0],
      ["slowest take-over (ms)", Math.round(slowest), slowest <= LEASE_MS + LOOK_MS],
    ]
    const frozen = run.freezes.filter(({ from, to }) => to - from > LEASE_MS).length
    console.log(
      table(
        ["cluster", "figure", "gate"],
        [
          ["sessions, senders", `${run.sessions}, ${SENDERS}`, ""],
          [
            "kills, freezes, of them beyond the lease",
            `${run.kills.length}, ${run.freezes.length}, ${frozen}`,
            "",
          ],
          ["times that connections were cut", String(run.cuts), ""],
          ["interrupted, taken up again", `${verdict.interrupted}, ${verdict.refired}`, ""],
          [
            "turns of killed nodes, taken over p50",
            `${taken.length}, ${milliseconds(quantile(taken, 0.5))}`,
            "",
          ],
          ["turns a second", (verdict.turns / seconds).toFixed(1), ""],
          ...gates.map(([name, figure, isGood]) => [
            name,
            String(figure),
            isGood ? "ok" : "FAILED",
          ]),
        ],
      ),
    )
    return gates.every(([, , isGood]) => isGood)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'compositor' AND random() < ${SHARE_CUT}`

async function rowsOf(url: string): Promise<TurnsRows> {
  return {
    turns: (await asking(
      url,
      `SELECT id, session_id, message_id, attempt::int, state, owner, started_at::float8,
         ended_at::float8 FROM turns ORDER BY session_id, turns.fence`,
    )) as TurnRow[],
    answers: (await asking(
      url,
      `SELECT chat_messages.metadata_json::json ->> 'turn_id' AS turn_id,
         chat_parts.data_json::json ->> 'text' AS text
       FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
       WHERE role = 'assistant' AND type = 'text'`,
    )) as AnswerRow[],
    messages: (await asking(
      url,
      `SELECT id, seq::float8, (metadata_json::json ->> 'queue_enqueued_at')::float8 AS queued_at
       FROM chat_messages WHERE role = 'user'`,
    )) as MessageRow[],
  }
}

/** Turns that began before the one before them in their session was over. */
function parallelIn(turns: readonly TurnRow[]): number {
  return turns.filter(({ session_id, started_at }, at) => {
    const before = turns[at - 1]
    if (before?.session_id !== session_id) return false
    return before.ended_at === null || before.ended_at > started_at
  }).length
}

function doubledIn(turns: readonly TurnRow[], sent: readonly Sent[]): number {
  const finished = Map.groupBy(
    turns.filter(({ state }) => state === "finished"),
    ({ message_id }) => message_id,
  )
  return sent.filter(({ id }) => (finished.get(id)?.length ?? 0) > 1).length
}

/** How long the turns of each killed node waited for another. Counted where one of the others was there
 *  for all the time that it may take. */
function takeOvers(turns: readonly TurnRow[], run: Hurts): number[] {
  const counted = run.kills.filter((kill) => anotherIsAwake(kill, run))
  return counted.flatMap(({ pid, from }) =>
    turns
      .filter(({ owner }) => owner.split("|")[2] === String(pid))
      .filter(({ state, ended_at }) => state === "interrupted" && (ended_at ?? 0) >= from)
      .map(({ ended_at }) => (ended_at ?? 0) - from),
  )
}

interface Hurts {
  readonly kills: readonly Kill[]
  readonly freezes: readonly Freeze[]
}

function anotherIsAwake(kill: Kill, { kills, freezes }: Hurts): boolean {
  const until = kill.from + LEASE_MS + LOOK_MS
  const hurt = [...kills, ...freezes].filter(({ from, to }) => from <= until && to >= kill.from)
  return Array.from({ length: NODES }, (_, node) => node).some(
    (node) => node !== kill.server && hurt.every(({ server }) => server !== node),
  )
}
