import type { AnyPart } from "../client/client.ts"
import type { Vocabulary } from "../compose/vocabulary.ts"
import type { StoredMessage, StoredPart } from "../message/row.ts"

export function partOf(part: StoredPart): AnyPart {
  return { ...part.data, type: part.type }
}

export function textIn(part: StoredPart): string {
  return typeof part.data.text === "string" ? part.data.text : ""
}

/** What the user put into a message; what was made of it is made again. */
export function ownParts(message: StoredMessage): AnyPart[] {
  return message.parts.filter((part) => part.data.derived_from === undefined).map(partOf)
}

const BESIDE = new Set(["file-attachment", "editor-context", "directory-ref", "quote"])

/** A message as something to write on: what was typed, and what went with it. */
export async function sourceOf(
  message: StoredMessage,
  vocabulary: Vocabulary,
): Promise<{ source: string; rest: readonly AnyPart[] }> {
  const own = ownParts(message)
  const typed = typedSource(message)
  if (typed !== undefined) {
    const rest = own.filter((part) => BESIDE.has(part.type) && part.from_node === undefined)
    return { source: typed, rest }
  }
  const { inputOfParts } = await import("../compose/edit-parts.ts")
  return inputOfParts(own, vocabulary)
}

/** What was typed, where it is known. */
export function typedSource({ metadata }: StoredMessage): string | undefined {
  const input = metadata.composer_input as { source?: unknown } | undefined
  return typeof input?.source === "string" ? input.source : undefined
}

export function editKey(message: string): string {
  return `edit.${message}`
}
