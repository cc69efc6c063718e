/** The little Markdown that answers are written in. There is no HTML in it: what is not understood
 *  is text. Blocks keep their inline source, which is read when they are drawn. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "fence"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "list"; readonly start: number | null; readonly items: readonly Item[] }
  | {
      readonly type: "table"
      readonly align: readonly Align[]
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly type: "rule" }

export interface Item {
  readonly checked: boolean | null
  readonly blocks: readonly Block[]
}
export type Align = "left" | "center" | "right" | null

/** A text and its blocks, each with the place where it begins. */
export interface Parsed {
  readonly text: string
  readonly blocks: readonly { readonly from: number; readonly block: Block }[]
}

/** The blocks of a text that grew: all but the last two are those of before, the same objects, so
 *  that a long answer costs no more per word than a short one. */
export function grow(previous: Parsed | undefined, text: string): Parsed {
  const kept = previous && text.startsWith(previous.text) ? previous.blocks.slice(0, -2) : []
  // The last line may turn out to be the rule of a table whose head was a paragraph until now.
  const from = (kept.length > 0 ? previous?.blocks[kept.length]?.from : 0) ?? 0
  return { text, blocks: [...kept, ...blocksOf(text, from, 0)] }
}

export function parse(text: string): Block[] {
  return grow(undefined, text).blocks.map(({ block }) => block)
}

const MAX_DEPTH = 8

interface Line {
  readonly from: number
  readonly text: string
}
type Placed = Parsed["blocks"][number]

function blocksOf(text: string, from: number, depth: number): Placed[] {
  const lines = linesOf(text, from)
  const blocks: Placed[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    if (!line) break
    if (line.text.trim() === "") {
      at++
      continue
    }
    const [block, taken] = blockAt(lines, at, depth)
    blocks.push({ from: line.from, block })
    at += taken
  }
  return blocks
}

function linesOf(text: string, from: number): Line[] {
  const lines: Line[] = []
  for (let at = from; at <= text.length; ) {
    const end = text.indexOf("\n", at)
    const stop = end < 0 ? text.length : end
    lines.push({ from: at, text: text.slice(at, stop).replace(/\r$/, "") })
    at = stop + 1
  }
  return lines
}

const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}> ?/
const BULLET = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})|$)/
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

function blockAt(lines: readonly Line[], at: number, depth: number): [Block, number] {
  const text = lines[at]?.text ?? ""
  const fence = FENCE.exec(text)
  if (fence) return fenceAt(lines, at, fence)
  const heading = HEADING.exec(text)
  if (heading?.[1])
    return [{ type: "heading", level: heading[1].length, text: heading[2] ?? "" }, 1]
  if (RULE.test(text)) return [{ type: "rule" }, 1]
  if (depth < MAX_DEPTH && QUOTE.test(text)) return quoteAt(lines, at, depth)
  if (depth < MAX_DEPTH && BULLET.test(text)) return listAt(lines, at, depth)
  if (isTable(lines, at)) return tableAt(lines, at)
  return paragraphAt(lines, at, depth)
}

function fenceAt(lines: readonly Line[], at: number, fence: RegExpExecArray): [Block, number] {
  const [, indent = "", mark = "", info = ""] = fence
  const closes = new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}\\s*$`)
  let end = at + 1
  while (end < lines.length && !closes.test(lines[end]?.text ?? "")) end++
  const inside = lines.slice(at + 1, end).map((line) => dedent(line.text, indent.length))
  const language = info.trim().split(/\s/)[0] ?? ""
  // The rest of a text that is still being written may be an empty last line.
  if (end >= lines.length && inside.at(-1) === "") inside.pop()
  return [{ type: "fence", language, text: inside.join("\n") }, end - at + 1]
}

function quoteAt(lines: readonly Line[], at: number, depth: number): [Block, number] {
  let end = at
  while (end < lines.length && QUOTE.test(lines[end]?.text ?? "")) end++
  const inside = lines.slice(at, end).map((line) => line.text.replace(QUOTE, ""))
  return [{ type: "quote", blocks: inner(inside, depth) }, end - at]
}

function listAt(lines: readonly Line[], at: number, depth: number): [Block, number] {
  const first = BULLET.exec(lines[at]?.text ?? "")?.[2] ?? "-"
  const kind = kindOf(first)
  const items: Item[] = []
  let end = at
  while (end < lines.length) {
    const bullet = BULLET.exec(lines[end]?.text ?? "")
    if (!bullet || kindOf(bullet[2] ?? "") !== kind || RULE.test(lines[end]?.text ?? "")) break
    const taken = itemLength(lines, end, bullet[0].length)
    items.push(itemOf(lines.slice(end, end + taken), bullet[0].length, depth))
    end += taken
    const next = blankAfter(lines, end)
    if (BULLET.test(lines[next]?.text ?? "")) end = next
  }
  return [
    { type: "list", start: kind === "1" ? Number.parseInt(first, 10) : null, items },
    end - at,
  ]
}

function kindOf(bullet: string): string {
  return /\d/.test(bullet) ? "1" : bullet
}

/** How many lines belong to the item: those that are indented, and those that go on its sentence. */
function itemLength(lines: readonly Line[], at: number, width: number): number {
  let end = at + 1
  for (; end < lines.length; end++) {
    const text = lines[end]?.text ?? ""
    if (text.trim() === "") {
      const next = lines[blankAfter(lines, end)]?.text
      if (next === undefined || indentOf(next) < Math.min(width, 2)) break
    } else if (
      indentOf(text) < Math.min(width, 2) &&
      (lines[end - 1]?.text.trim() === "" || startsBlock(text))
    )
      break
  }
  return end - at
}

function itemOf(lines: readonly Line[], width: number, depth: number): Item {
  const [first = "", ...rest] = lines.map((line) => line.text)
  const head = first.slice(width)
  const task = /^\[([ xX])\]\s+/.exec(head)
  const inside = [
    task ? head.slice(task[0].length) : head,
    ...rest.map((text) => dedent(text, width)),
  ]
  return { checked: task ? task[1] !== " " : null, blocks: inner(inside, depth) }
}

function isTable(lines: readonly Line[], at: number): boolean {
  const head = lines[at]?.text ?? ""
  const rule = lines[at + 1]?.text ?? ""
  return (
    head.includes("|") &&
    rule.includes("-") &&
    DELIMITER.test(rule) &&
    cells(rule).length === cells(head).length
  )
}

function tableAt(lines: readonly Line[], at: number): [Block, number] {
  const head = cells(lines[at]?.text ?? "")
  const align = cells(lines[at + 1]?.text ?? "").map(alignOf)
  const rows: string[][] = []
  let end = at + 2
  for (; end < lines.length; end++) {
    const text = lines[end]?.text ?? ""
    if (text.trim() === "" || !text.includes("|")) break
    const row = cells(text)
    rows.push(head.map((_, column) => row[column] ?? ""))
  }
  return [{ type: "table", align, head, rows }, end - at]
}

function cells(row: string): string[] {
  const inside = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"))
}

function alignOf(rule: string): Align {
  if (rule.startsWith(":")) return rule.endsWith(":") ? "center" : "left"
  return rule.endsWith(":") ? "right" : null
}

function paragraphAt(lines: readonly Line[], at: number, depth: number): [Block, number] {
  let end = at + 1
  while (end < lines.length) {
    const text = lines[end]?.text ?? ""
    if (text.trim() === "" || isTable(lines, end)) break
    if (startsBlock(text) && (depth < MAX_DEPTH || !(QUOTE.test(text) || BULLET.test(text)))) break
    end++
  }
  const inside = lines.slice(at, end).map((line) => line.text.trimStart())
  return [{ type: "paragraph", text: inside.join("\n").trimEnd() }, end - at]
}

function startsBlock(text: string): boolean {
  return (
    FENCE.test(text) ||
    HEADING.test(text) ||
    RULE.test(text) ||
    QUOTE.test(text) ||
    BULLET.test(text)
  )
}

function inner(lines: readonly string[], depth: number): Block[] {
  return blocksOf(lines.join("\n"), 0, depth + 1).map(({ block }) => block)
}

function blankAfter(lines: readonly Line[], at: number): number {
  let next = at
  while (next < lines.length && lines[next]?.text.trim() === "") next++
  return next
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

function dedent(text: string, width: number): string {
  return text.slice(Math.min(width, indentOf(text)))
}
