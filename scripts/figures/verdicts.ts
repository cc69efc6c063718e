import type { Shown } from "../../bench/figures.ts"
import type { Ran } from "../../bench/run-everything.ts"

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
  const program = ran.quick ? `${ran.name} (quick)` : ran.name
  const found = ran.tables.flatMap((shown) => gatedRows(program, shown))
  if (ran.outcome === "passed" && found.length > 0) return found
  if (ran.outcome === "passed") return [wholeRun(program, ran)]
  if (ran.outcome === "failed" && found.some(({ held }) => !held)) return found
  return [...found, endedBadly(program, ran)]
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
    const [ratio, to] = splitRatio(others.find(({ heading }) => heading === "ratio")?.cell ?? "")
    const beside = others.filter(({ heading }) => BESIDE.includes(heading)).map(({ cell }) => cell)
    const ours = others.filter(({ heading }) => heading !== "ratio" && !BESIDE.includes(heading))
    return [
      {
        program,
        what: row[0] ?? "",
        ours: ours.map(named).join(", "),
        beside: [...beside, to].filter((text) => text !== "").join(", "),
        ratio,
        gate: wanted(row[gateAt] ?? "", verdict[0]),
        held: ["pass", "ok", "yes"].includes(verdict[0]),
      },
    ]
  })
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

/** `5.20x a loop that syncs`: the ratio, and to what. */
function splitRatio(cell: string): [string, string] {
  const [ratio = ""] = /^\S*x\b/.exec(cell) ?? []
  return ratio === "" ? [cell, ""] : [ratio, cell.slice(ratio.length).trim()]
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

const MOST_ROWS = 12

function wholeRun(program: string, { summary, tables, seconds }: Ran): Verdict {
  const rows = tables.filter(({ rows }) => rows.length <= MOST_ROWS).flatMap(({ rows }) => rows)
  const told = rows.map((cells) => cells.filter((cell) => cell !== "").join(" "))
  const ours = told.length === 0 ? `${seconds} s` : told.join(", ")
  return { program, what: summary, ours, beside: "", ratio: "", gate: "", held: true }
}

function endedBadly(program: string, { outcome, seconds, last_words }: Ran): Verdict {
  const what =
    outcome === "timed-out" ? `was ended after ${seconds} s` : `failed after ${seconds} s`
  const ours = last_words ?? ""
  return { program, what, ours, beside: "", ratio: "", gate: "to come to its end", held: false }
}
