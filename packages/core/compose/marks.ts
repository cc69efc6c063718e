import type { PartData } from "../parts/define-part.ts"
import { chipOf, openPart } from "../parts/table.ts"
import type { SourceInsert } from "./typed.ts"

/** The parts that stand in a text, by the mark that each stands there as: `[shot.png]`. */
export type PartMarks = Readonly<Record<string, PartData>>

interface MarkedText {
  readonly text: string
  readonly marks: PartMarks
}

/** A source with a mark for every part that stands in it. No mark occurs in the source by itself. */
export function writeMarks(source: string, inserts: readonly SourceInsert[]): MarkedText {
  const marks: Record<string, PartData> = {}
  const texts: string[] = []
  let from = 0
  for (const { at, part } of inserts) {
    const mark = freshMark(part, source, marks)
    marks[mark] = part
    texts.push(source.slice(from, at), mark)
    from = at
  }
  return { text: texts.join("") + source.slice(from), marks }
}

/** A mark for a part, unlike every word of a text and every other mark. */
export function freshMark(part: PartData, text: string, marks: PartMarks): string {
  const label = labelOf(part)
  for (let count = 1; ; count++) {
    const mark = count === 1 ? `[${label}]` : `[${label} #${count}]`
    if (!Object.hasOwn(marks, mark) && !text.includes(mark)) return mark
  }
}

interface MarkPosition {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Where the marks stand in a text, in order. One that was written twice counts once. */
export function findMarks(text: string, marks: PartMarks): MarkPosition[] {
  return Object.keys(marks)
    .map((mark) => ({ mark, from: text.indexOf(mark), to: text.indexOf(mark) + mark.length }))
    .filter(({ from }) => from >= 0)
    .sort((left, right) => left.from - right.from)
}

interface UnmarkedText {
  readonly source: string
  readonly inserts: readonly SourceInsert[]
  /** Marks that are in the text no more. */
  readonly lost: readonly string[]
}

/** The way back: the source without its marks, and where their parts stand in it. */
export function readMarks(text: string, marks: PartMarks): UnmarkedText {
  const places = findMarks(text, marks)
  const inserts: SourceInsert[] = []
  let source = ""
  let from = 0
  for (const place of places) {
    source += text.slice(from, place.from)
    const part = marks[place.mark]
    if (part) inserts.push({ at: source.length, part })
    from = place.to
  }
  const standing = new Set(places.map(({ mark }) => mark))
  const lost = Object.keys(marks).filter((mark) => !standing.has(mark))
  return { source: source + text.slice(from), inserts, lost }
}

/** Where a place of a marked text is in the source; one inside a mark is where the mark stands. */
export function positionInSource(places: readonly MarkPosition[], place: number): number {
  const before = places.filter(({ from }) => from < place)
  return before.reduce((at, { from, to }) => at - (Math.min(to, place) - from), place)
}

const MAX_LABEL = 40

/** A part in a few words, for a chip. */
export function labelOf(part: PartData): string {
  const known = openPart(part)
  const words = oneLine(chipOf(known).mark(known))
  if (words.length <= MAX_LABEL) return words
  return `${words.slice(0, MAX_LABEL).replace(/[\uD800-\uDBFF]$/, "")}…`
}

/** One line without characters that a screen would act on, and without the brackets of a mark. */
function oneLine(words: string): string {
  return words
    .toWellFormed()
    .slice(0, 4 * MAX_LABEL)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("[", "(")
    .replaceAll("]", ")")
    .trim()
}
