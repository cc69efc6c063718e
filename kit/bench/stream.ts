import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Child } from "./child.ts"
import { median, milliseconds, perSecond, quantile, sized, table, times } from "./figures.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"
import type { AppendsAnswer, LatencyAnswer, StreamQuestion } from "./stream-load.ts"
import type { StreamServerAnswer } from "./stream-server.ts"

const PRODUCERS = 64
const ROUNDS = sized(5, 2)
const WARM_UP_MS = 1000
const DURATION_MS = 2000
const APPENDS = 200
const READERS = sized(10_000, 500)
const SETTLE_MS = 2000

const APPENDS_GATE = 2
const LATENCY_GATE = 1
const IDLE_GATE_MB = 500

/** Appends, their way to a reader, and readers who wait: beside the protocol's own server with its
 *  file store, in one run. True if all gates hold. */
export async function benchStream({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-"))
  try {
    const report = await measure(folder)
    console.log(json ? JSON.stringify(report, null, 2) : show(report))
    return report.rows.every((row) => row.gate?.passed !== false)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Report {
  readonly machine: Machine
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly Row[]
}

interface Row {
  readonly what: string
  readonly ours: string
  readonly theirs: string
  readonly ratio: number | null
  readonly gate: { readonly wanted: string; readonly passed: boolean } | null
}

interface Server {
  readonly child: Child
  readonly address: StreamServerAnswer
}

async function measure(folder: string): Promise<Report> {
  const machine = describeMachine(folder)
  const before = noise()
  const ours = await start("stream-server.ts", await mkdtemp(join(folder, "ours-")))
  const theirs = await start("stream-peer.ts", await mkdtemp(join(folder, "theirs-")))
  const load = await Child.start("stream-load.ts", {})
  const rows = [await appendsRow(load, ours, theirs), ...(await latencyRows(load, ours, theirs))]
  await Promise.all([ours.child.stop(), theirs.child.stop()])
  // A server of its own: one that took the load above keeps some 270 MB more for it.
  const fresh = await start("stream-server.ts", await mkdtemp(join(folder, "idle-")))
  rows.push(await idleRow(load, fresh))
  await Promise.all([load.stop(), fresh.child.stop()])
  return { machine, before, after: noise(), rows }
}

async function start(file: string, data: string): Promise<Server> {
  const child = await Child.start(file, { data })
  return { child, address: await child.ask<StreamServerAnswer>({}) }
}

// Ours, theirs, ours, theirs …: a busy minute of the machine hits both.
async function appendsRow(load: Child, ours: Server, theirs: Server): Promise<Row> {
  for (const server of [ours, theirs]) await rate(load, server, WARM_UP_MS)
  const rounds: { ours: number; theirs: number }[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      ours: await rate(load, ours, DURATION_MS),
      theirs: await rate(load, theirs, DURATION_MS),
    })
  const ratio = median(rounds.map((round) => round.ours / round.theirs))
  return {
    what: `appends, ${PRODUCERS} producers`,
    ours: perSecond(median(rounds.map((round) => round.ours))),
    theirs: perSecond(median(rounds.map((round) => round.theirs))),
    ratio,
    gate: { wanted: `at least ${APPENDS_GATE}x theirs`, passed: ratio >= APPENDS_GATE },
  }
}

async function rate(load: Child, { address }: Server, duration_ms: number): Promise<number> {
  const question: StreamQuestion = {
    type: "appends",
    server: address,
    producers: PRODUCERS,
    duration_ms,
  }
  const { appends, seconds, refused } = await load.ask<AppendsAnswer>(question)
  if (refused.length > 0) throw new Error(`${address.url} refused appends: ${refused.join(", ")}`)
  return appends / seconds
}

async function latencyRows(load: Child, ours: Server, theirs: Server): Promise<Row[]> {
  const rounds: { ours: readonly number[]; theirs: readonly number[] }[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ ours: await delays(load, ours), theirs: await delays(load, theirs) })
  const at = (share: number, whose: "ours" | "theirs") =>
    median(rounds.map((round) => quantile(round[whose], share)))
  const ratio = at(0.5, "ours") / at(0.5, "theirs")
  const row = (share: number, name: string) => ({
    what: `append to delivery, ${name}`,
    ours: milliseconds(at(share, "ours")),
    theirs: milliseconds(at(share, "theirs")),
  })
  const gate = { wanted: "no worse than theirs", passed: ratio <= LATENCY_GATE }
  const p99 = at(0.99, "ours") / at(0.99, "theirs")
  return [
    { ...row(0.5, "p50"), ratio, gate },
    { ...row(0.99, "p99"), ratio: p99, gate: null },
  ]
}

async function delays(load: Child, { address }: Server): Promise<readonly number[]> {
  const question: StreamQuestion = { type: "latency", server: address, appends: APPENDS }
  return (await load.ask<LatencyAnswer>(question)).milliseconds
}

async function idleRow(load: Child, { child, address }: Server): Promise<Row> {
  const question: StreamQuestion = { type: "idle", server: address, readers: READERS }
  await load.ask(question)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const { rss } = await child.ask<StreamServerAnswer>({})
  await load.ask({ type: "leave", server: address } satisfies StreamQuestion)
  const megabytes = Math.round(rss / 2 ** 20)
  return {
    what: `memory with ${READERS.toLocaleString("en")} idle readers`,
    ours: `${megabytes} MB`,
    theirs: "",
    ratio: null,
    gate: { wanted: `within ${IDLE_GATE_MB} MB`, passed: megabytes <= IDLE_GATE_MB },
  }
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node, disk } = machine
  const told = rows.map(({ what, ours, theirs, ratio, gate }) => [
    what,
    ours,
    theirs,
    ratio === null ? "" : times(ratio),
    gate ? `${gate.wanted}: ${gate.passed ? "yes" : "NO"}` : "",
  ])
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, node ${node}, ${disk}`,
    `load ${before.load.toFixed(1)} before, ${after.load.toFixed(1)} after`,
    "",
    table(["what", "ours", "theirs", "ratio", "gate"], told),
  ].join("\n")
}
