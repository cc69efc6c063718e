import type {
  CommandPart,
  DirectoryRefPart,
  EditorContextPart,
  FileAttachmentPart,
  FileRefPart,
  MentionPart,
  Part,
  QuotePart,
  SkillContentPart,
  TextPart,
  UnknownPart,
} from "../message/part.ts"
import type { Insert } from "./typed.ts"

type AnyPart = Part | UnknownPart

/** The parts that stand in a text, by the mark that each stands there as: `[shot.png]`. */
export type Marks = Readonly<Record<string, AnyPart>>

export interface MarkedText {
  readonly text: string
  readonly marks: Marks
}

/** A source with a mark for every part that stands in it. No mark occurs in the source by itself. */
export function writeMarks(source: string, inserts: readonly Insert[]): MarkedText {
  const marks: Record<string, AnyPart> = {}
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
export function freshMark(part: AnyPart, text: string, marks: Marks): string {
  const label = labelOf(part)
  for (let count = 1; ; count++) {
    const mark = count === 1 ? `[${label}]` : `[${label} #${count}]`
    if (!Object.hasOwn(marks, mark) && !text.includes(mark)) return mark
  }
}

export interface MarkPlace {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Where the marks stand in a text, in order. One that was written twice counts once. */
export function markPlaces(text: string, marks: Marks): MarkPlace[] {
  return Object.keys(marks)
    .map((mark) => ({ mark, from: text.indexOf(mark), to: text.indexOf(mark) + mark.length }))
    .filter(({ from }) => from >= 0)
    .sort((left, right) => left.from - right.from)
}

export interface UnmarkedText {
  readonly source: string
  readonly inserts: readonly Insert[]
  /** Marks that are in the text no more. */
  readonly lost: readonly string[]
}

/** The way back: the source without its marks, and where their parts stand in it. */
export function readMarks(text: string, marks: Marks): UnmarkedText {
  const places = markPlaces(text, marks)
  const inserts: Insert[] = []
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
export function placeInSource(places: readonly MarkPlace[], place: number): number {
  const before = places.filter(({ from }) => from < place)
  return before.reduce((at, { from, to }) => at - (Math.min(to, place) - from), place)
}

const MAX_LABEL = 40

/** A part in a few words, for a chip. */
export function labelOf(part: AnyPart): string {
  const words = oneLine(LABELS[part.type as Part["type"]]?.(part as never) ?? unknownLabel(part))
  if (words.length <= MAX_LABEL) return words
  return `${words.slice(0, MAX_LABEL).replace(/[\uD800-\uDBFF]$/, "")}…`
}

type Labels = {
  readonly [Type in Part["type"]]: (part: Extract<Part, { type: Type }>) => string
}

const LABELS: Labels = {
  text: ({ text }: TextPart) => (text.trim() === "" ? "blank text" : `text: ${text}`),
  "file-ref": ({ ref }: FileRefPart) => {
    if (ref.kind === "path") return `@${ref.path}${placeOf(ref)}`
    if (ref.kind === "mcp") return `@${ref.server}:${ref.uri}`
    return ref.kind === "url" ? ref.url : `file ${ref.content_id.slice(0, 15)}`
  },
  "file-attachment": ({ name }: FileAttachmentPart) => name,
  command: ({ id, raw }: CommandPart) => (typeof raw === "string" ? raw : id),
  mention: ({ target }: MentionPart) =>
    `@${target.kind}:${firstWord([target.name, target.path, target.id]) ?? ""}`,
  "editor-context": ({ kind, payload }: EditorContextPart) => {
    const { label, name, id, path } = payload
    const said = firstWord([label, name, path, id])
    return said === undefined ? `context: ${kind}` : `${kind}: ${said}`
  },
  "directory-ref": ({ ref }: DirectoryRefPart) => `folder ${ref.name}`,
  "skill-content": ({ name }: SkillContentPart) => `skill ${name}`,
  quote: ({ text }: QuotePart) => `quote: ${text}`,
}

function firstWord(values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string")
}

function unknownLabel({ type, text }: AnyPart): string {
  return typeof text === "string" && text.trim() !== "" ? `${type}: ${text}` : type
}

function placeOf({ range, entry }: Extract<FileRefPart["ref"], { kind: "path" }>): string {
  const inside = entry === undefined ? "" : `!/${entry}`
  if (!range) return inside
  const unit = range.unit === "byte" ? "bytes " : ""
  return `${inside}:${unit}${range.start}-${range.end}`
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
