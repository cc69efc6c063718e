import { lettersOf, maskOf, type Query, readQuery } from "./letters.ts"
import { positionsOf } from "./positions.ts"
import { Matcher, MAX_TEXT_CHARACTERS, NO_MATCH, type ByteSpan, totalOf } from "./score.ts"
import { Top } from "./top.ts"

export interface Candidate {
  readonly text: string
  /** How much it is used, from 0 to 1. */
  readonly frecency?: number | undefined
}

interface Ranked<C extends Candidate> {
  readonly candidate: C
  readonly score: number
  /** Where in the text each letter of the query was found. */
  readonly positions: readonly number[]
}

/** What the most used is worth: a word's beginning and a half. */
const FRECENCY = 400

export function frecencyScore(frecency: number | undefined): number {
  return Math.round(FRECENCY * Math.min(1, Math.max(0, frecency ?? 0)))
}

/** The candidates that have the query's letters in this order, the best first. For short lists such
 *  as commands and skills; files have an index. Without letters, all of them, the most used first. */
export function rank<C extends Candidate>(
  typed: string,
  candidates: readonly C[],
  limit = candidates.length,
): Ranked<C>[] {
  const query = readQuery(typed)
  const matcher = new Matcher(query.letters)
  const top = new Top(limit)
  candidates.forEach((candidate, id) => {
    const score = scoreOf(query, matcher, candidate)
    if (score !== undefined) top.add(id, score)
  })
  return top.list().map(({ id, score }) => {
    const candidate = candidates[id]!
    const name = spanOf(candidate.text, query)
    return { candidate, score, positions: positionsOf(query.letters, NO_FOLDER, name) }
  })
}

function scoreOf(query: Query, matcher: Matcher, candidate: Candidate): number | undefined {
  const used = frecencyScore(candidate.frecency)
  if (query.letters.length === 0) return used
  const name = spanOf(candidate.text, query)
  if ((maskOf(name.bytes) & query.mask) !== query.mask) return undefined
  const points = matcher.points(NO_FOLDER, name)
  return points === NO_MATCH ? undefined : totalOf(points, name.to) + used
}

const NO_FOLDER: ByteSpan = { bytes: new Uint8Array(0), from: 0, to: 0 }

function spanOf(text: string, { alphabet }: Query): ByteSpan {
  const bytes = lettersOf(text.slice(0, MAX_TEXT_CHARACTERS), alphabet)
  return { bytes, from: 0, to: bytes.length }
}
