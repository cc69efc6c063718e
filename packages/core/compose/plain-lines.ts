import type { Range } from "../message/file-reference.ts"
import { unitAt, type Units } from "./units.ts"

/** `#L10` and `#L10-25` are nearly every place that anybody writes, so they are read by hand; the
 *  other ways of writing them, and the other places, are `parseFragment`'s. */

const HASH = 35
const DASH = 45
const LETTER_L = 76
const MOST_DIGITS = 9

/** Where the hash stands, if the word from `start` to `end` may end with plain lines; else -1. */
export function plainLinesAt(units: Units, start: number, end: number): number {
  let at = beforeDigits(units, end)
  if (unitAt(units, at) === DASH) at = beforeDigits(units, at)
  const written = unitAt(units, at) === LETTER_L && unitAt(units, at - 1) === HASH
  return written && at - 1 > start ? at - 1 : -1
}

function beforeDigits(units: Units, end: number): number {
  let at = end - 1
  while (isDigit(unitAt(units, at)) && at > end - 1 - MOST_DIGITS) at--
  return at
}

/** The lines that are written from `at` to `end`; none, if they are no lines of a file. */
export function plainLines(units: Units, at: number, end: number): Range | undefined {
  let start = 0
  let number = 0
  for (; at < end; at++) {
    const unit = unitAt(units, at)
    if (unit !== DASH) number = number * 10 + unit - 48
    else {
      start = number
      number = 0
    }
  }
  if (start === 0) start = number
  return start > 0 && number >= start ? { start, end: number } : undefined
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}
