import type { PartData } from "../parts/define-part.ts"
import { partsOfInput } from "./bridge.ts"
import { isWhite } from "./characters.ts"
import type { ComposerNode } from "./node.ts"
import { parse } from "./parse.ts"
import type { Vocabulary } from "./vocabulary.ts"

/** A part that stands in a source, before the unit `at`. */
export interface SourceInsert {
  readonly at: number
  readonly part: PartData
}

/** What was typed, with the parts that stand in it. */
interface TypedMessage {
  readonly source: string
  /** What was recognised; looked for where nobody says it. */
  readonly nodes?: readonly ComposerNode[] | undefined
  /** Words in which nothing is looked for. */
  readonly literals?: readonly string[] | undefined
  readonly inserts?: readonly SourceInsert[] | undefined
}

/** The parts of what was typed, with those that stand in it at their places. */
export function partsOfTyped(typed: TypedMessage, vocabulary: Vocabulary): PartData[] {
  const nodes = typed.nodes ?? nodesOfTyped(typed, vocabulary)
  return stretchesOf(typed).flatMap(({ from, to, text, before }) => {
    const inside = nodes
      .filter(({ start, end }) => from <= start && end <= to)
      .map((node) => ({ ...node, start: node.start - from, end: node.end - from }))
    return [...before, ...partsOfInput({ source: text, nodes: inside }, vocabulary)]
  })
}

/** What is recognised in a source, in each stretch between two parts by itself. A command leads the
 *  message where nothing stands before it. */
export function nodesOfTyped(typed: TypedMessage, vocabulary: Vocabulary): ComposerNode[] {
  const literals = new Set(typed.literals)
  return stretchesOf(typed).flatMap(({ from, text, before }) => {
    const lead = text.length - text.trimStart().length
    const leads = from === 0 && before.length === 0
    return parse(text, vocabulary)
      .filter((node) => leads || node.kind !== "slash_command" || node.start > lead)
      .filter(({ start }) => !literals.has(wordAt(text, start)))
      .map((node) => ({ ...node, start: node.start + from, end: node.end + from }))
  })
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly before: readonly PartData[]
}

function stretchesOf({ source, inserts = [] }: TypedMessage): Stretch[] {
  const places = [...new Set([0, ...inserts.map(({ at }) => at)])]
  return places.map((from, index) => {
    const to = places[index + 1] ?? source.length
    const before = inserts.filter(({ at }) => at === from).map(({ part }) => part)
    return { from, to, text: source.slice(from, to), before }
  })
}

/** Whether a parser may take a word for a command or a reference. Better one too many: a word that
 *  stays a word is what it was. */
export function isLookalike(word: string): boolean {
  return /[@$]/.test(word) || /^[^\p{L}\p{N}]*\//u.test(word)
}

/** The literals that still stand in a text: a word that was taken out and typed again is typed. */
export function literalsIn(text: string, literals: readonly string[]): readonly string[] {
  const standing = literals.filter((word) => text.includes(word))
  return standing.length === literals.length ? literals : standing
}

interface LiteralWord {
  readonly from: number
  readonly to: number
  readonly word: string
}

export function wordsIn(text: string): LiteralWord[] {
  const words: LiteralWord[] = []
  for (let from = 0; from < text.length; from++) {
    const word = wordAt(text, from)
    if (word === "") continue
    words.push({ from, to: from + word.length, word })
    from += word.length
  }
  return words
}

/** The whole word that a place is in. */
export function wordAt(text: string, place: number): string {
  let from = place
  let to = place
  while (from > 0 && !isWhite(text.charCodeAt(from - 1))) from--
  while (to < text.length && !isWhite(text.charCodeAt(to))) to++
  return text.slice(from, to)
}
