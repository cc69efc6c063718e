import { BOUNDARY, CLOSER, isGap, isWhite, OPENER, SORTS, STOP, TRAITS } from "./characters.ts"
import type { ComposerNode } from "./node.ts"
import { type Chip, printNode } from "./print-node.ts"
import type { HandlerPayload } from "./slash-commands.ts"

/** What a composer shows: text, and chips in it. */
export type ComposerPiece = string | Chip

interface Serialized {
  readonly source: string
  readonly nodes: readonly ComposerNode[]
}

/** One canonical source for what is visible, and a node for every chip, whose boundaries are exact
 *  however many words it has (EA-040). A chip that knows its `raw` is written as it is; around one
 *  that is printed here, a space is added where it would run into the text. */
export function serialize(pieces: readonly ComposerPiece[]): Serialized {
  const texts: string[] = []
  const nodes: ComposerNode[] = []
  let length = 0
  let before: Written | undefined
  for (const piece of pieces) {
    const written = writtenOf(piece)
    const { text, chip } = written
    const space = before && needsSpace(before, written) ? " " : ""
    const start = length + space.length
    length = start + text.length
    texts.push(space, text)
    if (chip) nodes.push({ ...chip, start, end: length, raw: text })
    if (text !== "") before = written
  }
  return { source: texts.join(""), nodes }
}

/** The way back: the text between the nodes, and the nodes as chips that know how they were written. */
export function piecesOf({ source, nodes = [] }: HandlerPayload): ComposerPiece[] {
  const pieces: ComposerPiece[] = []
  let at = 0
  for (const { start, end, ...chip } of nodes) {
    if (start > at) pieces.push(source.slice(at, start))
    pieces.push(chip)
    at = end
  }
  if (at < source.length) pieces.push(source.slice(at))
  return pieces
}

/** The nodes of a source in which some were chosen as chips: a chip hides what the parser found in
 *  its place. Both lists are in order. */
export function withChips(
  parsed: readonly ComposerNode[],
  chips: readonly ComposerNode[],
): ComposerNode[] {
  const nodes: ComposerNode[] = []
  let next = 0
  for (const chip of chips) {
    for (let node = parsed[next]; node && node.start < chip.end; node = parsed[++next])
      if (node.end <= chip.start) nodes.push(node)
    nodes.push(chip)
  }
  return [...nodes, ...parsed.slice(next)]
}

interface Written {
  readonly text: string
  readonly chip?: Chip
  /** The text was found here, and may be kept apart from its neighbours. */
  readonly printed: boolean
}

function writtenOf(piece: ComposerPiece): Written {
  if (typeof piece === "string") return { text: piece, printed: false }
  if (piece.raw !== undefined) return { text: piece.raw, chip: piece, printed: false }
  return { text: printNode(piece), chip: piece, printed: true }
}

function needsSpace(before: Written, next: Written): boolean {
  if (next.printed && (before.chip || runsInto(before.text, next.text))) return true
  return before.printed && runsOn(before.text, next.text)
}

/** Whether the chip would become a part of the text it follows. */
function runsInto(text: string, chip: string): boolean {
  if (!chip.startsWith("@")) return text !== "" && !isWhite(text.charCodeAt(text.length - 1))
  let at = text.length - 1
  while (at >= 0 && SORTS[text.charCodeAt(at)] === OPENER) at--
  return at >= 0 && !isGap(text.charCodeAt(at))
}

/** Whether the text would become a part of the chip it follows. Behind a quote, little does. */
function runsOn(chip: string, text: string): boolean {
  if (chip.endsWith('"') && !/^["#:!]/.test(text)) return false
  for (let at = 0; at < text.length; at++) {
    const trait = TRAITS[text.charCodeAt(at)] ?? 0
    if (trait & BOUNDARY) return false
    if (!(trait & (STOP | CLOSER))) return true
  }
  return false
}
