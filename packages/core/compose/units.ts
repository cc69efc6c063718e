import { SORTS, TRAITS } from "./characters.ts"

/** The units of a text as numbers, which are read several times quicker than from a string. */
export type Units = Uint16Array

/** There are zeros behind the last unit, so that a look ahead needs no check. */
const PADDING = 8
const KEPT_UNITS = 64 * 1024

const encoder = new TextEncoder()
const bytes = new Uint8Array(KEPT_UNITS)
const kept = new Uint16Array(KEPT_UNITS + PADDING)

/** A stretch of a source, as text and as units. */
export interface Window {
  readonly text: string
  readonly units: Units
}

/** The stretch of a source from `from` to before `to`. Its units are good until the next call: a scan
 *  is over before another begins. */
export function windowOf(source: string, from = 0, to = source.length): Window {
  const length = to - from
  const units = length <= KEPT_UNITS ? kept : new Uint16Array(length + PADDING)
  for (let at = 0; at < length; at += KEPT_UNITS)
    copy(units, at, { source, from: from + at, to: Math.min(to, from + at + KEPT_UNITS) })
  units.fill(0, length, length + PADDING)
  return { text: source.slice(from, to), units }
}

interface Stretch {
  readonly source: string
  readonly from: number
  readonly to: number
}

/** What is all ASCII has the same bytes as units, and bytes are had at once. */
function copy(units: Units, at: number, { source, from, to }: Stretch) {
  const length = to - from
  const { read, written } = looksAscii(source, from, to)
    ? encoder.encodeInto(source.slice(from, to), bytes)
    : NOTHING
  if (read === length && written === read) units.set(bytes.subarray(0, written), at)
  else for (let past = 0; past < length; past++) units[at + past] = source.charCodeAt(from + past)
}

const NOTHING = { read: -1, written: 0 }
const SAMPLES = 16

/** A few looks save the attempt where it would fail. */
function looksAscii(source: string, from: number, to: number): boolean {
  const step = Math.ceil((to - from) / SAMPLES)
  for (let at = from; at < to; at += step) if (source.charCodeAt(at) > 127) return false
  return true
}

export function unitAt(units: Units, at: number): number {
  return units[at] ?? 0
}

export function sortAt(units: Units, at: number): number {
  return SORTS[units[at] ?? 0] ?? 0
}

export function traitAt(units: Units, at: number): number {
  return TRAITS[units[at] ?? 0] ?? 0
}
