import { type Glob, lastNameOf, type GlobToken } from "./glob.ts"

/** Says of most names at once that no rule of a list can match them: by a few of their characters,
 *  whatever their case. A walk asks about every file there is. */
export interface NameSieve {
  /** Whole names, by their first and last character and their length. */
  readonly names: Uint8Array
  /** Beginnings and endings, by two characters. */
  readonly starts: Uint8Array
  readonly ends: Uint8Array
  /** A rule can match any name. */
  readonly isOpen: boolean
}

// Of a character the lower five bits count: those are the same in both cases.
const FIVE_BITS = 0x1f
const PAIRS = 1 << 10
const LENGTHS = 0x03

export function sieveOf(globs: readonly Glob[]): NameSieve {
  const names = new Uint8Array(PAIRS * (LENGTHS + 1))
  const starts = new Uint8Array(PAIRS)
  const ends = new Uint8Array(PAIRS)
  let isOpen = false
  for (const glob of globs) {
    const name = lastNameOf(glob)
    const start = glob.type === "name-pattern" ? textOf(glob.tokens[0]) : ""
    const end = glob.type === "ending" ? glob.ending : ""
    if (name) names[wholeOf(name)] = 1
    else if (end !== "") allowEnd(ends, end)
    else if (start.length > 1) starts[pairAt(start, 0)] = 1
    else if (glob.type !== "nothing") isOpen = true
  }
  return { names, starts, ends, isOpen }
}

/** Lets through what any of them does. */
export function unionOf(sieves: readonly NameSieve[]): NameSieve {
  return {
    names: eitherOf(sieves.map(({ names }) => names)),
    starts: eitherOf(sieves.map(({ starts }) => starts)),
    ends: eitherOf(sieves.map(({ ends }) => ends)),
    isOpen: sieves.some(({ isOpen }) => isOpen),
  }
}

function eitherOf([first = new Uint8Array(0), ...others]: readonly Uint8Array[]): Uint8Array {
  return first.map((allowed, at) => Math.max(allowed, ...others.map((table) => table[at] ?? 0)))
}

function textOf(token: GlobToken | undefined): string {
  return token?.type === "text" ? token.text : ""
}

/** Of `*~` only the last character is known. */
function allowEnd(ends: Uint8Array, end: string) {
  if (end.length > 1) ends[pairAt(end, end.length - 2)] = 1
  else
    for (let before = 0; before <= FIVE_BITS; before++) ends[pairOf(before, end.charCodeAt(0))] = 1
}

function pairAt(name: string, at: number): number {
  return pairOf(name.charCodeAt(at), name.charCodeAt(at + 1))
}

function wholeOf(name: string): number {
  const pair = pairOf(name.charCodeAt(0), name.charCodeAt(name.length - 1))
  return pair * (LENGTHS + 1) + (name.length & LENGTHS)
}

function pairOf(first: number, second: number): number {
  return ((first & FIVE_BITS) << 5) | (second & FIVE_BITS)
}

export function mayMatch({ names, starts, ends, isOpen }: NameSieve, name: string): boolean {
  if (isOpen || name.length < 2 || names[wholeOf(name)] === 1) return true
  return ends[pairAt(name, name.length - 2)] === 1 || starts[pairAt(name, 0)] === 1
}
