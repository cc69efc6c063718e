import { showName } from "../file/name.ts"
import { verdict } from "../file/verdict.ts"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { asItCame, definePart, none, type PartData, type SourcePiece } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

/** A part that another version wrote. It is so only in memory: what is stored, answered and exported is
 *  `raw`, as it came (CMP-114, CMP-121). */
export interface UnknownPart {
  readonly type: "unknown"
  readonly raw: PartData
}

const schema = ({ z }: Schemas) =>
  z
    .looseObject({
      type: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "must be a lower-case name"),
      text: z.string().max(MAX_TEXT_CHARACTERS).optional(),
    })
    .transform((raw): UnknownPart => ({ type: "unknown", raw }))

export const unknownChip: PartChip<UnknownPart> = {
  look: "unsupported",
  tone: "plain",
  icon: "none",
  label: ({ raw }) => (typeof raw.text === "string" ? raw.text : raw.type),
  title: noTitle,
  mark: ({ raw }) => (hasText(raw) ? `${raw.type}: ${String(raw.text)}` : raw.type),
  line: ({ raw }) => {
    if (typeof raw.text === "string") return raw.text.trimEnd()
    return `[${raw.type}${typeof raw.kind === "string" ? ` ${raw.kind}` : ""}]`
  },
  file: nothing,
  needs: nothing,
}

/** A part of a type that this version does not know: kept as it came, and shown by its text if it has
 *  one. */
export const unknownPart = /* @__PURE__ */ definePart({
  type: "unknown",
  schema,
  texts: { "**": "paste" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: ({ raw }) =>
    hasText(raw)
      ? verdict("inlined", "CMP-121", {
          reason: "This version does not know the part, so its text is shown.",
          text: String(raw.text),
        })
      : verdict("descriptor", "CMP-121", {
          reason: "This version does not know the part, and it has no text.",
          text: `[unsupported part: ${showName(raw.type)}]`,
        }),
  voice: () => "others",
  words: ({ raw }) => (typeof raw.text === "string" ? raw.text.toWellFormed() : ""),
  acp: ({ raw: { type, text } }) =>
    typeof text === "string" && text !== ""
      ? { block: { type: "text", text }, lost: `only the text of a ${type} part is carried` }
      : { block: { type: "text", text: `[${type}]` }, lost: `a ${type} part is only named` },
  keep: asItCame,
  source: ({ raw }) => piecesOf(raw),
  names: none,
  chip: unknownChip,
  example: { type: "unknown", raw: { type: "later-kind", text: "readable", more: { of: ["it"] } } },
})

function hasText({ text }: PartData): boolean {
  return typeof text === "string" && text.trim() !== ""
}

/** A node of a kind that nobody knows is written as it was typed. */
function piecesOf(part: PartData): SourcePiece[] {
  const { type: _type, node_kind: kind, text: raw, ...fields } = part
  return typeof kind === "string" && typeof raw === "string" ? [{ ...fields, kind, raw }] : none()
}
