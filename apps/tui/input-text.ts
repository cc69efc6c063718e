const MAX_LINES = 200
const MAX_CHARACTERS = 16 * 1024

/** What a call would be given, to be read by whoever says yes to it: all of it, a field at a time, and
 *  text as it is. What is too long to be shown is told. */
export function readInputText(input: unknown): string {
  const all = fieldsOf(input).flatMap(([name, value]) => fieldLines(name, value))
  const text = all.slice(0, MAX_LINES).join("\n")
  const shown = text.slice(0, MAX_CHARACTERS)
  const left = all.join("\n").length - shown.length
  if (left === 0) return shown
  return `${shown}\n… and ${left} more characters, which are not shown: compositor inspect has them`
}

function fieldsOf(input: unknown): (readonly [string, unknown])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return input === undefined ? [] : [["input", input]]
  return Object.entries(input)
}

function fieldLines(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  const lines = text.split("\n")
  if (lines.length === 1) return [`  ${name}: ${text}`]
  return [`  ${name}:`, ...lines.map((line) => `    ${line}`)]
}
