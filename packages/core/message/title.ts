/** Controls, and marks that turn the direction of what follows. A title is shown in lists, terminals among
 *  them, which would obey them. */
const MARKS = "\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069"

/** What a title is made of: one line without controls. */
export const TITLE_PATTERN = new RegExp(`^[^${MARKS}]*$`, "u")

/** A title without what it may not hold, where nobody is there to be refused. */
export function cleanTitle(text: string): string {
  return text.replace(new RegExp(`[${MARKS}]+`, "gu"), " ").trim()
}
