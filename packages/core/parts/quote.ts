import type { z } from "zod"
import { showName } from "../file/name.ts"
import { type LoweredPart, verdict } from "../file/verdict.ts"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { asItCame, definePart, none } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, shortName }: Schemas) =>
  z.looseObject({
    type: z.literal("quote"),
    session_id: shortName,
    message_id: shortName,
    text: z.string().max(MAX_TEXT_CHARACTERS),
    range: z
      .object({ start: z.int().min(0), end: z.int().min(0) })
      .refine(({ start, end }) => end >= start, "must not end before it starts")
      .optional(),
  })
export type QuotePart = z.infer<ReturnType<typeof schema>>

export const quoteChip: PartChip<QuotePart> = {
  look: "quote",
  tone: "plain",
  icon: "none",
  label: ({ text }) => text,
  title: noTitle,
  mark: ({ text }) => `quote: ${text}`,
  line: ({ text }) => firstLines(text),
  file: nothing,
  needs: nothing,
}

/** Words of another conversation, and where they stand; the range is in UTF-16 units of what the message
 *  says (BEY-09). */
export const quotePart = /* @__PURE__ */ definePart({
  type: "quote",
  schema,
  texts: { text: "paste" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: lowerQuote,
  voice: () => "others",
  words: ({ text }) => `[quoted] ${text.toWellFormed()}`,
  acp: ({ text }) => ({
    block: { type: "text", text },
    lost: "a quote is carried without its source",
  }),
  keep: asItCame,
  source: none,
  names: none,
  chip: quoteChip,
  example: { type: "quote", session_id: "ses_1", message_id: "msg_1", text: "as we said" },
})

/** Words of another conversation under a line that says so; nobody takes them for the user's own. */
function lowerQuote({ session_id, message_id, text }: QuotePart): LoweredPart {
  if (text.trim() === "")
    return verdict("resolved-out", "BEY-09", { reason: "There is no text in the quote." })
  const from = `[quoted from message ${showName(message_id)} of session ${showName(session_id)}]`
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  return verdict("inlined", "BEY-09", {
    reason: "The quoted words are shown under their source.",
    text: [from, ...lines.map((line) => `> ${line}`)].join("\n"),
  })
}

const LINES_SHOWN = 3

/** Enough of the words to know which they are. */
function firstLines(text: string): string {
  const lines = text.trim().split("\n")
  const left = lines.length - LINES_SHOWN
  const shown = lines.slice(0, LINES_SHOWN).map((line) => `│ ${line}`)
  return [...shown, ...(left > 0 ? [`│ … ${left} more lines`] : [])].join("\n")
}
