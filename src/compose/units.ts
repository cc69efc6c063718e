import { SORTS, TRAITS } from "./characters.ts"

/** The units of a text as numbers, which are read several times quicker than from a string. */
export type Units = Uint16Array

/** There are zeros behind the last unit, so that a look ahead needs no check. */
const PADDING = 8
const KEPT_UNITS = 64 * 1024

const encoder = new TextEncoder()
const bytes = new Uint8Array(KEPT_UNITS)
const kept = new Uint16Array(KEPT_UNITS + PADDING)

/** The units of a text. They are good until the next call: a scan is over before another begins. */
export function unitsOf(text: string): Units {
  const units = text.length <= KEPT_UNITS ? kept : new Uint16Array(text.length + PADDING)
  for (let at = 0; at < text.length; at += KEPT_UNITS)
    copy(text.length <= KEPT_UNITS ? text : text.slice(at, at + KEPT_UNITS), units, at)
  units.fill(0, text.length, text.length + PADDING)
  return units
}

/** A text that is all ASCII has the same bytes as units, and bytes are had at once. */
function copy(text: string, units: Units, to: number) {
  const { read, written } = looksAscii(text) ? encoder.encodeInto(text, bytes) : NOTHING
  if (read === text.length && written === read) units.set(bytes.subarray(0, written), to)
  else for (let at = 0; at < text.length; at++) units[to + at] = text.charCodeAt(at)
}

const NOTHING = { read: -1, written: 0 }
const SAMPLES = 16

/** A few looks save the attempt where it would fail. */
function looksAscii(text: string): boolean {
  const step = Math.ceil(text.length / SAMPLES)
  for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) > 127) return false
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
