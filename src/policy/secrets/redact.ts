import { findSecrets, type Secret } from "./find-secrets.ts"

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
  const { secrets, gaveUp } = findSecrets(text)
  if (secrets.length === 0) return { text, findings: [], gaveUp }
  const pieces: string[] = []
  let from = 0
  for (const { kind, start, end } of secrets) {
    const breaks = text.slice(start, end).match(/\r?\n/g) ?? []
    pieces.push(text.slice(from, start), marker(kind), ...breaks)
    from = end
  }
  pieces.push(text.slice(from))
  return { text: pieces.join(""), findings: findingsOf(text, secrets), gaveUp }
}

function marker(kind: string): string {
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
