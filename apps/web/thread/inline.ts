/** What stands within a line. */
export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "break" }
  | { readonly type: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  | { readonly type: "link"; readonly url: string; readonly children: readonly Inline[] }

const MAX_DEPTH = 6

/** Read one stretch of inline source, once from left to right. A mark without its partner is text,
 *  and is looked for only once, so that a page of asterisks costs no more than a page of words. */
export function inlineOf(source: string, depth = 0): Inline[] {
  const out: Inline[] = []
  const missing = new Set<string>()
  let plain = ""
  for (let at = 0; at < source.length; ) {
    const next = nextMark(source, at)
    plain += source.slice(at, next)
    if (next === source.length) break
    const { inline, length } = markAt(source, next, { depth, missing })
    at = next + length
    if (inline.type === "text") {
      plain += inline.text
      continue
    }
    if (plain) out.push({ type: "text", text: plain })
    plain = ""
    out.push(inline)
  }
  if (plain) out.push({ type: "text", text: plain })
  return out
}

interface Found {
  readonly inline: Inline
  readonly length: number
}
interface Reading {
  readonly depth: number
  readonly missing: Set<string>
}

const MARK = /[\\`*_~[!\n]|https?:\/\//g

function nextMark(source: string, at: number): number {
  MARK.lastIndex = at
  return MARK.exec(source)?.index ?? source.length
}

/** What begins here; at the least the mark itself, as text. */
function markAt(source: string, at: number, reading: Reading): Found {
  const mark = source[at] ?? ""
  switch (mark) {
    case "\n":
      return { inline: { type: "break" }, length: 1 }
    case "\\":
      return escapeAt(source, at)
    case "`":
      return codeAt(source, at, reading) ?? words(run(source, at, mark))
    case "*":
    case "_":
    case "~":
      return emphasisAt(source, at, reading) ?? words(run(source, at, mark))
    case "[":
      return linkAt(source, at, reading) ?? words(mark)
    case "!":
      // A picture from elsewhere would tell a stranger that the answer was read: it is a link.
      return source[at + 1] === "[" ? pictureAt(source, at, reading) : words(mark)
    default:
      return addressAt(source, at) ?? words(mark)
  }
}

function words(text: string, length = text.length): Found {
  return { inline: { type: "text", text }, length }
}

function escapeAt(source: string, at: number): Found {
  const next = source[at + 1] ?? ""
  if (next === "\n") return { inline: { type: "break" }, length: 2 }
  return /[\\`*_{}[\]()#+\-.!~|<>]/.test(next) ? words(next, 2) : words("\\")
}

function run(source: string, at: number, mark: string): string {
  let end = at
  while (source[end] === mark) end++
  return source.slice(at, end)
}

function codeAt(source: string, at: number, { missing }: Reading): Found | undefined {
  const fence = run(source, at, "`")
  if (missing.has(fence)) return undefined
  const from = at + fence.length
  let end = source.indexOf(fence, from)
  // A longer run of backticks is not this one's end.
  while (end >= 0 && run(source, end, "`").length !== fence.length)
    end = source.indexOf(fence, end + run(source, end, "`").length)
  if (end < 0) {
    missing.add(fence)
    return undefined
  }
  const inside = source.slice(from, end).replaceAll("\n", " ")
  const text = /^ .*[^ ].* $/.test(inside) ? inside.slice(1, -1) : inside
  return { inline: { type: "code", text }, length: end + fence.length - at }
}

const EMPHASIS = {
  "*": "emphasis",
  _: "emphasis",
  "**": "strong",
  __: "strong",
  "~~": "deleted",
} as const

function emphasisAt(source: string, at: number, reading: Reading): Found | undefined {
  const char = source[at] ?? ""
  const length = run(source, at, char).length
  if (length > 3 || reading.depth >= MAX_DEPTH) return undefined
  const mark = char.repeat(Math.min(length, 2)) as keyof typeof EMPHASIS
  const type = EMPHASIS[mark]
  if (!type || reading.missing.has(mark)) return undefined
  if (/^\s|^$/.test(source[at + length] ?? "") || (char === "_" && isWord(source[at - 1])))
    return undefined
  const from = at + mark.length
  const end = closing(source, from, mark)
  if (end < 0) {
    reading.missing.add(mark)
    return undefined
  }
  const children = inlineOf(source.slice(from, end), reading.depth + 1)
  return { inline: { type, children }, length: end + mark.length - at }
}

/** Where the mark closes: after something, not within a code span, and for `_` not within a word. */
function closing(source: string, from: number, mark: string): number {
  const char = mark[0] ?? ""
  for (let at = from; at < source.length; at++) {
    const here = source[at]
    if (here === "\\") at++
    else if (here === "`") at = skipCode(source, at)
    else if (here === char) {
      const length = run(source, at, char).length
      const fits = mark.length === 1 ? length === 1 || length === 3 : length >= 2
      const open =
        /\s|^$/.test(source[at - 1] ?? "") || (char === "_" && isWord(source[at + length]))
      if (fits && !open && at > from) return mark.length === 2 && length === 3 ? at + 1 : at
      at += length - 1
    }
  }
  return -1
}

function skipCode(source: string, at: number): number {
  const fence = run(source, at, "`")
  const end = source.indexOf(fence, at + fence.length)
  return end < 0 ? at + fence.length - 1 : end + fence.length - 1
}

function linkAt(source: string, at: number, reading: Reading): Found | undefined {
  const match = link(source, at)
  // Only the web: a link to javascript: or to a file of this machine stays as it was written.
  if (!match || !isWeb(match.url) || reading.depth >= MAX_DEPTH) return undefined
  const children = inlineOf(match.label, reading.depth + 1)
  return { inline: { type: "link", url: match.url, children }, length: match.length }
}

function pictureAt(source: string, at: number, reading: Reading): Found {
  const found = linkAt(source, at + 1, reading)
  return found ? { inline: found.inline, length: found.length + 1 } : words("!")
}

const LINK =
  /\[((?:[^[\]\\\n]|\\.|\[[^[\]\n]*\]){0,1000})\]\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y

function link(source: string, at: number) {
  LINK.lastIndex = at
  const match = LINK.exec(source)
  return match && { label: match[1] ?? "", url: match[2] ?? "", length: match[0].length }
}

export function isWeb(url: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(url)
}

const ADDRESS = /https?:\/\/[^\s<>"'`*]+/y

function addressAt(source: string, at: number): Found | undefined {
  if (isWord(source[at - 1])) return undefined
  ADDRESS.lastIndex = at
  let url = ADDRESS.exec(source)?.[0].replace(/[.,;:!?]+$/, "") ?? ""
  if (url.endsWith(")") && !url.includes("(")) url = url.slice(0, -1)
  if (url.length <= "https://".length) return undefined
  return {
    inline: { type: "link", url, children: [{ type: "text", text: url }] },
    length: url.length,
  }
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char)
}
