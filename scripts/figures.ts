// What `npm run bench` and `npm run torture` found, put together: `docs/figures.json` keeps it and
// `docs/figures.md` shows it. Run by itself, this file writes the page again from what is kept.

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { release } from "node:os"
import { join } from "node:path"
import { table } from "../bench/figures.ts"
import { describeMachine, type Machine } from "../bench/machine.ts"
import type { Ran } from "../bench/run-everything.ts"

const DOCS = new URL("../docs/", import.meta.url).pathname
const DATA = join(DOCS, "figures.json")
const PAGE = join(DOCS, "figures.md")

export type Kind = "bench" | "torture"

interface Kept {
  readonly machine: Machine & { readonly kernel: string }
  readonly bench: readonly Ran[]
  readonly torture: readonly Ran[]
}

const KINDS: readonly { readonly kind: Kind; readonly title: string; readonly about: string }[] = [
  {
    kind: "bench",
    title: "Bench",
    about: "Each ratio is to what was measured beside it, in the same run.",
  },
  {
    kind: "torture",
    title: "Torture",
    about: "Each hurts the real server and counts what was promised and lost.",
  },
]

/** Keep what was found beside what is known of other jobs, and write the page. */
export function keepFigures(kind: Kind, ran: Ran) {
  const known = readKept()
  const byName = new Map([...known[kind], ran].map((one) => [one.name, one]))
  const kept: Kept = { ...known, machine: machineHere(), [kind]: [...byName.values()] }
  writeFileSync(DATA, `${JSON.stringify(kept, null, 1)}\n`)
  writeFileSync(PAGE, pageOf(kept))
}

function readKept(): Kept {
  if (!existsSync(DATA)) return { machine: machineHere(), bench: [], torture: [] }
  return JSON.parse(readFileSync(DATA, "utf8")) as Kept
}

function machineHere(): Kept["machine"] {
  return { ...describeMachine(process.env["TMPDIR"] ?? "/tmp"), kernel: release() }
}

function showMachine({ machine }: Pick<Kept, "machine">): string {
  const { processor, cores, memory_gib, node, kernel, disk } = machine
  return `${processor}, ${cores} cores, ${memory_gib} GiB; Node ${node}; Linux ${kernel}; ${disk}`
}

/** One line for each figure that is held against something, and one for each job that gave none. */
export function showFigures(ran: readonly Ran[]): string {
  const lines = ran.flatMap(linesOf)
  const text = table(["job", "what", "figures", "gate"], lines)
  return `${showMachine({ machine: machineHere() })}\n\n${text}`
}

function linesOf(ran: Ran): string[][] {
  const { name, quick, outcome, seconds, last_words, tables } = ran
  const job = quick ? `${name} (quick)` : name
  const held = tables.flatMap((shown) =>
    shown.rows.flatMap((row) => {
      const gate = gateOf(shown.headings, row)
      return gate === "" ? [] : [[job, row[0] ?? "", figuresOf(shown.headings, row), gate]]
    }),
  )
  if (outcome === "failed" && (held.length === 0 || last_words?.includes("Error")))
    return [...held, [job, `failed after ${seconds} s`, last_words ?? "", "FAIL"]]
  if (held.length > 0) return held
  return [
    [
      job,
      `${seconds} s`,
      tables.flatMap(sentencesOf).join("; "),
      outcome === "passed" ? "pass" : "FAIL",
    ],
  ]
}

function gateOf(headings: readonly string[], row: readonly string[]): string {
  const at = headings.findIndex((heading) => /^gates?$/.test(heading))
  return row[at] ?? ""
}

function figuresOf(headings: readonly string[], row: readonly string[]): string {
  return row
    .map((cell, at) => ({ cell, heading: headings[at] ?? "" }))
    .slice(1)
    .filter(({ cell, heading }) => cell !== "" && !/^gates?$/.test(heading))
    .map(({ cell, heading }) =>
      /^(figures?|ratio|ours)$/.test(heading) ? cell : `${heading} ${cell}`,
    )
    .join(", ")
}

function sentencesOf({ rows }: Ran["tables"][number]): string[] {
  return rows.map(
    ([what = "", ...cells]) => `${what} ${cells.filter((cell) => cell !== "").join(" ")}`,
  )
}

function pageOf(kept: Kept): string {
  const sections = KINDS.flatMap(({ kind, title, about }) => [
    `## ${title}`,
    about,
    "",
    ...kept[kind].flatMap(sectionOf),
  ])
  return [
    "# Figures",
    "",
    "`npm run bench` and `npm run torture` write this page; nobody writes it by hand. With `--only a,b` they run some,",
    "with `--quick` smaller sizes, which are marked and prove nothing.",
    "",
    `Machine: ${showMachine(kept)}.`,
    "",
    ...sections,
  ].join("\n")
}

function sectionOf({ name, summary, quick, outcome, tables, last_words, seconds, at, load }: Ran) {
  const state = outcome === "passed" ? "all held" : "**not all held**"
  const marked = quick ? " Quick: smaller sizes, which prove nothing." : ""
  return [
    `### ${name}`,
    `${capital(summary)}: ${state}. ${at.slice(0, 16).replace("T", " ")} UTC, ${seconds} s, load ${load.toFixed(2)} when it began.${marked}`,
    "",
    ...tables.flatMap((shown) => [...markdownOf(shown), ""]),
    ...(last_words === null ? [] : ["Its last words:", "", `> ${escaped(last_words)}`, ""]),
  ]
}

function markdownOf({ headings, rows }: Ran["tables"][number]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)]
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").trim()
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, pageOf(readKept()))
