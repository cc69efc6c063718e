import { lettersOf, type Query, readQuery } from "./letters.ts"
import type { Paths } from "./paths.ts"
import { positionsOf } from "./positions.ts"
import { frecencyScore } from "./rank.ts"
import { Matcher, NO_MATCH, type ByteSpan, totalOf } from "./score.ts"
import { Top } from "./top.ts"

export interface Match {
  /** From the root, with slashes. */
  readonly path: string
  readonly score: number
  /** Where in the path each letter of the query was found. */
  readonly positions: readonly number[]
}

interface FinderQuery {
  readonly query: string
  readonly limit: number
  /** How much a file is used, from 0 to 1, by its number. */
  readonly frecency: ReadonlyMap<number, number>
}

/** Finds files by some letters of their paths. What each can be worth at most is told by its folder
 *  and a few masks; only those that could be among the best are looked at closer. A query that goes
 *  on from an earlier one starts with what that one left over. */
export class FileSearch {
  readonly #paths: Paths
  #version = 0
  /** What the queries that lead to this one left over, the shortest first. */
  #narrowed: Narrowed[] = []
  // Working space for one query after the other.
  #ids = new Uint32Array(0)
  #points = new Uint16Array(0)

  constructor(paths: Paths) {
    this.#paths = paths
  }

  find({ query: typed, limit, frecency }: FinderQuery): Match[] {
    const query = readQuery(typed)
    const top = new Top(limit)
    if (query.letters.length === 0) this.#findAny(top, frecency)
    else this.#findLetters(query, top, frecency)
    return top
      .list()
      .map(({ id, score }) => this.#match(query, id, score))
      .sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1))
  }

  /** Nothing was typed yet: what is used most, then what lies on top. */
  #findAny(top: Top, frecency: FinderQuery["frecency"]) {
    const paths = this.#paths
    for (let id = 0; id < paths.end; id++) {
      if (paths.masks[id] === 0) continue
      const folder = paths.folderSpan(paths.folderOf(id))
      const used = frecency.size > 0 ? frecencyScore(frecency.get(id)) : 0
      top.add(id, used * DEEPEST - (folder.to - folder.from) * 2 - paths.lengthOf(id))
    }
  }

  #findLetters(query: Query, top: Top, frecency: FinderQuery["frecency"]) {
    const matcher = new Matcher(query.letters)
    const score = (id: number) => {
      const points = matcher.points(this.#folderSpan(query, id), this.#nameSpan(query, id))
      if (points !== NO_MATCH)
        top.add(id, totalOf(points, this.#paths.lengthOf(id)) + frecencyScore(frecency.get(id)))
      return points !== NO_MATCH
    }
    for (const id of frecency.keys()) score(id)
    const candidates = this.#bounded(query, matcher, this.#startFrom(query))
    const isOpen = (most: number, id?: number) =>
      totalOf(most, id === undefined ? 0 : this.#paths.lengthOf(id)) >= top.floor
    const isKnown = (id: number) => frecency.has(id)
    this.#keep(query, scoreBestFirst(candidates, { isOpen, isKnown, score }))
  }

  #folderSpan({ alphabet }: Query, id: number): ByteSpan {
    const folder = this.#paths.folderOf(id)
    if (alphabet === "") return this.#paths.folderSpan(folder)
    return wideSpan(this.#paths.folderPath(folder), alphabet)
  }

  #nameSpan({ alphabet }: Query, id: number): ByteSpan {
    if (alphabet === "") return this.#paths.nameSpan(id)
    return wideSpan(this.#paths.nameOf(id), alphabet)
  }

  /** What the longest earlier query that this one goes on from left over. */
  #startFrom({ letters, alphabet }: Query): Uint32Array | undefined {
    if (this.#version !== this.#paths.version) this.#narrowed = []
    this.#version = this.#paths.version
    while (this.#narrowed.length > 0) {
      const last = this.#narrowed.at(-1)!
      if (last.alphabet === alphabet && goesOnFrom(letters, last.letters)) return last.ids
      this.#narrowed.pop()
    }
    return undefined
  }

  /** The files that may match, each with the most points it can have. */
  #bounded(query: Query, matcher: Matcher, narrowed: Uint32Array | undefined): Bounded {
    const { masks, nameMasks, startMasks, initials, end } = this.#paths
    const { mask } = query
    const count = narrowed?.length ?? end
    this.#reserve(count)
    const ids = this.#ids
    const points = this.#points
    let folder = -1
    let found = 0
    for (let at = 0; at < count; at++) {
      const id = narrowed === undefined ? at : narrowed[at]!
      if ((masks[id]! & mask) !== mask) continue
      if (this.#paths.folderOf(id) !== folder) {
        folder = this.#paths.folderOf(id)
        matcher.enter(this.#folderSpan(query, id))
      }
      const most = matcher.mostPoints(nameMasks[id]!, startMasks[id]!, initials[id]!)
      if (most === NO_MATCH) continue
      ids[found] = id
      points[found] = Math.max(most, 0)
      found += 1
    }
    return { ids, points, count: found }
  }

  #reserve(count: number) {
    if (this.#ids.length >= count) return
    this.#ids = new Uint32Array(count)
    this.#points = new Uint16Array(count)
  }

  #keep({ letters, alphabet }: Query, ids: Uint32Array) {
    this.#narrowed.push({ letters, alphabet, ids })
    if (this.#narrowed.length > MAX_NARROWED) this.#narrowed.shift()
  }

  #match(query: Query, id: number, score: number): Match {
    const folder = this.#folderSpan(query, id)
    const positions = positionsOf(query.letters, folder, this.#nameSpan(query, id))
    return { path: this.#paths.pathOf(id), score, positions }
  }
}

interface Narrowed {
  readonly letters: Uint8Array
  readonly alphabet: string
  readonly ids: Uint32Array
}

/** Queries whose leftovers are kept. */
const MAX_NARROWED = 16
/** More than any path's length, so that use counts first. */
const DEEPEST = 4096

function wideSpan(text: string, alphabet: string): ByteSpan {
  const bytes = lettersOf(text, alphabet)
  return { bytes, from: 0, to: bytes.length }
}

function goesOnFrom(letters: Uint8Array, earlier: Uint8Array): boolean {
  return earlier.length <= letters.length && earlier.every((letter, at) => letter === letters[at])
}

interface Bounded {
  readonly ids: Uint32Array
  readonly points: Uint16Array
  /** How many of them are filled. */
  readonly count: number
}

interface Scoring {
  /** Whether a file that can have so many points could still be among the best. */
  isOpen(most: number, id?: number): boolean
  isKnown(id: number): boolean
  /** Whether it matches. */
  score(id: number): boolean
}

const GONE = 0xffff

/** Those that match, or may: most are never looked at. They stay in their order, which keeps the
 *  files of a folder together. */
function scoreBestFirst({ ids, points, count }: Bounded, scoring: Scoring): Uint32Array {
  for (const at of bestFirst(points, count)) {
    const id = ids[at]!
    const most = points[at]!
    if (!scoring.isOpen(most)) break
    if (!scoring.isOpen(most, id) || scoring.isKnown(id)) continue
    if (!scoring.score(id)) points[at] = GONE
  }
  let kept = 0
  for (let at = 0; at < count; at++) {
    if (points[at] === GONE) continue
    ids[kept] = ids[at]!
    kept += 1
  }
  return ids.slice(0, kept)
}

/** The places of the points, the highest first: sorted by counting. */
function bestFirst(points: Uint16Array, count: number): Uint32Array {
  let most = 0
  for (let at = 0; at < count; at++) most = Math.max(most, points[at]!)
  const next = new Uint32Array(most + 2)
  for (let at = 0; at < count; at++) next[most - points[at]! + 1]! += 1
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!
  const order = new Uint32Array(count)
  for (let at = 0; at < count; at++) order[next[most - points[at]!]!++] = at
  return order
}
