import { examine, type Reading } from "./reading.ts"

/** Code between ticks is on one line and no longer than this, so that a tick matters only nearby. */
const MAX_CODE_CHARACTERS = 4000
const MOST_TICKS = 64
const NEWLINE = 10
const TICK = 96

/** What is known about the ticks ahead: they are looked at once, however many of them open nothing. */
export interface Ticks {
  /** How far the line was looked at. */
  seen: number
  /** Where the last run of each length stands before `seen`. */
  readonly last: number[]
}

export function newTicks(): Ticks {
  return { seen: 0, last: [] }
}

/** Where the code ends whose ticks begin at `at`; where those ticks end, when nothing closes them. */
export function codeEnd(reading: Reading, ticks: Ticks, at: number): number {
  const length = ticksAt(reading.text, at)
  const from = at + length
  const closer = closerFrom(reading, ticks, { from, length })
  examine(reading, ticks.seen)
  return closer === undefined || closer >= from + MAX_CODE_CHARACTERS ? from : closer + length
}

interface Opener {
  readonly from: number
  readonly length: number
}

function closerFrom(reading: Reading, ticks: Ticks, opener: Opener): number | undefined {
  const { text } = reading
  const { from, length } = opener
  if ((ticks.last[length] ?? -1) >= from) return firstRun(text, opener)
  const limit = Math.min(text.length, from + MAX_CODE_CHARACTERS)
  let at = Math.max(from, ticks.seen)
  while (at < limit) {
    const unit = text.charCodeAt(at)
    if (unit === NEWLINE) break
    if (unit !== TICK) {
      at++
      continue
    }
    const found = ticksAt(text, at)
    ticks.last[found] = at
    at += found
    if (found === length) break
  }
  ticks.seen = at
  const last = ticks.last[length] ?? -1
  return last >= from ? last : undefined
}

/** There is one: it was seen. */
function firstRun(text: string, { from, length }: Opener): number {
  let at = from
  for (;;) {
    at = text.indexOf("`", at)
    const found = ticksAt(text, at)
    if (found === length) return at
    at += found
  }
}

function ticksAt(text: string, start: number): number {
  const limit = start + MOST_TICKS
  let end = start
  while (end < limit && text.charCodeAt(end) === TICK) end++
  return end - start
}
