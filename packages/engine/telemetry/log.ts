import { currentSpan } from "./span.ts"

export const LEVELS = ["debug", "info", "warn", "error"] as const
type Level = (typeof LEVELS)[number]

/** What a line says beside its sentence: ids, counts and codes, never what anyone wrote. */
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface Log {
  (level: Level, message: string, fields?: Fields): void
}

export interface LogOptions {
  readonly format: "text" | "json"
  readonly level: Level
  readonly write: (line: string) => void
  /** A text without the secrets that whoever opens the log knows of; what looks like a key is left out
   *  in any case. */
  readonly sieve?: (text: string) => string
}

const MAX_MESSAGE = 16_384

/** A log whose every record is one line. */
export function newLog({ format, level, write, sieve = (text) => text }: LogOptions): Log {
  const least = LEVELS.indexOf(level)
  const print = format === "json" ? jsonLine : textLine
  return (at, message, fields = {}) => {
    if (LEVELS.indexOf(at) < least) return
    const said = removeSecrets(sieve(message.slice(0, MAX_MESSAGE)))
    write(`${print(at, said, sieved(fields, sieve))}\n`)
  }
}

function sieved(fields: Fields, sieve: (text: string) => string): Fields {
  const clean = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? sieve(value) : value,
  ])
  return Object.fromEntries(clean)
}

function jsonLine(level: Level, message: string, fields: Fields): string {
  const context = currentSpan()
  const trace = context ? { trace_id: context.trace_id, span_id: context.span_id } : {}
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...trace, ...fields })
}

function textLine(level: Level, message: string, fields: Fields): string {
  const said = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${value}`],
  )
  const words = [new Date().toISOString(), ...(level === "info" ? [] : [level]), message, ...said]
  return words.join(" ")
}

// What looks like a key is none of a log's business, wherever it was quoted.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, "$1 …"],
  [
    /\b(token|api[_-]?key|secret|password|signature|authorization)(["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
    "$1$2…",
  ],
  [/\b(?:sk|pk|cmp|ghp|xox[abp])[-_][\w-]{12,}/g, "…"],
  [/(\w+:\/\/[^\s/:@]+:)[^\s/@]+@/g, "$1…@"],
]

export function removeSecrets(message: string): string {
  return SECRETS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message)
}
