import type { SecretSpan } from "./detector.ts"
import { runSteps, searchSecrets, type Secret, type Steps } from "./find-secrets.ts"

/** What was removed, and where; never the secret itself. */
export interface SecretFinding {
  readonly kind: string
  readonly count: number
  /** 1-based; the first of them when there are many. */
  readonly lines: readonly number[]
}

interface Redacted {
  readonly text: string
  readonly findings: readonly SecretFinding[]
  /** Not all of the text was looked through: what is left may hold secrets. */
  readonly gaveUp: boolean
}

const MAX_LINES_TOLD = 100

/** The text without its secrets. A line stays the line it was: where a secret went over several, the
 *  breaks are kept. */
export function redact(text: string): Redacted {
  return runSteps(redactInSteps(text))
}

function* redactInSteps(text: string): Steps<Redacted> {
  const { secrets, gaveUp } = yield* searchSecrets(text)
  return { ...cutOut(text, secrets, { start: 0, end: text.length }), gaveUp }
}

/** A piece of a text without what of the whole text's secrets lies in it. Lines are the whole's. */
export function cutOut(
  text: string,
  secrets: readonly Secret[],
  piece: SecretSpan,
): Pick<Redacted, "text" | "findings"> {
  const inside = secrets.filter(({ start, end }) => start < piece.end && end > piece.start)
  if (inside.length === 0) return { text: text.slice(piece.start, piece.end), findings: [] }
  const pieces: string[] = []
  let from = piece.start
  for (const { kind, start, end } of inside) {
    const last = Math.min(end, piece.end)
    const breaks = text.slice(Math.max(start, piece.start), last).match(/\r?\n/g) ?? []
    pieces.push(text.slice(from, Math.max(start, from)), marker(kind), ...breaks)
    from = last
  }
  pieces.push(text.slice(from, piece.end))
  return { text: pieces.join(""), findings: findingsOf(text, inside) }
}

export function marker(kind: string): string {
  return `[redacted: ${kind}]`
}

function findingsOf(text: string, secrets: readonly Secret[]): SecretFinding[] {
  const kinds = new Map<string, { count: number; lines: number[] }>()
  let line = 1
  let feed = text.indexOf("\n")
  for (const { kind, start } of secrets) {
    while (feed >= 0 && feed < start) {
      line += 1
      feed = text.indexOf("\n", feed + 1)
    }
    const told = kinds.get(kind) ?? { count: 0, lines: [] }
    told.count += 1
    if (told.lines.at(-1) !== line && told.lines.length < MAX_LINES_TOLD) told.lines.push(line)
    kinds.set(kind, told)
  }
  return Array.from(kinds, ([kind, told]) => ({ kind, ...told }))
}

interface RedactedValue {
  readonly value: unknown
  readonly findings: readonly SecretFinding[]
  readonly gaveUp: boolean
}

/** Deeper than this nothing is looked at. */
const MAX_DEPTH = 128
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Data without the secrets in its strings, at any depth and in keys too. A string's key counts as its
 *  name, so that `{ "password": "…" }` gives itself away here as it does in a text. */
export function redactValue(value: unknown): RedactedValue {
  return runSteps(redactValueInSteps(value))
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

  findings(): SecretFinding[] {
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
