import { type Finding, redact } from "./redact.ts"

export interface RedactedValue {
  readonly value: unknown
  readonly findings: readonly Finding[]
  readonly gaveUp: boolean
}

/** Deeper than this nothing is looked at. */
const MAX_DEPTH = 64
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Data without the secrets in its strings. A string's key counts as its name, so that
 *  `{ "password": "…" }` gives itself away here as it does in a text. */
export function redactValue(value: unknown): RedactedValue {
  const walk = new Walk()
  const clean = walk.visit(value, "", 0)
  return { value: clean, findings: walk.findings(), gaveUp: walk.gaveUp }
}

class Walk {
  gaveUp = false
  #characters = 0
  readonly #found = new Map<string, number>()

  visit(value: unknown, key: string, depth: number): unknown {
    if (typeof value === "string") return this.#string(value, key)
    if (typeof value !== "object" || value === null) return value
    if (depth >= MAX_DEPTH) {
      this.gaveUp = true
      return null
    }
    if (Array.isArray(value)) return value.map((item) => this.visit(item, key, depth + 1))
    const entries = Object.entries(value).map(([name, item]) => [
      this.#string(name, ""),
      this.visit(item, name, depth + 1),
    ])
    return Object.fromEntries(entries)
  }

  findings(): Finding[] {
    return Array.from(this.#found, ([kind, count]) => ({ kind, count, lines: [] }))
  }

  #string(text: string, key: string): string {
    this.#characters += text.length
    if (this.#characters > MAX_CHARACTERS) this.gaveUp = true
    if (this.gaveUp || text.length < SHORTEST_SECRET) return text
    const clean = this.#look(text)
    if (clean !== text || !NAME.test(key) || text.length > LONGEST_NAMED) return clean
    // As a file of settings has it.
    const lead = `${key}=`
    return this.#look(lead + text).slice(lead.length)
  }

  #look(text: string): string {
    const { text: clean, findings, gaveUp } = redact(text)
    if (gaveUp) this.gaveUp = true
    for (const { kind, count } of findings)
      this.#found.set(kind, (this.#found.get(kind) ?? 0) + count)
    return clean
  }
}

const SHORTEST_SECRET = 6

const LONGEST_NAMED = 4096
const NAME = /^[\w.-]{1,64}$/
