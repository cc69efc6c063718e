import type { Shown } from "../../kit/bench/figures.ts"
import type { Ran } from "../../kit/bench/run-everything.ts"

/** A figure that something depends on: what we have, what stands beside it, and whether it holds. */
export interface Verdict {
  readonly program: string
  readonly what: string
  readonly ours: string
  readonly beside: string
  readonly ratio: string
  readonly gate: string
  readonly held: boolean
}

export const VERDICT_HEADINGS = ["program", "what", "ours", "beside", "ratio", "gate", "held"]

export function cellsOf({ program, what, ours, beside, ratio, gate, held }: Verdict): string[] {
  return [program, what, ours, beside, ratio, gate, held ? "yes" : "NO"]
}

/** What a run came to: a verdict for each row that has a gate, one for a run without any, and one for
 *  a run that ended badly and does not say where. */
export function verdictsOf(ran: Ran): Verdict[] {
  const found = ran.tables.flatMap((shown) => [
    ...countsOf(ran, shown),
    ...gatedRows(ran.name, shown),
  ])
  if (endedBadly(ran)) return [...found, badEnd(ran)]
  return found.length === 0 ? [wholeRun(ran)] : found
}

/** Whether it was stopped, or failed although each of its figures holds. */
export function endedBadly({ name, outcome, tables }: Ran): boolean {
  if (outcome !== "failed") return outcome === "timed-out"
  const hasCounts = tables.some(({ headings }) => headings[1] === "count")
  return !hasCounts && tables.flatMap((shown) => gatedRows(name, shown)).every(({ held }) => held)
}

const GATE = /^gates?$/
/** Columns that hold what a neighbour has; all others are ours. */
const BESIDE = ["theirs", "beside"]
/** Headings that say nothing that the row does not say. */
const PLAIN = ["ours", "figure", "figures", "count", "time"]

function gatedRows(program: string, { headings, rows }: Shown): Verdict[] {
  const gateAt = headings.findIndex((heading) => GATE.test(heading))
  if (gateAt < 0) return []
  return withParents(rows).flatMap((row) => {
    const verdict = /\b(pass|ok|yes|FAIL(?:ED)?|NO)\b/.exec(row[gateAt] ?? "")
    if (verdict === null) return []
    const cells = row.map((cell, at) => ({ cell, heading: headings[at] ?? "" }))
    const others = cells.slice(1).filter(({ cell, heading }) => cell !== "" && !GATE.test(heading))
    const beside = others.filter(({ heading }) => BESIDE.includes(heading)).map(({ cell }) => cell)
    const ours = others.filter(({ heading }) => heading !== "ratio" && !BESIDE.includes(heading))
    return [
      {
        program,
        what: row[0] ?? "",
        ...compared(
          ours.map(named).join(", "),
          beside,
          others.find(({ heading }) => heading === "ratio")?.cell ?? "",
        ),
        gate: wanted(row[gateAt] ?? "", verdict[0]),
        held: ["pass", "ok", "yes"].includes(verdict[0]),
      },
    ]
  })
}

/** `5.20x a loop that syncs` is a ratio, and says to what. `5.20x ours` says that the figure is not. */
function compared(figure: string, beside: readonly string[], cell: string) {
  const [ratio = cell] = /^\S*x\b/.exec(cell) ?? []
  const to = cell.slice(ratio.length).trim()
  if (to === "ours") return { ours: "", beside: [...beside, figure].join(", "), ratio: cell }
  return { ours: figure, beside: [...beside, to].filter((text) => text !== "").join(", "), ratio }
}

/** A row that is set in tells more of the row above it, and stands alone here. */
function withParents(rows: Shown["rows"]): Shown["rows"] {
  let parent: readonly string[] = []
  return rows.map((row) => {
    const [what = "", ...cells] = row
    if (!what.startsWith(" ")) {
      parent = row
      return row
    }
    const first = cells[0] === "" ? (parent[1] ?? "") : (cells[0] ?? "")
    return [`${parent[0] ?? ""}: ${what.trim()}`, first, ...cells.slice(1)]
  })
}

function named({ cell, heading }: { readonly cell: string; readonly heading: string }): string {
  return PLAIN.includes(heading) ? cell : `${heading} ${cell}`
}

function wanted(cell: string, verdict: string): string {
  return cell
    .replace(verdict, "")
    .replace(/[:\s]+$/, "")
    .trim()
}

/** What was counted, in one: such a run says at its end whether it went well. */
function countsOf({ name, summary, outcome }: Ran, { headings, rows }: Shown): Verdict[] {
  if (headings.length !== 2 || headings[1] !== "count") return []
  const ours = rows.map((cells) => cells.join(" ")).join(", ")
  return [{ ...NOTHING, program: name, what: summary, ours, held: outcome === "passed" }]
}

function wholeRun({ name, summary, outcome, last_words }: Ran): Verdict {
  return {
    ...NOTHING,
    program: name,
    what: summary,
    ours: last_words,
    held: outcome === "passed",
  }
}

function badEnd({ name, outcome, seconds, last_words }: Ran): Verdict {
  return {
    ...NOTHING,
    program: name,
    what: outcome === "timed-out" ? `was ended after ${seconds} s` : `failed after ${seconds} s`,
    ours: last_words,
    gate: "to come to its end",
  }
}

const NOTHING = { beside: "", ratio: "", gate: "", held: false }
