import type { StoredMessage, StoredPart } from "compositor-core/message/row"

export { partOf } from "compositor-core/compose/keep-parts"

export function textIn(part: StoredPart): string {
  return typeof part.data.text === "string" ? part.data.text : ""
}

/** What was typed, where it is known. */
export function typedSource({ metadata }: StoredMessage): string | undefined {
  const input = metadata.composer_input as { source?: unknown } | undefined
  return typeof input?.source === "string" ? input.source : undefined
}

export function editKey(message: string): string {
  return `edit.${message}`
}
