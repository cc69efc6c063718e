// What `npm run bench`, `npm run torture` and `npm run newcomer` found, put together:
// `docs/figures.json` keeps the newest of each, `docs/figures.md` shows it and others quote it. Run by
// itself (`npm run figures`), this file writes them again from what is kept.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { table } from "../kit/bench/figures.ts"
import { showMachine } from "../kit/bench/machine.ts"
import type { Ran } from "../kit/bench/run-everything.ts"
import {
  cellsOf,
  endedBadly,
  VERDICT_HEADINGS,
  type Verdict,
  verdictsOf,
} from "./figures/verdicts.ts"

const ROOT = join(import.meta.dirname, "..")

export type Kind = "bench" | "torture" | "newcomer"

export type Kept = Readonly<Record<Kind, readonly Ran[]>>

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
  {
    kind: "newcomer",
    title: "Newcomer",
    about: "What somebody waits for who has nothing of ours yet, the network included.",
  },
]

/** Keep what was found in place of what was known of the same program, and write the pages.
 *  What was tried in small proves nothing, and is not kept. */
export function keepFigures(kind: Kind, ran: Ran, root = ROOT) {
  if (ran.quick) return
  const known = readKept(root)
  const byName = new Map([...known[kind], ran].map((one) => [one.name, one]))
  const kept: Kept = { ...known, [kind]: [...byName.values()].sort(byTheirNames) }
  write(join(root, "docs", "figures.json"), `${JSON.stringify(kept, null, 1)}\n`)
  writeFigures(kept, root)
}

export function readKept(root = ROOT): Kept {
  const file = join(root, "docs", "figures.json")
  const none: Kept = { bench: [], torture: [], newcomer: [] }
  return existsSync(file) ? { ...none, ...(JSON.parse(readFileSync(file, "utf8")) as Kept) } : none
}

function byTheirNames(left: Ran, right: Ran): number {
  return left.name < right.name ? -1 : 1
}

function writeFigures(kept: Kept, root: string) {
  write(join(root, "docs", "figures.md"), pageOf(kept))
  for (const quoting of QUOTING) {
    const path = join(root, quoting.path)
    if (existsSync(path)) write(path, withQuotes(readFileSync(path, "utf8"), kept, quoting))
  }
}

// Somebody may read it meanwhile.
function write(path: string, text: string) {
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}

/** What a run of everything came to, for a terminal. */
export function showFigures(ran: readonly Ran[]): string {
  const [first] = ran
  if (first === undefined) return "Nothing was run."
  const rows = ran.flatMap(verdictsOf).map((verdict) => cellsOf(verdict).map(cut))
  const text = table(VERDICT_HEADINGS, rows)
  const kept = first.quick
    ? "Tried in small: it proves nothing and is not kept."
    : "In docs/figures.md."
  return `${showMachine(first.machine)}; commit ${first.commit}\n\n${text}\n\n${kept}`
}

const MOST_OF_A_CELL = 56

function cut(text: string): string {
  return text.length > MOST_OF_A_CELL ? `${text.slice(0, MOST_OF_A_CELL - 1)}…` : text
}

// The page

export function pageOf(kept: Kept): string {
  return [
    "# Figures",
    "",
    "`npm run bench`, `npm run torture` and `npm run newcomer` write this page and keep the newest result of each program;",
    "nobody writes it by hand. With `--only a,b` they run some; with `--quick` sizes that are smaller and prove nothing,",
    "which is printed and not kept. *Beside* is what was measured in the same run. A commit with a plus had changes.",
    "",
    ...KINDS.filter(({ kind }) => kept[kind].length > 0).flatMap(({ kind, title, about }) => [
      `## ${title}`,
      about,
      "",
      ...markdownOf(VERDICT_HEADINGS, kept[kind].flatMap(verdictsOf).map(cellsOf)),
      "",
      ...kept[kind].flatMap(sectionOf),
    ]),
  ].join("\n")
}

const OUTCOMES: Readonly<Record<Ran["outcome"], string>> = {
  passed: "all held",
  failed: "**not all held**",
  "timed-out": "**its time was up**",
}

function sectionOf(ran: Ran): string[] {
  const { name, summary, outcome, tables } = ran
  const when = `${ran.at.slice(0, 16).replace("T", " ")} UTC`
  return [
    `### ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}: ${OUTCOMES[outcome]}.`,
    `${when}, commit ${ran.commit}, ${ran.seconds} s, load ${ran.load.toFixed(2)} when it began; ${showMachine(ran.machine)}.`,
    "",
    ...tables.flatMap(({ headings, rows }) => [...markdownOf(headings, rows), ""]),
    ...(tables.length > 0 && !endedBadly(ran) ? [] : [`> ${escaped(ran.last_words)}`, ""]),
  ]
}

function markdownOf(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)]
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").trim()
}

// What other pages quote

/** A program and something of what it measured. */
type Quoted = readonly [Kind, string, string]

interface Quoting {
  readonly path: string
  /** From there to the page of all figures. */
  readonly link: string
  readonly quoted: readonly Quoted[]
}

/** Who quotes what, between two marks; what is not known is left out. */
export const QUOTING: readonly Quoting[] = [
  {
    path: "README.md",
    link: "docs/figures.md",
    quoted: [
      ["newcomer", "start", "the first answer"],
      ["bench", "cli", "send, until the model"],
      ["bench", "send", "submit, 64 callers"],
      ["bench", "lower", "1,000 messages of text: at most 1.50x JSON.stringify"],
      ["bench", "complete", "files, ours"],
      ["bench", "stream", "appends"],
      ["bench", "branch", "branch"],
      ["bench", "scale", "claim + complete"],
    ],
  },
  {
    path: "docs/scale.md",
    link: "figures.md",
    quoted: [
      ["bench", "send", "submit, 64 callers"],
      ["bench", "send", "POST, 64 connections"],
      ["bench", "send", "POST to provider"],
      ["bench", "lower", "first byte at 10,000 messages"],
      ["bench", "stream", "appends"],
      ["bench", "stream", "append to delivery"],
      ["bench", "memory", "readers of a stream who wait"],
      ["bench", "scale", "claim + complete"],
      ["torture", "cluster", "turns"],
    ],
  },
]

const QUOTES = /(<!-- figures:begin -->\n)[\s\S]*?(<!-- figures:end -->)/

/** The page with the figures that are kept between its marks. */
export function withQuotes(text: string, kept: Kept, { link, quoted }: Quoting): string {
  const rows = quoted.flatMap((one) => quotedIn(kept, one)).map(quote)
  const lines = markdownOf([`[measured](${link})`, "ours", "beside", "gate"], rows)
  return text.replace(
    QUOTES,
    (_, begin: string, end: string) => `${begin}${lines.join("\n")}\n${end}`,
  )
}

function quotedIn(kept: Kept, [kind, name, what]: Quoted): Verdict[] {
  const ran = kept[kind].find((one) => one.name.startsWith(name))
  const found = ran && verdictsOf(ran).find((verdict) => verdict.what.includes(what))
  return found ? [found] : []
}

function quote({ program, what, ours, beside, ratio, gate, held }: Verdict): string[] {
  const ratios = [ratio, beside].filter((text) => text !== "").join(" ")
  return [`${program}: ${what}`, ours, ratios, held ? gate : `${gate} missed`]
}

if (process.argv[1] === import.meta.filename) writeFigures(readKept(), ROOT)
