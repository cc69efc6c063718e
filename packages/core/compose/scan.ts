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
import { closesFence, type CodeFence, type Fenced, opensFence } from "./fence.ts"
import type { KnownNode } from "./node.ts"
import { readCommand, readDollar } from "./read-command.ts"
import { readReference } from "./read-reference.ts"
import { sortAt, traitAt, unitAt, type Units, type Window } from "./units.ts"
import type { ParserVocabulary } from "./vocabulary.ts"

/** How many opening marks may stand before a reference: with more of them, it is inside a word. */
const MAX_OPENERS = 15
const INSIDE = MAX_OPENERS + 1

/** All that the text before a place says about the text after it. */
export interface State {
  /** How many opening marks stand before it in its word, and nothing else; `INSIDE` otherwise. */
  readonly openers: number
  /** The place is the start of a line, and nobody has looked for a fence there yet. */
  readonly fresh: boolean
  readonly fence: CodeFence | null
  /** There is only white space before it. */
  readonly leading: boolean
}

export const FIRST_STATE: State = { openers: 0, fresh: true, fence: null, leading: true }

/** One pass over a text, from left to right, that can stop and go on. */
export interface Scan extends Fenced, Coded {
  at: number
  fresh: boolean
  /** A place, and how many opening marks stand before it. */
  floor: number
  openers: number
  /** Where the first word of the message is, or -1 when it lies before the text. */
  readonly lead: number
}

/** No token is looked at for longer than this. Where a scan shall stop, its text has to go on for so
 *  far, or be over. */
export const LOOK_AHEAD = 4096 + 256

export function newScan({ text, units }: Window, words: ParserVocabulary, state: State): Scan {
  const { openers, fresh, fence } = state
  const lead = state.leading ? firstWord(units, text.length) : -1
  const place = { at: 0, floor: 0, openers, fresh, fence, lead, ticks: newTicks() }
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
  const openers = fence ? 0 : openersAt(scan, at)
  know(scan, at, openers)
  return { openers, fresh, fence, leading: at <= lead }
}

function know(scan: Scan, at: number, openers: number) {
  scan.floor = at
  scan.openers = openers
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
  const end = tokenEnd(scan, at, before)
  know(scan, end, INSIDE)
  return end
}

function tokenEnd(scan: Scan, at: number, before: number): number {
  const mark = unitAt(scan.units, at)
  if (mark !== AT_UNIT && before !== WHITE) return at + 1
  if (mark === SLASH_UNIT) return readCommand(scan, at, at === scan.lead)
  if (mark !== AT_UNIT) return readDollar(scan, at)
  const isInside = before === OPENER && openersAt(scan, at) === INSIDE
  return isInside ? at + 1 : readReference(scan, at)
}

const SLASH_UNIT = 47
const AT_UNIT = 64

/** What the unit before a place says, even where the text begins with it. */
function sortBefore(scan: Scan, at: number): number {
  const openers = openersAt(scan, at)
  if (openers === INSIDE) return PLAIN
  return openers === 0 ? WHITE : WIDE
}

/** How many opening marks stand before a place; `INSIDE` when they are not the start of their word. */
function openersAt(scan: Scan, at: number): number {
  const { units, floor } = scan
  const lowest = Math.max(floor, at - INSIDE)
  let from = at
  while (from > lowest && sortAt(units, from - 1) === OPENER) from--
  const before = from === floor ? scan.openers : openersBehind(sortAt(units, from - 1))
  return Math.min(before + at - from, INSIDE)
}

function openersBehind(sort: number): number {
  if (sort === WHITE || sort === BREAK) return 0
  return sort === WIDE ? 1 : INSIDE
}
