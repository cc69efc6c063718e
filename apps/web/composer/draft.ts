import type { AnyPart, DraftBody } from "compositor-client/client"
import { bodyOfEditable } from "compositor-core/compose/editable"
import {
  findMarks,
  type PartMarks,
  positionInSource,
  readMarks,
} from "compositor-core/compose/marks"
import type { KnownNode } from "compositor-core/compose/node"
import { wordAt } from "compositor-core/compose/typed"
import type { ComposerAttachment } from "./attachments.ts"

/** What is written: a text, in which parts may stand as marks. */
export interface WrittenDraft {
  readonly text: string
  readonly marks: PartMarks
  /** Words that are words, whatever they look like. */
  readonly literals: readonly string[]
}

/** A message on its way out, kept until the server has it. */
export interface OutgoingSend extends WrittenDraft {
  readonly id: string
  /** Only where they say more than the text. */
  readonly nodes?: readonly KnownNode[]
  readonly attachments: readonly ComposerAttachment[]
  /** It is asked in a sidecar. */
  readonly isBeside?: true
}

/** What an editor knows of the draft; it is asked when it is needed. */
export interface Writing {
  readonly text: () => string
  readonly nodes: () => readonly KnownNode[] | undefined
}

/** A draft that was put aside. */
export interface Stashed extends WrittenDraft {
  readonly attachments: readonly AnyPart[]
  readonly at: number
}

/** What lies on the composer for one session. */
export interface ComposerDraft {
  text: string
  marks: PartMarks
  literals: readonly string[]
  empty: boolean
  attachments: readonly ComposerAttachment[]
  outgoing: readonly OutgoingSend[]
  stash: readonly Stashed[]
  /** The id a message had when it came back; the same message is sent under it again. */
  returned?: { readonly id: string; readonly mark: number }
  /** Reads the text out of the editor, where it is newer. */
  editor?: Writing
  /** Counts the times the text was set by something else than the editor. */
  revision: number
  /** Counts the times another surface changed it. */
  amends: number
  /** Which of the server's revisions this one began with, and whether it went on from there. */
  base: number
  dirty: boolean
}

export const EMPTY_DRAFT: ComposerDraft = {
  text: "",
  marks: {},
  literals: [],
  empty: true,
  attachments: [],
  outgoing: [],
  stash: [],
  revision: 0,
  amends: 0,
  base: 0,
  dirty: false,
}

export function partsIn(attachments: readonly ComposerAttachment[]): AnyPart[] {
  return attachments.flatMap(({ part }) => (part ? [part] : []))
}

/** What the server is told of a message: its words, the parts among them, and those behind. */
export function bodyOf(
  written: WrittenDraft,
  attachments: readonly AnyPart[],
  nodes: readonly KnownNode[] | undefined,
) {
  const { literals } = written
  const { source, inserts } = readMarks(written.text, written.marks)
  const body = bodyOfEditable({ source, literals, inserts, rest: attachments })
  if (!nodes || !("source" in body)) return body
  return { ...body, nodes: nodesInSource(written, nodes) }
}

/** The same of a draft, which the server only keeps. */
export function draftBodyOf(written: WrittenDraft, attachments: readonly AnyPart[]): DraftBody {
  const { source, inserts } = readMarks(written.text, written.marks)
  const { literals } = written
  return {
    source,
    attachments,
    ...(inserts.length > 0 ? { inserts } : {}),
    ...(literals.length > 0 ? { literals } : {}),
  }
}

function nodesInSource({ text, marks, literals }: WrittenDraft, nodes: readonly KnownNode[]) {
  const places = findMarks(text, marks)
  return nodes
    .filter(({ start, end }) => !places.some(({ from, to }) => start < to && from < end))
    .filter(({ start }) => !literals.some((literal) => wordAt(text, start).includes(literal)))
    .map((node) => {
      const start = positionInSource(places, node.start)
      return { ...node, start, end: start + node.end - node.start }
    })
}

/** A number that tells two messages apart (FNV-1a). */
export function markOf({ text, attachments }: Pick<ComposerDraft, "text" | "attachments">): number {
  let hash = 0x811c9dc5
  for (const char of JSON.stringify([text, partsIn(attachments)]))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash
}
