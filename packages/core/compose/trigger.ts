import { isGap, isWhite, NAME, OPENER, SORTS, TRAITS, WIDE, WORD_CHARACTER } from "./characters.ts"

/** A command or a reference that is being typed: what a palette completes. */
export interface CompletionTrigger {
  readonly kind: "command" | "mention"
  /** Where its slash or at sign stands. */
  readonly from: number
  readonly to: number
  /** What was typed behind the sign; a quote that opens a path is not in it. */
  readonly query: string
}

/** A longer word is not being completed. */
export const MAX_QUERY_CHARACTERS = 256
const SLASH = 47
const QUOTE = 34

/** What is being typed at the cursor, if anything. Looks at one token and not at the text before it,
 *  so it costs the same wherever the cursor is. */
export function triggerAt(source: string, cursor: number): CompletionTrigger | undefined {
  const floor = Math.max(0, cursor - MAX_QUERY_CHARACTERS)
  const start = wordStart(source, cursor, floor)
  const before = start > 0 ? source.charCodeAt(start - 1) : undefined
  if (start === floor && before !== undefined && isWord(before)) return undefined
  return (
    commandTrigger(source, start, cursor) ??
    mentionTrigger(source, start, cursor) ??
    quotedTrigger(source, floor, cursor)
  )
}

function wordStart(source: string, cursor: number, floor: number): number {
  let at = cursor
  while (at > floor && isWord(source.charCodeAt(at - 1))) at--
  return at
}

function isWord(unit: number): boolean {
  return ((TRAITS[unit] ?? 0) & WORD_CHARACTER) !== 0
}

function commandTrigger(
  source: string,
  start: number,
  cursor: number,
): CompletionTrigger | undefined {
  if (source.charCodeAt(start) !== SLASH || start === cursor) return undefined
  if (start > 0 && !isWhite(source.charCodeAt(start - 1))) return undefined
  for (let at = start + 1; at < cursor; at++)
    if (!((TRAITS[source.charCodeAt(at)] ?? 0) & NAME)) return undefined
  return { kind: "command", from: start, to: cursor, query: source.slice(start + 1, cursor) }
}

function mentionTrigger(
  source: string,
  start: number,
  cursor: number,
): CompletionTrigger | undefined {
  let from = source.indexOf("@", start)
  for (; from >= 0 && from < cursor; from = source.indexOf("@", from + 1))
    if (mayReferAt(source, start, from))
      return { kind: "mention", from, to: cursor, query: source.slice(from + 1, cursor) }
  return undefined
}

/** Whether a reference may start here: only opening marks stand before it in its word. */
function mayReferAt(source: string, start: number, from: number): boolean {
  for (let at = from - 1; at >= start; at--) {
    const sort = SORTS[source.charCodeAt(at)]
    if (sort === WIDE) return true
    if (sort !== OPENER) return false
  }
  if (start === 0) return true
  const before = source.charCodeAt(start - 1)
  return isGap(before) || before === QUOTE
}

/** `@"my no`: a quoted path has spaces in it. */
function quotedTrigger(
  source: string,
  floor: number,
  cursor: number,
): CompletionTrigger | undefined {
  const near = source.slice(floor, cursor)
  const opened = near.lastIndexOf('@"')
  if (opened < 0) return undefined
  const query = near.slice(opened + 2)
  const from = floor + opened
  if (/["\n]/.test(query) || !mayReferAt(source, wordStart(source, from, floor), from))
    return undefined
  return { kind: "mention", from, to: cursor, query }
}
