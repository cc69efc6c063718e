/** JSON with the comments and trailing commas that opencode allows; throws a sentence. */
export function readJson(text: string): unknown {
  return JSON.parse(text.replace(PAST_TEXT, keepText).replace(TRAILING_COMMA, keepText)) as unknown
}

// A text without its end is matched as well: looking for the end again and again would take for ever.
const PAST_TEXT = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g
const TRAILING_COMMA = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g

// Blanks in place of what goes, so that a fault is told at its true position.
function keepText(found: string): string {
  return found.startsWith('"') ? found : found.replace(/[^\n]/g, " ")
}
