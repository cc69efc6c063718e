import type { PartData } from "../parts/define-part.ts"
import { chipOf, isWords, openPart } from "../parts/table.ts"
import type { Metadata, StoredPart } from "../message/row.ts"
import { isSamePart, ownParts } from "./keep-parts.ts"
import { type SourceInsert, isLookalike, nodesOfTyped, partsOfTyped, wordsIn } from "./typed.ts"
import type { ComposerNode } from "./node.ts"
import { type CommandKind, DEFAULT_CONTEXTS, type Vocabulary } from "./vocabulary.ts"

/** A message as something to write on. What text cannot carry is a part that stands in it or follows
 *  it; an editor shows each as a chip. */
export interface EditableMessage {
  readonly source: string
  /** Words of the source that look like commands or references, and are words. */
  readonly literals: readonly string[]
  /** Parts that stand in the source, in order. */
  readonly inserts: readonly SourceInsert[]
  /** Parts that follow the source. */
  readonly rest: readonly PartData[]
}

interface Opened {
  readonly metadata: Metadata
  readonly parts: readonly StoredPart[]
}

/** Open a message for editing, whoever sent it and however. Saved unchanged, it gives the same parts in
 *  the same order: what was typed is taken for the text only where reading it again makes the very parts
 *  that were stored, and a text part only where an editor can hold it (QUE-009). */
export function openMessage({ metadata, parts }: Opened): EditableMessage {
  const own = ownParts(parts)
  return openTyped(metadata, own) ?? openParts(own)
}

/** What a server is told of it, to send or to save. */
export function bodyOfEditable({ source, literals, inserts, rest }: EditableMessage) {
  if (source.trim() === "") return { parts: [...inserts.map(({ part }) => part), ...rest] }
  return {
    source,
    ...(inserts.length > 0 ? { inserts } : {}),
    ...(literals.length > 0 ? { literals } : {}),
    parts: rest,
  }
}

interface BesideWords {
  /** Parts that come before the words. */
  readonly leading: readonly PartData[]
  readonly following: readonly PartData[]
}

/** What stays where somebody says a message's words anew. Its words are what was typed, or, where nobody
 *  typed, its texts (QUE-009). */
export function partsBesideWords({ metadata, parts }: Opened): BesideWords {
  const own = ownParts(parts)
  const isWords = wordsAmong(metadata, own)
  const first = isWords.indexOf(true)
  const beside = (at: number) => !isWords[at]
  return {
    leading: own.filter((_, at) => beside(at) && at < first),
    following: own.filter((_, at) => beside(at) && at >= first),
  }
}

function wordsAmong({ composer_input }: Metadata, own: readonly PartData[]): boolean[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server checked it when it was sent
  const input = composer_input as Typed | undefined
  if (typeof input?.source !== "string") return own.map(isWords)
  const typed = partsOfTyped(input, vocabularyOf(own))
  let at = 0
  return own.map((part) => {
    const found = typed.findIndex((each) => isSamePart(part, each))
    if (found >= 0) return typed.splice(found, 1).length > 0
    // A part in the middle cuts a text in two, and a secret that was removed changes it.
    if (!isWords(part)) return false
    const place = input.source.indexOf(String(part.text), at)
    at = Math.max(at, place)
    return place >= 0 || part.ingress !== undefined
  })
}

/** Whether an editor can hold a text as it is: one takes the ends of lines for its own, and shows no
 *  characters that control a screen or turn the direction of what follows. */
export function isShowable(text: string): boolean {
  return !UNSHOWN.test(text) && text.isWellFormed()
}

// oxlint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

interface Typed {
  readonly source: string
  readonly nodes?: readonly ComposerNode[]
}

function openTyped(
  { composer_input }: Metadata,
  own: readonly PartData[],
): EditableMessage | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server checked it when it was sent
  const input = composer_input as Typed | undefined
  if (typeof input?.source !== "string" || !isShowable(input.source)) return undefined
  const { source } = input
  const vocabulary = vocabularyOf(own)
  const nodes = input.nodes ?? nodesOfTyped({ source }, vocabulary)
  const literals = lookalikes(source, nodes)
  const typed = partsOfTyped({ source, literals }, vocabulary)
  const isAll = typed.every((part, at) => own[at] !== undefined && isSamePart(own[at], part))
  return isAll ? { source, literals, inserts: [], rest: own.slice(typed.length) } : undefined
}

/** Words that the parser may take for something, and that nobody took for it. */
function lookalikes(source: string, nodes: readonly ComposerNode[]): string[] {
  const found = new Set<string>()
  let next = 0
  for (const { from, to, word } of wordsIn(source)) {
    while (nodes[next] && (nodes[next]?.end ?? 0) <= from) next++
    const isTaken = (nodes[next]?.start ?? source.length) < to
    if (!isTaken && isLookalike(word)) found.add(word)
  }
  return [...found]
}

/** The words that the parts themselves show to have been known. */
function vocabularyOf(parts: readonly PartData[]): Vocabulary {
  const commands = new Map<string, CommandKind>()
  const mentions = new Set<string>()
  const servers = new Set<string>()
  for (const part of parts.map(openPart))
    for (const { of, name } of chipOf(part).needs(part)) {
      if (of === "command") commands.set(name, "template")
      else if (of === "mention") mentions.add(name)
      else servers.add(name)
    }
  return { commands, mentions: [...mentions], contexts: DEFAULT_CONTEXTS, servers: [...servers] }
}

/** Texts are text, everything else stands between them. Of two texts that touch, the second stands as
 *  a part too: typed together they would be one. */
function openParts(own: readonly PartData[]): EditableMessage {
  const inserts: SourceInsert[] = []
  const literals = new Set<string>()
  let source = ""
  let waiting: PartData[] = []
  for (const part of own) {
    const touches = source !== "" && waiting.length === 0
    if (!isTypable(part) || touches) {
      waiting.push(part)
      continue
    }
    for (const before of waiting) inserts.push({ at: source.length, part: before })
    waiting = []
    source += part.text
    for (const word of lookalikes(part.text, [])) literals.add(word)
  }
  const opened = { source, literals: [...literals], inserts, rest: waiting }
  return givesBack(opened, own) ? opened : { source: "", literals: [], inserts: [], rest: own }
}

function isTypable(part: PartData): part is PartData & { readonly text: string } {
  if (!isWords(part) || typeof part.text !== "string") return false
  return part.text.trim() !== "" && isShowable(part.text) && isSamePart(part, plainText(part.text))
}

function plainText(text: string): PartData {
  return { type: "text", text }
}

function givesBack(opened: EditableMessage, own: readonly PartData[]): boolean {
  const parts = [...partsOfTyped(opened, vocabularyOf(own)), ...opened.rest]
  return (
    parts.length === own.length &&
    parts.every((part, at) => own[at] !== undefined && isSamePart(own[at], part))
  )
}
