import { type Finding, redactInSteps } from "./redact.ts"
import { finish, type Steps } from "./slices.ts"

export interface RedactedValue {
  readonly value: unknown
  readonly findings: readonly Finding[]
  readonly gaveUp: boolean
}

/** Deeper than this nothing is looked at. */
const MAX_DEPTH = 128
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Data without the secrets in its strings, at any depth and in keys too. A string's key counts as its
 *  name, so that `{ "password": "…" }` gives itself away here as it does in a text. */
export function redactValue(value: unknown): RedactedValue {
  return finish(redactValueInSteps(value))
}

export function* redactValueInSteps(value: unknown): Steps<RedactedValue> {
  const walk = new Walk()
  const clean = yield* walk.visit(value, "", 0)
  return { value: clean, findings: walk.findings(), gaveUp: walk.gaveUp }
}

class Walk {
  gaveUp = false
  #characters = 0
  readonly #found = new Map<string, number>();

  *visit(value: unknown, key: string, depth: number): Steps<unknown> {
    if (typeof value === "string") return yield* this.#string(value, key)
    if (typeof value !== "object" || value === null) return value
    if (depth >= MAX_DEPTH) {
      this.gaveUp = true
      return null
    }
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(yield* this.visit(item, key, depth + 1))
      return items
    }
    const entries: [string, unknown][] = []
    for (const [name, item] of Object.entries(value))
      entries.push([yield* this.#string(name, ""), yield* this.visit(item, name, depth + 1)])
    yield
    return Object.fromEntries(entries)
  }

  findings(): Finding[] {
    return Array.from(this.#found, ([kind, count]) => ({ kind, count, lines: [] }))
  }

  *#string(text: string, key: string): Steps<string> {
    this.#characters += text.length
    if (this.#characters > MAX_CHARACTERS) this.gaveUp = true
    if (this.gaveUp || text.length < SHORTEST_SECRET) return text
    const clean = yield* this.#look(text)
    if (clean !== text || !NAME.test(key) || text.length > LONGEST_NAMED) return clean
    // As a file of settings has it.
    const lead = `${key}=`
    return (yield* this.#look(lead + text)).slice(lead.length)
  }

  *#look(text: string): Steps<string> {
    const { text: clean, findings, gaveUp } = yield* redactInSteps(text)
    if (gaveUp) this.gaveUp = true
    for (const { kind, count } of findings)
      this.#found.set(kind, (this.#found.get(kind) ?? 0) + count)
    return clean
  }
}

const SHORTEST_SECRET = 6

const LONGEST_NAMED = 4096
const NAME = /^[\w.-]{1,64}$/
