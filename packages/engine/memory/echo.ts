/** Lines that say nothing by themselves, such as a bracket. */
const MIN_LINE_CHARACTERS = 8
const MIN_LINES = 5
const MOSTLY = 0.6

/** Whether a text is mostly lines of one of these files. A quoted line or two is no copy. */
export function isMostly(text: string, files: readonly string[]): boolean {
  const lines = tellingLines(text)
  if (lines.length < MIN_LINES) return false
  return files.some((file) => {
    const theirs = new Set(tellingLines(file))
    const same = lines.filter((line) => theirs.has(line)).length
    return same / lines.length >= MOSTLY
  })
}

function tellingLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE_CHARACTERS)
}
