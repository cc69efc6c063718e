import type { AnyPart } from "../client/client.ts"
import type { KnownNode } from "../compose/node.ts"
import type { Attachment } from "./attachments.ts"

/** A message on its way out, kept until the server has it. */
export interface Outgoing {
  readonly id: string
  readonly text: string
  /** Only where they say more than the text. */
  readonly nodes?: readonly KnownNode[]
  readonly attachments: readonly Attachment[]
  /** It is asked in a sidecar. */
  readonly isBeside?: true
}

/** What an editor knows of the draft; it is asked when it is needed. */
export interface Writing {
  readonly text: () => string
  readonly nodes: () => readonly KnownNode[] | undefined
}

/** A draft that was put aside. */
export interface Stashed {
  readonly text: string
  readonly attachments: readonly AnyPart[]
  readonly at: number
}

/** What lies on the composer for one session. */
export interface Draft {
  text: string
  empty: boolean
  attachments: readonly Attachment[]
  outgoing: readonly Outgoing[]
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

export const EMPTY_DRAFT: Draft = {
  text: "",
  empty: true,
  attachments: [],
  outgoing: [],
  stash: [],
  revision: 0,
  amends: 0,
  base: 0,
  dirty: false,
}

export function partsIn(attachments: readonly Attachment[]): AnyPart[] {
  return attachments.flatMap(({ part }) => (part ? [part] : []))
}

/** A number that tells two messages apart (FNV-1a). */
export function markOf({ text, attachments }: Pick<Draft, "text" | "attachments">): number {
  let hash = 0x811c9dc5
  for (const char of JSON.stringify([text, partsIn(attachments)]))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash
}
