import type { CharacterRange, Glob, GlobToken } from "./glob.ts"

export const MAX_PATTERN_CHARACTERS = 4096

/** Read a pattern without its `!` and without the slash at its end. A slash anywhere else ties it to
 *  the folder of its list; without one it is held against names only. One that git could not read
 *  matches nothing, here as there. */
export function readGlob(pattern: string): Glob {
  if (pattern === "" || pattern.length > MAX_PATTERN_CHARACTERS) return NOTHING
  if (!pattern.includes("/")) return nameGlob(pattern)
  const path = pattern.startsWith("/") ? pattern.slice(1) : pattern
  if (!SPECIAL.test(path)) return { type: "path", path, depth: depthOf(path) }
  const tokens = tokensOf(path, true)
  return tokens ? { type: "path-pattern", tokens, depth: patternDepth(tokens) } : NOTHING
}

const NOTHING: Glob = { type: "nothing" }
const SPECIAL = /[*?[\\]/

function nameGlob(pattern: string): Glob {
  if (!SPECIAL.test(pattern)) return { type: "name", name: pattern }
  const ending = pattern.slice(1)
  if (pattern.startsWith("*") && !SPECIAL.test(ending)) return { type: "ending", ending }
  const tokens = tokensOf(pattern, false)
  return tokens ? { type: "name-pattern", tokens } : NOTHING
}

function patternDepth(tokens: readonly GlobToken[]): number | null {
  let depth = 1
  for (const token of tokens) {
    if (token.type === "folders" || token.type === "rest") return null
    if (token.type === "text") depth += depthOf(token.text) - 1
  }
  return depth
}

function depthOf(path: string): number {
  let depth = 1
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) depth += 1
  return depth
}

function tokensOf(pattern: string, isPath: boolean): GlobToken[] | undefined {
  const tokens: GlobToken[] = []
  let at = 0
  while (at < pattern.length) {
    const isFirstWildcard = !SPECIAL.test(pattern.slice(0, at))
    const read = tokenAt(pattern, at, { isPath, isFirstWildcard })
    if (read === undefined) return undefined
    push(tokens, read.token)
    at = read.next
  }
  return tokens
}

function push(tokens: GlobToken[], token: GlobToken) {
  const last = tokens.at(-1)
  if (token.type !== "text" || last?.type !== "text") tokens.push(token)
  else tokens.splice(-1, 1, { type: "text", text: last.text + token.text })
}

interface Circumstances {
  readonly isPath: boolean
  readonly isFirstWildcard: boolean
}

interface Read {
  readonly token: GlobToken
  readonly next: number
}

function tokenAt(pattern: string, at: number, circumstances: Circumstances): Read | undefined {
  switch (pattern[at]) {
    case "*":
      return starsAt(pattern, at, circumstances)
    case "?":
      return { token: { type: "any" }, next: at + 1 }
    case "[":
      return setAt(pattern, at + 1)
    case "\\":
      return at + 1 < pattern.length ? textAt(pattern, at + 1) : undefined
    case undefined:
      return undefined
  }
  return textAt(pattern, at)
}

function textAt(pattern: string, at: number): Read {
  return { token: { type: "text", text: pattern[at] ?? "" }, next: at + 1 }
}

// Two stars are special only between slashes. Git compares the letters before the first wildcard on
// their own, so for it `a**/b` begins with the stars: that it matches `ab` is kept.
function starsAt(pattern: string, at: number, { isPath, isFirstWildcard }: Circumstances): Read {
  let next = at
  while (pattern[next] === "*") next += 1
  const isFree = isFirstWildcard || pattern[at - 1] === "/"
  if (isPath && isFree && next - at > 1) {
    if (next === pattern.length) return { token: { type: "rest" }, next }
    if (pattern[next] === "/") return { token: { type: "folders" }, next: next + 1 }
  }
  return { token: { type: "star" }, next }
}

// The grammar of a set: `]` counts as itself when it comes first, `-` at either end, a backslash
// escapes, and [:digit:] names a class.
function setAt(pattern: string, start: number): Read | undefined {
  const negated = pattern[start] === "!" || pattern[start] === "^"
  const first = negated ? start + 1 : start
  const ranges: CharacterRange[] = []
  let previous: number | undefined
  for (let at = first; at < pattern.length; ) {
    if (pattern[at] === "]" && at > first)
      return { token: { type: "set", negated, ranges }, next: at + 1 }
    const member = memberAt(pattern, at, previous)
    if (member === undefined) return undefined
    ranges.push(...member.ranges)
    previous = member.previous
    at = member.next
  }
  return undefined
}

interface Member {
  readonly ranges: readonly CharacterRange[]
  /** What a `-` that follows may start from. */
  readonly previous: number | undefined
  readonly next: number
}

function memberAt(pattern: string, at: number, previous: number | undefined): Member | undefined {
  if (pattern.startsWith("[:", at)) return classAt(pattern, at)
  const after = pattern[at + 1]
  if (pattern[at] === "-" && previous !== undefined && after !== undefined && after !== "]") {
    const end = characterAt(pattern, at + 1)
    const ranges = end && [{ from: previous, to: end.code }]
    return ranges && { ranges, previous: undefined, next: end.next }
  }
  const one = characterAt(pattern, at)
  return one && { ranges: [{ from: one.code, to: one.code }], previous: one.code, next: one.next }
}

function characterAt(pattern: string, at: number) {
  const from = pattern[at] === "\\" ? at + 1 : at
  const code = pattern.codePointAt(from)
  return code === undefined ? undefined : { code, next: from + (code > 0xffff ? 2 : 1) }
}

function classAt(pattern: string, at: number): Member | undefined {
  const end = pattern.indexOf("]", at + 2)
  if (end < 0) return undefined
  const name = pattern.slice(at + 2, end - 1)
  if (end === at + 2 || pattern[end - 1] !== ":") {
    const code = 0x5b
    return { ranges: [{ from: code, to: code }], previous: code, next: at + 1 }
  }
  const members = CLASSES[name]
  if (members === undefined) return undefined
  return { ranges: rangesOf(members), previous: undefined, next: end + 1 }
}

/** Each pair of characters is a range. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "azAZ09",
  alpha: "azAZ",
  blank: "  \t\t",
  cntrl: "\x00\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "\t\r  ",
  upper: "AZ",
  xdigit: "09afAF",
}

function rangesOf(pairs: string): CharacterRange[] {
  const ranges: CharacterRange[] = []
  for (let at = 0; at < pairs.length; at += 2)
    ranges.push({ from: pairs.charCodeAt(at), to: pairs.charCodeAt(at + 1) })
  return ranges
}
