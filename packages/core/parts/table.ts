import type { PartChip } from "./chip.ts"
import { commandChip, commandPart } from "./command.ts"
import type { PartData, PartDefinition } from "./define-part.ts"
import { directoryRefChip, directoryRefPart } from "./directory-ref.ts"
import { editorContextChip, editorContextPart } from "./editor-context.ts"
import { fileAttachmentChip, fileAttachmentPart } from "./file-attachment.ts"
import { fileRefChip, fileRefPart } from "./file-ref.ts"
import { mentionChip, mentionPart } from "./mention.ts"
import { quoteChip, quotePart } from "./quote.ts"
import { skillContentChip, skillContentPart } from "./skill-content.ts"
import { textChip, textPart } from "./text.ts"
import { unknownChip, unknownPart } from "./unknown.ts"

/** Every type of part, by its name. Whoever asks something of a part asks its definition here. */
export const PARTS = {
  text: textPart,
  "file-ref": fileRefPart,
  "file-attachment": fileAttachmentPart,
  command: commandPart,
  mention: mentionPart,
  "editor-context": editorContextPart,
  "directory-ref": directoryRefPart,
  "skill-content": skillContentPart,
  quote: quotePart,
  unknown: unknownPart,
} as const

/** A part of a user's message, in memory. */
export type Part = (typeof PARTS)[keyof typeof PARTS]["example"]

/** How each type is shown. Apart from `PARTS`, so that a page that only shows parts loads no schemas. */
export const CHIPS: { readonly [Type in Part["type"]]: PartChip<Extract<Part, { type: Type }>> } = {
  text: textChip,
  "file-ref": fileRefChip,
  "file-attachment": fileAttachmentChip,
  command: commandChip,
  mention: mentionChip,
  "editor-context": editorContextChip,
  "directory-ref": directoryRefChip,
  "skill-content": skillContentChip,
  quote: quoteChip,
  unknown: unknownChip,
}

/** The definition of a part. */
export function definitionOf(part: Part): PartDefinition<Part> {
  return PARTS[part.type]
}

export function chipOf(part: Part): PartChip<Part> {
  return CHIPS[part.type]
}

/** Whether a part is words of the sentence itself, and not something that stands in it. */
export function isWords(part: PartData): boolean {
  return chipOf(openPart(part)).look === "words"
}

/** A part as it is written: one that is unknown goes out as it came. */
export function writePart(part: Part): PartData {
  return part.type === "unknown" ? part.raw : part
}

/** Whether a type is one that this version knows. */
export function isKnownType(type: string): boolean {
  return type !== "unknown" && Object.hasOwn(CHIPS, type)
}

/** A part that this version wrote, or one that it let in: its shape was looked at then. */
export function openPart(data: PartData): Part {
  return isOurs(data) ? data : { type: "unknown", raw: data }
}

function isOurs(data: PartData): data is Exclude<Part, { type: "unknown" }> {
  return isKnownType(data.type)
}
