import { oneLine } from "../command.ts"
import type { CommandFileFinding } from "../finding.ts"
import { MAX_HINT_CHARACTERS } from "../limits.ts"
import type { PartialFinding } from "./file.ts"
import type { YamlEntry, YamlReading, YamlValue } from "./yaml.ts"

/** The keys of a file's head, asked for by their kebab-case name: `argumentHint`, `argument_hint`
 *  and `argument-hint` are one. What looks wrong becomes a finding with its line. */
export class FrontMatterHead {
  readonly findings: CommandFileFinding[] = []
  readonly #path: string
  readonly #firstLine: number
  readonly #entries = new Map<string, YamlEntry>()

  /** `firstLine` is the line of the file at which the YAML begins. */
  constructor(path: string, firstLine: number, reading?: YamlReading) {
    this.#path = path
    this.#firstLine = firstLine
    if (reading?.type === "fault")
      this.note({
        level: "error",
        rule: "yaml",
        message: `the head cannot be read: ${reading.message}`,
        line: reading.line,
      })
    if (reading?.type !== "map") return
    for (const [key, entry] of reading.entries) this.#entries.set(kebab(key), entry)
    for (const { line, message } of reading.repairs)
      this.note({ level: "warning", rule: "yaml", message, line })
  }

  /** `line` counts within the head. */
  note({ line = 1, ...told }: PartialFinding): void {
    const at = Math.max(1, this.#firstLine + line - 1)
    if (this.findings.some((known) => known.line === at && known.message === told.message)) return
    this.findings.push({ ...told, path: this.#path, line: at })
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  lineOf(key: string): number {
    return this.#entries.get(key)?.line ?? 1
  }

  /** A text; what YAML took for a list is the text its author wrote. */
  text(key: string): string | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.value === "") return undefined
    if (typeof entry.value === "string") return entry.value
    this.note({
      level: "note",
      rule: "yaml",
      message: `${key} is a YAML list here; it was read as the text it is`,
      line: entry.line,
    })
    return entry.written.trim()
  }

  line(key: string, maxCharacters?: number): string | undefined {
    const text = this.text(key)
    return text === undefined ? undefined : oneLine(text, maxCharacters) || undefined
  }

  hint(): string | undefined {
    return this.line("argument-hint", MAX_HINT_CHARACTERS)
  }

  flag(key: string): boolean | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const word = typeof entry.value === "string" ? entry.value.toLowerCase() : entry.written
    if (TRUE.has(word)) return true
    if (FALSE.has(word)) return false
    this.note({
      level: "warning",
      rule: "value",
      message: `${key} must be true or false, not ${oneLine(word, 40)}`,
      line: entry.line,
    })
    return undefined
  }

  /** A list, or a text with its items between commas or spaces. Brackets keep what is in them. */
  list(key: string): string[] | undefined {
    const value = this.value(key)
    if (value === undefined || value === "") return undefined
    if (Array.isArray(value)) return value.filter((item) => typeof item === "string")
    if (typeof value !== "string") return undefined
    return value.match(ITEM)?.map((item) => item.trim())
  }

  value(key: string): YamlValue | undefined {
    return this.#entries.get(key)?.value
  }

  /** The other keys, as they are. */
  rest(taken: readonly string[]): Record<string, YamlValue> {
    const others = [...this.#entries].filter(([key]) => !taken.includes(key))
    return Object.fromEntries(others.map(([key, { value }]) => [key, value]))
  }
}

const TRUE = new Set(["true", "yes", "on"])
const FALSE = new Set(["false", "no", "off"])
// `Bash(git add:*)` is one item, with the space and the comma inside its parentheses.
const ITEM = /(?:[^\s,()]|\([^()]*\))+/g

function kebab(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase()
}
