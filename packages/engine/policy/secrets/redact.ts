import type { Span } from "./detector.ts"
import { type Secret, searchSecrets } from "./find-secrets.ts"
import { finish, type Steps } from "./slices.ts"

/** What was removed, and where; never the secret itself. */
export interface Finding {
  readonly kind: string
  readonly count: number
  /** 1-based; the first of them when there are many. */
  readonly lines: readonly number[]
}

export interface Redacted {
  readonly text: string
  readonly findings: readonly Finding[]
  /** Not all of the text was looked through: what is left may hold secrets. */
  readonly gaveUp: boolean
}

const MAX_LINES_TOLD = 100

/** The text without its secrets. A line stays the line it was: where a secret went over several, the
 *  breaks are kept. */
export function redact(text: string): Redacted {
  return finish(redactInSteps(text))
}

export function* redactInSteps(text: string): Steps<Redacted> {
  const { secrets, gaveUp } = yield* searchSecrets(text)
  return { ...cutOut(text, secrets, { start: 0, end: text.length }), gaveUp }
}

/** A piece of a text without what of the whole text's secrets lies in it. Lines are the whole's. */
export function cutOut(
  text: string,
  secrets: readonly Secret[],
  piece: Span,
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

function findingsOf(text: string, secrets: readonly Secret[]): Finding[] {
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
