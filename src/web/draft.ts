import type { AnyPart } from "../client/client.ts"
import type { FileRefPart, Range } from "../message/part.ts"

/** An `@path#L10-25` in the source. With a `fault` it stays text, and the composer says why. */
export interface Reference {
  readonly from: number
  readonly to: number
  readonly path: string
  readonly range?: Range
  readonly fault?: "inverted" | "zero"
}

/** What is sent: the source cut at its references, in order, and then what is attached. */
export function partsOfDraft(source: string, attachments: readonly AnyPart[] = []): AnyPart[] {
  const parts: AnyPart[] = []
  let at = 0
  for (const reference of referencesIn(source)) {
    if (reference.fault) continue
    parts.push({ type: "text", text: source.slice(at, reference.from) })
    parts.push(fileRef(reference))
    at = reference.to
  }
  parts.push({ type: "text", text: source.slice(at) })
  return [...trimmed(parts), ...attachments]
}

/** The way back, for a message that is edited: text and file references as typed, the rest beside. */
export function draftOfParts(parts: readonly AnyPart[]): { text: string; rest: AnyPart[] } {
  let text = ""
  const rest: AnyPart[] = []
  for (const part of parts) {
    const typed = typedForm(part)
    if (typed === undefined) rest.push(part)
    else if (part.type === "file-ref" && /\S$/.test(text)) text += ` ${typed}`
    else if (text.endsWith(TYPED_END) && /^[^\s.,;:!?)\]}]/.test(typed)) text += ` ${typed}`
    else text += typed
    if (part.type === "file-ref" && typed !== undefined) text += TYPED_END
  }
  return { text: text.replaceAll(TYPED_END, ""), rest }
}

/** Every reference outside code, in order. A path has a slash or a dot and starts a word. */
export function referencesIn(source: string): Reference[] {
  const found: Reference[] = []
  let fence = ""
  let at = 0
  for (const line of source.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ""
    if (fence === "" && mark === "") found.push(...referencesInLine(line, at))
    if (fence === "") fence = mark
    else if (mark.startsWith(fence) && line.trim() === mark) fence = ""
    at += line.length + 1
  }
  return found
}

// Where a reference ended, so that the way back does not glue a word to its path. It cannot be
// typed: it is a noncharacter.
const TYPED_END = "\uFFFE"

const TOKEN =
  /(?<code>(`+)[^`]*\2(?!`))|(?<=^|[\s([{])@(?:"(?<quoted>[^"]+)"|(?<bare>[^\s"`#]+))(?:#L(?<start>\d{1,9})(?:[-:]L?(?<end>\d{1,9}))?(?![\w-]))?/g

function referencesInLine(line: string, offset: number): Reference[] {
  const found: Reference[] = []
  for (const match of line.matchAll(TOKEN)) {
    const { quoted, bare, start, end } = match.groups ?? {}
    const ranged = start !== undefined
    const path = quoted ?? (ranged ? bare : withoutPunctuation(bare ?? ""))
    if (!path || (quoted === undefined && !isPath(path))) continue
    const from = offset + match.index
    const length = ranged || quoted ? match[0].length : path.length + 1
    const reference = { from, to: from + length, path }
    found.push(ranged ? { ...reference, ...lines(Number(start), Number(end ?? start)) } : reference)
  }
  return found
}

function isPath(path: string): boolean {
  return /[./]/.test(path) && /[^./]/.test(path) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path)
}

function lines(start: number, end: number): Pick<Reference, "range" | "fault"> {
  if (start < 1) return { fault: "zero" }
  if (end < start) return { fault: "inverted" }
  return { range: { start, end } }
}

const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" }

/** "(see @src/a.ts)." names src/a.ts, and app/(home)/[id].tsx keeps its brackets. */
function withoutPunctuation(word: string): string {
  let end = word.length
  for (; end > 0; end--) {
    const last = word[end - 1] ?? ""
    const opener = OPENERS[last]
    if (opener ? word.slice(0, end).includes(opener) : !".,;:!?'".includes(last)) break
  }
  return word.slice(0, end)
}

function fileRef({ path, range }: Reference): FileRefPart {
  return { type: "file-ref", ref: { kind: "path", path, ...(range ? { range } : {}) } }
}

function typedForm(part: AnyPart): string | undefined {
  if (part.type === "text") return typeof part.text === "string" ? part.text : undefined
  if (part.type !== "file-ref") return undefined
  const { ref } = part as FileRefPart
  if (ref.kind !== "path" || ref.range?.unit === "byte" || ref.path.includes('"')) return undefined
  const { range } = ref
  const span = range && range.start !== range.end ? `-${range.end}` : ""
  const fragment = range ? `#L${range.start}${span}` : ""
  const bare = `@${ref.path}${fragment}`
  const [again] = referencesIn(bare)
  const exact = again?.path === ref.path && again.to === bare.length
  return exact ? bare : `@"${ref.path}"${fragment}`
}

/** White space at the ends and between two references says nothing to a model. */
function trimmed(parts: readonly AnyPart[]): AnyPart[] {
  const last = parts.length - 1
  return parts.flatMap((part, at) => {
    if (part.type !== "text" || typeof part.text !== "string") return [part]
    let text = at === 0 ? part.text.trimStart() : part.text
    if (at === last) text = text.trimEnd()
    return text.trim() === "" ? [] : [{ type: "text", text }]
  })
}
