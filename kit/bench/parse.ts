import { ComposerDocument } from "../../packages/core/compose/document.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import { triggerAt } from "../../packages/core/compose/trigger.ts"
import { INPUTS, type Input, vocabulary } from "./composer-inputs.ts"
import { quantile, sized, table, times } from "./figures.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"

const SIZES = [100, 10_240, 1_048_576] as const
const ROUNDS = sized(31, 5)
/** A round reads at least so many units, so that the clock is fine enough. */
const UNITS_PER_ROUND = 1_048_576
const WARM_UP_ROUNDS = 40
const WARM_UP_UNITS = 20_000
const MAX_RATIO = 3
const MAX_SHORT_US = 20
const MAX_GROWTH = 1.15
const KEYSTROKES = 400
const MAX_KEYSTROKE_RATIO = 1.5

/** What reading a source costs beside one bare look at each of its units, and what a keystroke costs
 *  in a short draft and in a long one. True if all gates hold. */
export async function benchParse({ json }: { json: boolean }): Promise<boolean> {
  const machine = describeMachine(".")
  const before = noise()
  warmUp()
  const rows = [...INPUTS.map(parseRow), ...INPUTS.slice(0, 2).map(keystrokeRow)]
  const report = { machine, before, after: noise(), rows }
  console.log(json ? JSON.stringify(report, null, 2) : show(report))
  return rows.every(({ gates }) => gates.every(({ passed }) => passed))
}

/** What is measured is compiled code. */
function warmUp() {
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    for (const input of INPUTS) parse(input.make(WARM_UP_UNITS), vocabulary)
}

interface Report {
  readonly machine: Machine
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly Row[]
}

interface Row {
  readonly what: string
  readonly figures: readonly string[]
  readonly gates: readonly Gate[]
}

interface Gate {
  readonly wanted: string
  readonly passed: boolean
}

interface Figures {
  readonly units: number
  readonly us: number
  /** Times the bare scan of the same text, taken in turns with it. */
  readonly ratio: number
  readonly nodes: number
}

function parseRow(input: Input): Row {
  const [short, middle, long] = SIZES.map((units) => parseFigures(input.make(units)))
  if (!short || !middle || !long) throw new Error("There are three sizes.")
  const growth = Math.log(long.us / middle.us) / Math.log(long.units / middle.units)
  return {
    what: input.name,
    figures: [
      `${short.us.toFixed(2)} µs`,
      `${middle.us.toFixed(0)} µs ${times(middle.ratio)}`,
      `${(long.us / 1000).toFixed(2)} ms ${times(long.ratio)}`,
      `n^${growth.toFixed(2)}`,
      long.nodes.toLocaleString("en"),
    ],
    gates: [
      { wanted: `≤ ${MAX_SHORT_US} µs`, passed: short.us <= MAX_SHORT_US },
      { wanted: `≤ ${MAX_RATIO}x`, passed: middle.ratio <= MAX_RATIO },
      { wanted: `≤ ${MAX_RATIO}x`, passed: long.ratio <= MAX_RATIO },
      { wanted: `≤ n^${MAX_GROWTH}`, passed: growth <= MAX_GROWTH },
    ],
  }
}

function parseFigures(text: string): Figures {
  const repeats = Math.max(1, Math.floor(UNITS_PER_ROUND / text.length / 8))
  const scans: number[] = []
  const parses: number[] = []
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    scans.push(timed(repeats, () => (found = bareScan(text))))
    parses.push(timed(repeats, () => (found = parse(text, vocabulary).length)))
  }
  const us = undisturbed(parses)
  return { units: text.length, us, ratio: us / undisturbed(scans), nodes: found }
}

/** What else runs on the machine only ever adds time, so the quicker rounds say what a call takes. */
function undisturbed(figures: readonly number[]): number {
  return quantile(figures, 0.25)
}

/** The least that anybody who looks at every unit can do. */
function bareScan(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === SLASH) count++
  return count
}

const SLASH = 47

/** Microseconds for one call. */
function timed(repeats: number, call: () => void): number {
  const began = performance.now()
  for (let repeat = 0; repeat < repeats; repeat++) call()
  return ((performance.now() - began) * 1000) / repeats
}

function keystrokeRow(input: Input): Row {
  const drafts = SIZES.slice(1).map((units) => input.make(units))
  const [middle = Number.NaN, long = Number.NaN] = interleaved(drafts.map(typist))
  const [near = Number.NaN, far = Number.NaN] = interleaved(drafts.map(palette))
  return {
    what: `a keystroke, ${input.name}`,
    figures: [
      "",
      `${middle.toFixed(1)} µs`,
      `${long.toFixed(1)} µs ${times(long / middle)}`,
      `trigger ${near.toFixed(2)} µs, ${far.toFixed(2)} µs`,
    ],
    gates: [{ wanted: `≤ ${MAX_KEYSTROKE_RATIO}x`, passed: long / middle <= MAX_KEYSTROKE_RATIO }],
  }
}

/** Types a letter in the middle of a draft, and takes it back. */
function typist(source: string): () => void {
  const document = new ComposerDocument(source, vocabulary)
  const middle = source.length >> 1
  return () => {
    document.edit(middle, middle, "x")
    document.edit(middle, middle + 1, "")
  }
}

function palette(source: string): () => void {
  const cursor = source.length - 3
  return () => {
    triggerAt(source, cursor)
  }
}

/** The microseconds of each, measured in turns. */
function interleaved(calls: readonly (() => void)[]): number[] {
  const figures = calls.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, call] of calls.entries()) figures[at]?.push(timed(KEYSTROKES, call))
  return figures.map(undisturbed)
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node } = machine
  const lines = rows.map(({ what, figures, gates }) => {
    const missed = gates.filter(({ passed }) => !passed).map(({ wanted }) => wanted)
    const all = [...new Set(gates.map(({ wanted }) => wanted))]
    const verdict = missed.length === 0 ? `${all.join(", ")} pass` : `${missed.join(", ")} FAIL`
    return [what, ...figures, ...Array<string>(5 - figures.length).fill(""), verdict]
  })
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, Node ${node}`,
    `before: ${showNoise(before)}; after: ${showNoise(after)}`,
    `Times beside a bare charCodeAt scan of the same text. Gates: 100 B in ${MAX_SHORT_US} µs; 10 KB and 1 MB at most ${MAX_RATIO}x; growth at most n^${MAX_GROWTH}.`,
    "",
    table(["parse", "100 B", "10 KB", "1 MB", "growth", "nodes in 1 MB", "gates"], lines),
  ].join("\n")
}

function showNoise({ load, spin_ms }: Noise): string {
  return `load ${load.toFixed(2)}, spin loop ${spin_ms.toFixed(0)} ms`
}
