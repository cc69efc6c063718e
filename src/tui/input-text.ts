const MAX_LINES = 200

/** What a call would be given, to be read by whoever says yes to it: all of it, a field at a time, and
 *  text as it is. What is too long to be shown is counted. */
export function inputText(input: unknown): string {
  const lines = fieldsOf(input).flatMap(([name, value]) => fieldLines(name, value))
  const left = lines.length - MAX_LINES
  if (left <= 0) return lines.join("\n")
  return [
    ...lines.slice(0, MAX_LINES),
    `… and ${left} more lines: compositor inspect shows them`,
  ].join("\n")
}

function fieldsOf(input: unknown): (readonly [string, unknown])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return input === undefined ? [] : [["input", input]]
  return Object.entries(input)
}

function fieldLines(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  const lines = text.split("\n")
  return lines.length === 1
    ? [`  ${name}: ${text}`]
    : [`  ${name}:`, ...lines.map((line) => `    ${line}`)]
}
