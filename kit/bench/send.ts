import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, milliseconds, perSecond, sized, table, times } from "./figures.ts"
import { type HttpFigures, httpFigures } from "./http-rate.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"
import { rawAppendRate } from "./raw-append.ts"
import { Submitters } from "./submitters.ts"
import { type TurnStartFigures, turnStartFigures } from "./turn-start.ts"

const CALLERS = 64
const SESSIONS = [1, 8, 64] as const
const ROUNDS = sized(7, 2)
const RAW_MS = 200
const SUBMIT_MS = 600
const WARM_UP_MS = 1000
/** How far the fastest raw loop may be from the median on a machine that is left alone. */
const STEADY = 2
const HTTP = { connections: CALLERS, sessions: CALLERS, rounds: ROUNDS, duration_ms: 800 }
const TURNS = { sessions: 8, turns: 12, history: sized(1000, 100) }

/** What a message costs on its way from the caller to the disk and to the provider. Only ratios
 *  within this one run count; each is taken against its neighbours in time. True if all gates hold. */
export async function benchSend({ json }: { json: boolean }): Promise<boolean> {
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
  /** Others kept the processors or the disk busy: the figures say more about them than about us. */
  readonly disturbed: boolean
  readonly rows: readonly Row[]
}

interface Row {
  readonly what: string
  readonly figure: string
  readonly ratio: number | null
  readonly to: string
  readonly gate: Gate | null
}

interface Gate {
  readonly wanted: string
  readonly passed: boolean
}

async function measure(folder: string): Promise<Report> {
  const machine = describeMachine(folder)
  const before = noise()
  const disk = await measureDisk(folder)
  const http = await httpFigures(folder, HTTP)
  const turns = await turnStartFigures(folder, TURNS)
  const rows = [...diskRows(disk), ...httpRows(http), ...turnRows(turns)]
  return { machine, before, after: noise(), disturbed: isDisturbed(machine, before, disk), rows }
}

// A loop that syncs needs a processor after each sync, and others may hold it.
function isDisturbed({ cores }: Machine, { load }: Noise, { raw }: DiskFigures): boolean {
  return load > cores || Math.max(...raw) > STEADY * median(raw)
}

interface DiskFigures {
  readonly raw: readonly number[]
  readonly submits: readonly SubmitFigures[]
}

interface SubmitFigures {
  readonly sessions: number
  readonly rate: number
  /** The median of the ratios to the raw loops beside each slice. */
  readonly ratio: number
}

async function measureDisk(folder: string): Promise<DiskFigures> {
  const raw = [rawAppendRate(folder, RAW_MS)]
  const slices = SESSIONS.map((sessions) => ({
    sessions,
    rates: [] as number[],
    ratios: [] as number[],
  }))
  const opened = SESSIONS.map((sessions) => Submitters.open(folder, { callers: CALLERS, sessions }))
  const submitters = await Promise.all(opened)
  for (const one of submitters) await one.rate(WARM_UP_MS)
  // Raw, submit, raw, submit …: a busy minute of the machine hits both.
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, { rates, ratios }] of slices.entries()) {
      const before = raw.at(-1) ?? 0
      const rate = (await submitters[at]?.rate(SUBMIT_MS)) ?? 0
      const after = rawAppendRate(folder, RAW_MS)
      raw.push(after)
      rates.push(rate)
      ratios.push(rate / ((before + after) / 2))
    }
  for (const one of submitters) await one.close()
  const submits = slices.map(({ sessions, rates, ratios }) => ({
    sessions,
    rate: median(rates),
    ratio: median(ratios),
  }))
  return { raw, submits }
}

function diskRows({ raw, submits }: DiskFigures): Row[] {
  const spread = `${perSecond(median(raw))} (${perSecond(Math.min(...raw))} to ${perSecond(Math.max(...raw))})`
  const limit = row("write 1 KB + fdatasync, one after the other", spread)
  return [
    limit,
    ...submits.map(({ sessions, rate, ratio }) => ({
      what: `submit, ${CALLERS} callers, ${sessions} session${sessions === 1 ? "" : "s"}`,
      figure: perSecond(rate),
      ratio,
      to: "the raw loop",
      gate: sessions === 1 ? atLeast(5, ratio) : null,
    })),
  ]
}

function httpRows(http: HttpFigures): Row[] {
  const { rate, rate_without_store, ratio, delay, delay_without_store } = http
  return [
    row(`POST, ${CALLERS} connections, store left out`, perSecond(rate_without_store)),
    {
      what: `POST, ${CALLERS} connections`,
      figure: perSecond(rate),
      ratio,
      to: "store left out",
      gate: atLeast(0.7, ratio),
    },
    row("  event-loop delay p99, store left out", milliseconds(delay_without_store.p99_ms)),
    row("  event-loop delay p99", milliseconds(delay.p99_ms)),
  ]
}

function turnRows(turns: TurnStartFigures): Row[] {
  const { empty, long, ratio } = turns
  return [
    row("POST to provider p50, empty history", milliseconds(empty.p50_ms)),
    {
      what: `POST to provider p50, ${TURNS.history.toLocaleString("en")} messages`,
      figure: milliseconds(long.p50_ms),
      ratio,
      to: "empty history",
      gate: atMost(1.2, ratio),
    },
    row("  p99, empty history", milliseconds(empty.p99_ms)),
    row("  p99, long history", milliseconds(long.p99_ms)),
    row(`  provider connections for ${turns.turns} turns`, String(turns.provider_connections)),
  ]
}

function row(what: string, figure: string): Row {
  return { what, figure, ratio: null, to: "", gate: null }
}

function atLeast(wanted: number, ratio: number): Gate {
  return { wanted: `≥ ${wanted}x`, passed: ratio >= wanted }
}

function atMost(wanted: number, ratio: number): Gate {
  return { wanted: `≤ ${wanted}x`, passed: ratio <= wanted }
}

function show({ machine, before, after, disturbed, rows }: Report): string {
  const { processor, cores, memory_gib, node, disk } = machine
  const lines = rows.map(({ what, figure, ratio, to, gate }) => [
    what,
    figure,
    ratio === null ? "" : `${times(ratio)} ${to}`,
    gate === null ? "" : `${gate.wanted} ${gate.passed ? "pass" : "FAIL"}`,
  ])
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, Node ${node}`,
    disk,
    `before: ${showNoise(before)}; after: ${showNoise(after)}`,
    ...(disturbed ? ["The machine was busy with something else: these figures do not count."] : []),
    "",
    table(["send", "figure", "ratio", "gate"], lines),
  ].join("\n")
}

function showNoise({ load, spin_ms }: Noise): string {
  return `load ${load.toFixed(2)}, spin (64 MB hashed) ${milliseconds(spin_ms)}`
}
