import type { Range } from "../message/file-reference.ts"
import { fragmentLocation, splitEntry } from "../catalog/file-reference.ts"
import { MAX_PATH_CHARACTERS } from "../message/limits.ts"
import { TRAITS, WORD_CHARACTER, withoutPunctuation } from "./characters.ts"
import {
  type FileFragment,
  type FragmentFault,
  parseFragment,
  printFragment,
  type ReadFragment,
} from "../message/file-location.ts"

/** A file and a place in it (BEY-08). Lines and bytes are a range, other places a fragment; `entry`
 *  is the path inside an archive. */
export interface Address {
  readonly path: string
  readonly entry?: string | undefined
  readonly range?: Range | undefined
  readonly fragment?: FileFragment | undefined
}

export interface ReadAddress {
  readonly address: Address
  /** What was written after the path names no place. */
  readonly fault?: FragmentFault
  /** Where the address ends in the text. */
  readonly end: number
}

const QUOTE = 34

/** Read the address that begins at `at`. It is one word, or its path is in quotes, where everything
 *  is literal and `""` is a quote: `"a#L1-2.ts"`, `"my notes.md"#L3`, `a.zip!/src/a.ts#L1-9`. */
export function readAddress(
  text: string,
  at = 0,
  limit = Math.min(text.length, at + MAX_PATH_CHARACTERS),
): ReadAddress | undefined {
  if (text.charCodeAt(at) === QUOTE) return readQuotedAddress(text, at, limit)
  return readWordAddress(text, at, wordEnd(text, at, limit))
}

/** The address of a word whose end is known. */
export function readWordAddress(text: string, at: number, end: number): ReadAddress | undefined {
  const word = text.slice(at, end)
  const { path: whole, place, length } = splitPlace(word)
  if (whole === "") return undefined
  const { path, entry } = splitEntry(whole)
  const inside = entry === undefined ? {} : { entry }
  return {
    address: { path, ...inside, ...fragmentLocation(place) },
    ...faultOf(place),
    end: at + length,
  }
}

/** The address as it is written after `@`; `undefined` when no writing of it would be read again. */
export function printAddress(address: Address): string | undefined {
  const place = printedPlace(address)
  const inside = address.entry === undefined ? "" : `!/${address.entry}`
  const bare = `${address.path}${inside}${place}`
  if (reads(bare, address)) return bare
  const entry = address.entry === undefined ? "" : `!/${quotePath(address.entry)}`
  const careful = `${quotePath(address.path)}${entry}${place}`
  return reads(careful, address) ? careful : undefined
}

/** The text between quotes that begin at `at`, and where they end. */
export function readQuoted(
  text: string,
  at: number,
  limit: number,
): { readonly value: string; readonly end: number } | undefined {
  let doubled = false
  for (let end = at + 1; end < limit; end++) {
    const unit = text.charCodeAt(end)
    if (unit < 32 || unit === 127) return undefined
    if (unit !== QUOTE) continue
    if (text.charCodeAt(end + 1) !== QUOTE) {
      const inner = text.slice(at + 1, end)
      return { value: doubled ? inner.replaceAll('""', '"') : inner, end: end + 1 }
    }
    doubled = true
    end++
  }
  return undefined
}

export function quotePath(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function readQuotedAddress(text: string, at: number, limit: number): ReadAddress | undefined {
  const path = readQuoted(text, at, limit)
  if (!path || path.value === "") return undefined
  const entry = readEntry(text, path.end, limit)
  const { place, end } = entry?.place ? entry : readPlace(text, entry?.end ?? path.end, limit)
  const inside = entry ? { entry: entry.value } : {}
  return {
    address: { path: path.value, ...inside, ...fragmentLocation(place) },
    ...faultOf(place),
    end,
  }
}

interface Placed {
  readonly place?: ReadFragment | undefined
  readonly end: number
}

/** `!/src/a.ts#L1-9`, behind a quoted path. */
function readEntry(
  text: string,
  at: number,
  limit: number,
): (Placed & { readonly value: string }) | undefined {
  if (!text.startsWith("!/", at)) return undefined
  const start = at + 2
  if (text.charCodeAt(start) === QUOTE) {
    const entry = readQuoted(text, start, limit)
    return entry?.value ? entry : undefined
  }
  const { path, place, length } = splitPlace(text.slice(start, wordEnd(text, start, limit)))
  return path === "" ? undefined : { value: path, place, end: start + length }
}

function readPlace(text: string, at: number, limit: number): Placed {
  const word = text.slice(at, wordEnd(text, at, limit))
  const place = word.startsWith("#") ? parseFragment(word.slice(1)) : linesOf(word)
  return place ? { place, end: at + word.length } : { end: at }
}

function wordEnd(text: string, at: number, limit: number): number {
  let end = at
  while (end < limit && (TRAITS[text.charCodeAt(end)] ?? 0) & WORD_CHARACTER) end++
  return withoutPunctuation(text, at, end)
}

interface Split {
  readonly path: string
  readonly place?: ReadFragment | undefined
  /** How much of the word was taken. */
  readonly length: number
}

function splitPlace(word: string): Split {
  const hash = word.lastIndexOf("#")
  if (hash >= 0) {
    const place = parseFragment(word.slice(hash + 1))
    if (place) return { path: word.slice(0, hash), place, length: word.length }
    // "a.md#install" is a.md and a word about it; "C#/a.cs" is a path.
    if (!/[./\\]/.test(word.slice(hash))) return { path: word.slice(0, hash), length: hash }
    return { path: word, length: word.length }
  }
  const colon = word.search(LINES)
  if (colon <= 0) return { path: word, length: word.length }
  return { path: word.slice(0, colon), place: linesOf(word.slice(colon)), length: word.length }
}

// `:10-25`, or what a compiler prints, `:10:5`, whose column says nothing to us.
const LINES = /:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/

function linesOf(word: string): ReadFragment | undefined {
  const match = LINES.exec(word)
  if (match?.index !== 0) return undefined
  const [, start, end = start] = match
  return parseFragment(`L${start}-${end}`)
}

function faultOf(place: ReadFragment | undefined): Pick<ReadAddress, "fault"> {
  return place?.type === "fault" ? { fault: place.fault } : {}
}

function printedPlace({ range, fragment }: Address): string {
  if (range) {
    const { start, end, unit = "line" } = range
    return `#${printFragment({ unit, start, end })}`
  }
  return fragment ? `#${printFragment(fragment)}` : ""
}

function reads(written: string, address: Address): boolean {
  const read = readAddress(written)
  return read?.end === written.length && !read.fault && sameAddress(read.address, address)
}

function sameAddress(left: Address, right: Address): boolean {
  return (
    left.path === right.path &&
    left.entry === right.entry &&
    printedPlace(left) === printedPlace(right)
  )
}
