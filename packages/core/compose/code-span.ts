import { examine, type SourceReading } from "./reading.ts"
import { unitAt, type Units } from "./units.ts"

/** Code between ticks is on one line and no longer than this, so that a tick matters only nearby. */
const MAX_CODE_CHARACTERS = 4000
const MOST_TICKS = 64
const NEWLINE = 10
const TICK = 96

/** What is known about the ticks ahead: they are looked at once, however many of them open nothing. */
interface Ticks {
  /** How far the line was looked at. */
  seen: number
  /** Where the last run of each length stands before `seen`. */
  readonly last: number[]
}

/** A reading that knows about ticks. */
export interface Coded extends SourceReading {
  readonly ticks: Ticks
}

export function newTicks(): Ticks {
  return { seen: 0, last: [] }
}

/** Where the code ends whose ticks begin at `at`; where those ticks end, when nothing closes them. */
export function codeEnd(reading: Coded, at: number): number {
  const { units, ticks } = reading
  const length = ticksAt(units, at)
  const from = at + length
  const isKnown = (ticks.last[length] ?? -1) >= from
  const closer = isKnown ? firstRun(units, from, length) : nextRun(reading, from, length)
  examine(reading, ticks.seen)
  return closer < 0 || closer >= from + MAX_CODE_CHARACTERS ? from : closer + length
}

/** Look on behind what was seen, for a run of that length. */
function nextRun(reading: Coded, from: number, length: number): number {
  const { units, ticks } = reading
  const limit = Math.min(reading.text.length, from + MAX_CODE_CHARACTERS)
  let at = Math.max(from, ticks.seen)
  while (at < limit) {
    const unit = units[at]
    if (unit === NEWLINE) break
    if (unit !== TICK) {
      at++
      continue
    }
    const run = ticksAt(units, at)
    ticks.last[run] = at
    at += run
    if (run === length) {
      ticks.seen = at
      return at - run
    }
  }
  ticks.seen = at
  return -1
}

/** There is one: it was seen. */
function firstRun(units: Units, from: number, length: number): number {
  let at = from
  for (;;) {
    const run = unitAt(units, at) === TICK ? ticksAt(units, at) : 0
    if (run === length) return at
    at += Math.max(run, 1)
  }
}

function ticksAt(units: Units, start: number): number {
  if (units[start + 1] !== TICK) return 1
  const limit = start + MOST_TICKS
  let end = start + 2
  while (end < limit && units[end] === TICK) end++
  return end - start
}
