import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { asking, startPostgres } from "../torture/postgres.ts"
import { ServerProcess } from "../torture/server-process.ts"
import { Child } from "./child.ts"
import { median, milliseconds, perSecond, quantile, sized, table, times } from "./figures.ts"
import { describeMachine, noise } from "./machine.ts"
import { peer } from "./peers.ts"
import { Load } from "./scale-load.ts"
import type { GraphileQuestion } from "./scale-graphile.ts"
import type { PairsAnswer } from "./scale-pairs.ts"

const MIN_RATIO = 3
const WORKERS = 16
const QUEUES = 64
const ROUNDS = 3
const JOBS = sized(5120, 256)
/** Where each is claimed and completed by itself. */
const JOBS_ALONE = sized(1280, 128)
const NODES = [1, 2, 4] as const
const SENDERS = 64
const TURNS = sized(1000, 100)
const LIVE_SESSIONS = sized(1000, 50)
const SENDS = sized(1500, 100)
/** Below what it can do: what is measured is how long one takes, not how long the queue is. */
const SENDS_A_SECOND = 40
const DELIVERY_MS = 60_000

/** What many nodes on one PostgreSQL do. True if the gate holds. */
export async function benchScale({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-scale-"))
  // Commits wait for the disk, ours and the peer's alike.
  const server = await startPostgres({ durable: true, settings: ["max_connections=300"] })
  try {
    const machine = describeMachine(folder)
    const before = noise()
    const pairs = await pairsBeside(server.url, await server.room("pairs"))
    const nodes: { nodes: number; rate: number }[] = []
    for (const count of NODES) {
      const store = await server.room(`turns${count}`)
      nodes.push({ nodes: count, rate: await turnRate(folder, store, count) })
    }
    const live = await latencies(folder, await server.room("live"))
    const report = { machine, before, after: noise(), pairs, nodes, live }
    console.log(json ? JSON.stringify(report, null, 2) : show(report))
    return ratioOf(pairs) >= MIN_RATIO
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Pairs {
  readonly ours: number
  readonly theirs: Readonly<Record<Way, Beside>> | null
}

/** The peer's rate, and how many times as many ours are. */
interface Beside {
  readonly rate: number
  readonly ratio: number
}

type Way = GraphileQuestion["way"]

/** By turns, so that a busy minute of the machine hits all. */
async function pairsBeside(url: string, room: string): Promise<Pairs> {
  const ours = await Child.start("scale-pairs.ts", { url: room, workers: WORKERS })
  const program = peer("graphile-worker")
  const theirs =
    program && (await Child.start("scale-graphile.ts", { url, workers: WORKERS, program }))
  const rates = { ours: [] as number[], batches: [] as number[], alone: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.ours.push(rateOf(await ours.ask<PairsAnswer>({ queues: QUEUES, jobs: JOBS })))
    if (!theirs) continue
    const batches = { queues: QUEUES, jobs: JOBS, way: "batches" }
    rates.batches.push(rateOf(await theirs.ask<PairsAnswer>(batches)))
    const alone = { queues: QUEUES, jobs: JOBS_ALONE, way: "alone" }
    rates.alone.push(rateOf(await theirs.ask<PairsAnswer>(alone)))
  }
  await ours.stop()
  if (!theirs) return { ours: median(rates.ours), theirs: null }
  await theirs.stop()
  const beside = (others: readonly number[]): Beside => ({
    rate: median(others),
    ratio: median(rates.ours.map((rate, at) => rate / (others[at] ?? Number.NaN))),
  })
  return {
    ours: median(rates.ours),
    theirs: { batches: beside(rates.batches), alone: beside(rates.alone) },
  }
}

/** The gate is for the peer as it comes; what it does in batches is said beside it. */
function ratioOf({ theirs }: Pairs): number {
  return theirs?.alone.ratio ?? 0
}

function rateOf({ pairs, seconds }: PairsAnswer): number {
  return pairs / seconds
}

/** From the first send to the end of the last turn, each an HTTP request, a claim and a streamed answer. */
async function turnRate(folder: string, store: string, count: number): Promise<number> {
  return withNodes(folder, store, count, async (load) => {
    const sessions = await Promise.all(Array.from({ length: SENDERS }, () => load.session()))
    const began = performance.now()
    await Promise.all(
      sessions.map(async (session, at) => {
        for (let left = Math.ceil(TURNS / SENDERS); left > 0; left--)
          await load.send(at, session, "queued")
      }),
    )
    const wanted = Math.ceil(TURNS / SENDERS) * SENDERS
    while ((await finishedIn(store)) < wanted) await pause(50)
    return wanted / ((performance.now() - began) / 1000)
  })
}

async function finishedIn(store: string): Promise<number> {
  const [row] = await asking(
    store,
    "SELECT count(*)::int AS count FROM turns WHERE state = 'finished'",
  )
  return (row as { count: number }).count
}

interface Latencies {
  readonly send: readonly number[]
  readonly delivery: readonly number[]
}

/** What is sent to one node is heard on another, where each of many sessions has a reader. */
async function latencies(folder: string, store: string): Promise<Latencies> {
  return withNodes(folder, store, 2, async (load) => {
    const heard = new Map<string, number>()
    const sessions = await inTurn(LIVE_SESSIONS, () => load.session())
    await inTurn(LIVE_SESSIONS, (at) =>
      load.follow(1, sessions[at] ?? "", (said) => {
        for (const [id] of said.matchAll(MESSAGE_ID))
          if (!heard.has(id)) heard.set(id, performance.now())
      }),
    )
    const sent = new Map<string, number>()
    const send: number[] = []
    const sending: Promise<void>[] = []
    for (let at = 0; at < SENDS; at++) {
      sending.push(
        (async () => {
          const began = performance.now()
          sent.set(await load.send(0, sessions[(at * 7) % LIVE_SESSIONS] ?? "", "paused"), began)
          send.push(performance.now() - began)
        })(),
      )
      await pause(1000 / SENDS_A_SECOND)
    }
    await Promise.all(sending)
    const until = performance.now() + DELIVERY_MS
    while ([...sent.keys()].some((id) => !heard.has(id)) && performance.now() < until)
      await pause(50)
    const delivery = [...sent].map(([id, began]) => (heard.get(id) ?? Infinity) - began)
    return { send, delivery }
  })
}

const MESSAGE_ID = /msg_[0-9A-Za-z]{26}/g

async function inTurn<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let at = 0; at < count; at += 25)
    made.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(25, count - at) }, (_, more) => make(at + more)),
      )),
    )
  return made
}

async function withNodes<T>(
  folder: string,
  store: string,
  count: number,
  work: (load: Load) => Promise<T>,
): Promise<T> {
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => {
      const data = await mkdtemp(join(folder, "node-"))
      const input = { data, lease_ms: 15_000, calls: join(data, "calls"), store }
      const node = new ServerProcess(input, "turns-server.ts")
      return { node, ready: await node.ready() }
    }),
  )
  const load = new Load(nodes.map(({ ready }) => ready))
  try {
    return await work(load)
  } finally {
    load.close()
    await Promise.all(nodes.map(({ node }) => node.kill()))
  }
}

interface Report {
  readonly machine: ReturnType<typeof describeMachine>
  readonly before: ReturnType<typeof noise>
  readonly after: ReturnType<typeof noise>
  readonly pairs: Pairs
  readonly nodes: readonly { readonly nodes: number; readonly rate: number }[]
  readonly live: Latencies
}

/** What each side does for a pair. */
const PAIRS = `A pair of ours is one commit with those of other sessions: the turn's end, the next message
claimed, its turn, and the events that tell of both; all rows stay. A pair of theirs is two: a job is locked
with its queue, and deleted. Both wait for the disk, and run one at a time in each queue. In batches theirs
locks up to 500 jobs before anyone asks, and deletes together what ended together.`

function show({ before, after, pairs, nodes, live }: Report): string {
  const held = ratioOf(pairs) >= MIN_RATIO
  const alone = nodes[0]?.rate ?? Number.NaN
  const both = (values: readonly number[]) =>
    `${milliseconds(quantile(values, 0.5))}, ${milliseconds(quantile(values, 0.99))}`
  const rows = [
    [
      `claim + complete, ${WORKERS} workers, ${QUEUES} queues`,
      perSecond(pairs.ours),
      `${times(ratioOf(pairs))} graphile-worker as it comes`,
      gate(held),
    ],
    ...besideRows(pairs),
    ...nodes.map(({ nodes: count, rate }) => [
      `full turns, ${count} node${count === 1 ? "" : "s"}`,
      perSecond(rate),
      times(rate / alone),
      "",
    ]),
    [`send p50, p99, ${LIVE_SESSIONS} live sessions`, both(live.send), "", ""],
    ["  heard on another node p50, p99", both(live.delivery), "", ""],
  ]
  const load = `before: load ${before.load.toFixed(2)}; after: load ${after.load.toFixed(2)}`
  return `${load}\n\n${table(["scale", "figure", "ratio", "gate"], rows)}\n\n${PAIRS}`
}

function besideRows({ theirs }: Pairs): string[][] {
  if (!theirs) return [["  graphile-worker 0.18", "not installed", "", ""]]
  const row = (way: string, { rate, ratio }: Beside) => [
    `  graphile-worker 0.18, named queues, ${way}`,
    perSecond(rate),
    `ours ${times(ratio)}`,
    "",
  ]
  return [row("as it comes", theirs.alone), row("in batches", theirs.batches)]
}

function gate(held: boolean): string {
  return `≥ ${MIN_RATIO}x ${held ? "pass" : "FAIL"}`
}
