import { examine, type SourceReading } from "./reading.ts"
import { unitAt, type Units } from "./units.ts"

/** An open code fence: what it is made of, and how many marks close it. */
export interface CodeFence {
  readonly mark: number
  readonly length: number
}

const NEWLINE = 10
const SPACE = 32
const TAB = 9
const TICK = 96
const TILDE = 126
const FEWEST_MARKS = 3
const MOST_MARKS = 64
const MAX_INDENT = 64
/** How far a line is looked at to tell a fence from code between ticks. */
const MAX_INFO = 1024

/** A reading that knows whether it is inside a fence. */
export interface Fenced extends SourceReading {
  fence: CodeFence | null
}

/** Open the fence of the line that starts at `at`, if it has one, and say where its marks end. It
 *  may stand in a list or a quotation. */
export function opensFence(reading: Fenced, at: number): number | undefined {
  const { units } = reading
  const start = pastIndent(units, at, OPENING_INDENT)
  const mark = unitAt(units, start)
  const length = mark === TICK || mark === TILDE ? marksAt(units, start, mark) : 0
  const end = start + length
  examine(reading, end)
  if (length < FEWEST_MARKS || (mark === TICK && hasTick(reading, end))) return undefined
  reading.fence = { mark, length }
  return end
}

/** Close the fence if the line that starts at `at` does, and say where its marks end. */
export function closesFence(reading: Fenced, at: number, fence: CodeFence): number | undefined {
  const { text, units } = reading
  const start = pastIndent(units, at, CLOSING_INDENT)
  const length = marksAt(units, start, fence.mark)
  let end = start + length
  const limit = Math.min(text.length, end + MAX_INFO)
  while (end < limit && isBlank(unitAt(units, end))) end++
  examine(reading, end)
  const ended = end === text.length || unitAt(units, end) === NEWLINE
  if (length < fence.length || !ended) return undefined
  reading.fence = null
  return start + length
}

const CLOSING_INDENT = unitsOf(" \t>")
const OPENING_INDENT = unitsOf(" \t>-*+0123456789.)")

function unitsOf(units: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const unit of units) table[unit.charCodeAt(0)] = 1
  return table
}

function pastIndent(units: Units, at: number, indent: Uint8Array): number {
  const limit = at + MAX_INDENT
  let end = at
  while (end < limit && isOf(indent, unitAt(units, end))) end++
  return end
}

function isOf(table: Uint8Array, unit: number): boolean {
  return unit < table.length && table[unit] === 1
}

function marksAt(units: Units, start: number, mark: number): number {
  const limit = start + MOST_MARKS
  let end = start
  while (end < limit && unitAt(units, end) === mark) end++
  return end - start
}

/** A line that has more ticks is code between ticks, not a fence. */
function hasTick(reading: SourceReading, from: number): boolean {
  const { text, units } = reading
  const limit = Math.min(text.length, from + MAX_INFO)
  let at = from
  while (at < limit && unitAt(units, at) !== NEWLINE && unitAt(units, at) !== TICK) at++
  examine(reading, at)
  return unitAt(units, at) === TICK
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB || unit === 13
}
