import {
  BEGINS,
  BREAK,
  FENCE,
  isWhite,
  OPENER,
  PLAIN,
  SLASH,
  SORTS,
  TICK,
  TRAITS,
  WHITE,
  WIDE,
} from "./characters.ts"
import { type Coded, codeEnd, newTicks } from "./code-span.ts"
import { closesFence, type Fence, type Fenced, opensFence } from "./fence.ts"
import type { KnownNode } from "./node.ts"
import { readCommand, readDollar } from "./read-command.ts"
import { readReference } from "./read-reference.ts"
import { sortAt, traitAt, unitAt, type Units, unitsOf } from "./units.ts"
import type { Words } from "./vocabulary.ts"

/** Where in a word a unit stands: at its start, behind opening punctuation only, or inside. */
type Word = "start" | "opened" | "inside"

/** All that the text before a place says about the text after it. */
export interface State {
  readonly word: Word
  /** The place is the start of a line, and nobody has looked for a fence there yet. */
  readonly fresh: boolean
  readonly fence: Fence | null
  /** There is only white space before it. */
  readonly leading: boolean
}

export const FIRST_STATE: State = { word: "start", fresh: true, fence: null, leading: true }

/** One pass over a text, from left to right, that can stop and go on. */
export interface Scan extends Fenced, Coded {
  at: number
  fresh: boolean
  /** Where in a word the text begins. */
  readonly word: Word
  /** Where the first word of the message is, or -1 when it lies before the text. */
  readonly lead: number
  /** Where the last token ended. */
  token: number
}

/** No token is looked at for longer than this. Where a scan shall stop, its text has to go on for so
 *  far, or be over. */
export const LOOK_AHEAD = 4096 + 256

export function newScan(text: string, words: Words, state: State = FIRST_STATE): Scan {
  const { word, fresh, fence } = state
  const units = unitsOf(text)
  const lead = state.leading ? firstWord(units, text.length) : -1
  const place = { at: 0, word, fresh, fence, lead, token: 0, ticks: newTicks() }
  const nodes: KnownNode[] = []
  const unread = { base: 0, examined: 0, seen: 0, last: 0, next: 0 }
  return { text, units, words, nodes, ...unread, ...place }
}

function firstWord(units: Units, length: number): number {
  let at = 0
  while (at < length && isWhite(unitAt(units, at))) at++
  return at
}

export function stateOf(scan: Scan): State {
  const { at, fresh, fence, lead } = scan
  return { word: fence ? "start" : wordAt(scan, at), fresh, fence, leading: at <= lead }
}

/** Read up to `stop`, or to the end of the token that reaches over it. */
export function run(scan: Scan, stop: number) {
  while (scan.at < stop) {
    if (scan.fresh) startLine(scan)
    if (scan.fence) runFence(scan, stop)
    else runProse(scan, stop)
  }
}

/** At the start of a line, a fence may open or close. */
function startLine(scan: Scan) {
  scan.fresh = false
  const end = scan.fence ? closesFence(scan, scan.at, scan.fence) : opensFence(scan, scan.at)
  if (end !== undefined) scan.at = end
}

const NEWLINE = 10

function runFence(scan: Scan, stop: number) {
  const { units } = scan
  let at = scan.at
  while (at < stop && units[at] !== NEWLINE) at++
  scan.fresh = at < stop
  scan.at = at < stop ? at + 1 : at
}

/** Read until a fence opens. Few units can begin anything, and only these are looked at twice. */
function runProse(scan: Scan, stop: number) {
  const { units } = scan
  let at = scan.at
  let before = sortBefore(scan, at)
  for (;;) {
    let sort = PLAIN
    for (; at < stop; at++) {
      sort = SORTS[units[at] ?? 0] ?? PLAIN
      if (sort >= SLASH) break
      before = sort
    }
    if (at >= stop) break
    if (sort < TICK) {
      if (before === PLAIN) at = pastMarks(units, at + 1, stop)
      else if ((TRAITS[units[at + 1] ?? 0] ?? 0) & BEGINS) at = readMark(scan, at, before)
      else at++
      before = PLAIN
    } else if (sort === TICK) {
      at = codeEnd(scan, at)
      before = PLAIN
    } else {
      at++
      before = WHITE
      scan.fresh = at === stop
      if (at < stop && traitAt(units, at) & FENCE) at = opensFence(scan, at) ?? at
      if (scan.fence) break
    }
  }
  scan.at = at
}

/** Inside a word, a slash, a dollar and an at sign begin nothing. */
function pastMarks(units: Units, at: number, stop: number): number {
  for (; at < stop; at++) {
    const sort = SORTS[units[at] ?? 0] ?? PLAIN
    if (sort < SLASH || sort >= TICK) break
  }
  return at
}

/** Where to go on behind a slash, a dollar or an at sign that may begin a token. */
function readMark(scan: Scan, at: number, before: number): number {
  const mark = unitAt(scan.units, at)
  if (mark === AT_UNIT)
    scan.token =
      before === OPENER && wordAt(scan, at) === "inside" ? at + 1 : readReference(scan, at)
  else if (before !== WHITE) scan.token = at + 1
  else
    scan.token =
      mark === SLASH_UNIT ? readCommand(scan, at, at === scan.lead) : readDollar(scan, at)
  return scan.token
}

const SLASH_UNIT = 47
const AT_UNIT = 64

/** What the unit before a place says, even where the text begins with it. */
function sortBefore(scan: Scan, at: number): number {
  switch (wordAt(scan, at)) {
    case "start":
      return WHITE
    case "opened":
      return WIDE
    case "inside":
      return PLAIN
  }
}

function wordAt({ units, token, word }: Scan, at: number): Word {
  let from = at - 1
  while (from >= token && sortAt(units, from) === OPENER) from--
  if (from < token) return token > 0 || word === "inside" ? "inside" : opened(word, at - 1 - from)
  const sort = sortAt(units, from)
  if (sort === WIDE) return "opened"
  return sort === WHITE || sort === BREAK ? opened("start", at - 1 - from) : "inside"
}

function opened(word: Word, openers: number): Word {
  return openers > 0 ? "opened" : word
}
