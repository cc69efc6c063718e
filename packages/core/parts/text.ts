import type { z } from "zod"
import { verdict } from "../file/verdict.ts"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { asItCame, definePart, none } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z }: Schemas) =>
  z.looseObject({
    type: z.literal("text"),
    text: z.string().max(MAX_TEXT_CHARACTERS),
  })
export type TextPart = z.infer<ReturnType<typeof schema>>

export const textChip: PartChip<TextPart> = {
  look: "words",
  tone: "plain",
  icon: "none",
  label: ({ text }) => text.trim().replaceAll(/\s+/g, " "),
  title: noTitle,
  mark: ({ text }) => (text.trim() === "" ? "blank text" : `text: ${text}`),
  line: ({ text }) => text.trimEnd(),
  file: nothing,
  needs: nothing,
}

/** Words that somebody typed, or that a command came to. */
export const textPart = /* @__PURE__ */ definePart({
  type: "text",
  schema,
  texts: { text: "paste" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: ({ text }) =>
    text.trim() === ""
      ? verdict("resolved-out", "CMP-103", { reason: "There is no text in it." })
      : verdict("inlined", "CMP-103", { reason: "Sent as it was typed.", text }),
  voice: () => "user",
  words: ({ text }) => text.toWellFormed(),
  acp: (part) => ({
    block: { type: "text", text: part.text },
    ...(Object.keys(part).length === 2 ? {} : { lost: "only the text of it is carried" }),
  }),
  keep: asItCame,
  source: ({ text }) => [text],
  names: none,
  chip: textChip,
  example: { type: "text", text: "What does this do?" },
})
