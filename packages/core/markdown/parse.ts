import MarkdownParser, { type Env, type MarkdownIt, type Token } from "markdown-it"
import { readInlines } from "./inlines.ts"
import type { MarkdownAlign, MarkdownBlock, MarkdownInlines, MarkdownListItem } from "./tree.ts"

/** A longer text is shown as it is. */
export const MAX_MARKDOWN_LENGTH = 500_000
/** A block with quotes and lists nested deeper than this is shown as it is, maybe with what follows. */
export const MAX_MARKDOWN_DEPTH = 60

/** CommonMark alone, or with what GitHub adds: tables, deleted text, tasks and bare addresses. */
export type MarkdownDialect = "commonmark" | "github"

/** Where the links that name a label lead to, by label. */
export type MarkdownDefinitions = NonNullable<Env["references"]>

/** A block that is part of no other, with the character at which its first line begins. */
export interface PlacedMarkdownBlock {
  readonly from: number
  readonly block: MarkdownBlock
  /** The definitions in it, its own or within a quote or a list. */
  readonly definitions: MarkdownDefinitions
}

export function parseMarkdown(text: string, dialect?: MarkdownDialect): MarkdownBlock[] {
  return parsePlacedBlocks(text, { dialect }).map(({ block }) => block)
}

interface ParseOptions {
  readonly dialect?: MarkdownDialect | undefined
  /** The character to begin at: 0, or the `from` of a block. */
  readonly from?: number
  /** The definitions before it. */
  readonly definitions?: MarkdownDefinitions
}

/** The outermost blocks from a character on. */
export function parsePlacedBlocks(
  whole: string,
  { dialect = "github", from = 0, definitions = {} }: ParseOptions = {},
): PlacedMarkdownBlock[] {
  const text = whole.slice(from)
  if (text.length > MAX_MARKDOWN_LENGTH) return [{ from, block: asItIs(text), definitions: {} }]
  const env = { references: { ...definitions } }
  const tokens = PARSERS[dialect]().parse(text, env)
  const lines = lineStarts(text)
  return outermost(tokens).map((own) => {
    const [first = 0, end = 0] = own[0]?.map ?? []
    const block = own.some(isTooDeep)
      ? asItIs(text.slice(lines[first], lines[end]))
      : readBlock({ tokens: own, at: 0, dialect })
    return { from: from + (lines[first] ?? 0), block, definitions: definedIn(own, env.references) }
  })
}

// Parsers

const PARSERS: Readonly<Record<MarkdownDialect, () => MarkdownIt>> = {
  commonmark: once(() => strict(new MarkdownParser("commonmark", OPTIONS))),
  github: once(() => withBareAddresses(strict(new MarkdownParser({ ...OPTIONS, linkify: true })))),
}

const OPTIONS = { html: true, maxNesting: MAX_MARKDOWN_DEPTH }

/** Every address is read as it was written: `opens` says which ones a click may follow, and a name in
 *  another alphabet is not made to look like one in ours. Definitions stay where they are. */
function strict(parser: MarkdownIt): MarkdownIt {
  parser.validateLink = () => true
  parser.normalizeLinkText = (url) => url
  parser.disable("strip_references")
  return parser
}

/** Only those with a scheme: `README.md` is the name of a file, not of a host. */
function withBareAddresses(parser: MarkdownIt): MarkdownIt {
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  parser.linkify.add("ftp:", null)
  parser.linkify.add("//", null)
  return parser
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

// Tokens

/** The tokens of each outermost block. */
function outermost(tokens: readonly Token[]): Token[][] {
  const blocks: Token[][] = []
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) blocks.push([token])
    else blocks.at(-1)?.push(token)
  }
  return blocks
}

/** The parser leaves out what is nested deeper. */
function isTooDeep({ nesting, level }: Token): boolean {
  return nesting === 1 && level + 1 >= MAX_MARKDOWN_DEPTH
}

function asItIs(text: string): MarkdownBlock {
  return { type: "code", language: "", text: text.trimEnd() }
}

function definedIn(tokens: readonly Token[], known: MarkdownDefinitions): MarkdownDefinitions {
  const labels = tokens.flatMap((token) => (token.type === DEFINITION ? [labelOf(token)] : []))
  return Object.fromEntries(
    labels.flatMap((label) => (known[label] ? [[label, known[label]]] : [])),
  )
}

const DEFINITION = "reference_definition"

function labelOf({ meta }: Token): string {
  return String(meta?.label)
}

/** Where each line begins, and where the text ends. */
function lineStarts(text: string): number[] {
  const ends = Array.from(text.matchAll(/\r\n?|\n/g), (match) => match.index + match[0].length)
  return [0, ...ends, text.length]
}

// Blocks

interface Cursor {
  readonly tokens: readonly Token[]
  readonly dialect: MarkdownDialect
  at: number
}

function next(cursor: Cursor): Token {
  const token = cursor.tokens[cursor.at++]
  if (!token) throw new Error("The tokens of a Markdown text end within a block.")
  return token
}

/** What stands up to the token that closes it. */
function readUntil<T>(cursor: Cursor, closing: string, read: (cursor: Cursor) => T): T[] {
  const found: T[] = []
  while (cursor.tokens[cursor.at]?.type !== closing) found.push(read(cursor))
  cursor.at++
  return found
}

function readBlock(cursor: Cursor): MarkdownBlock {
  const token = next(cursor)
  switch (token.type) {
    case "heading_open":
      return { type: "heading", level: Number(token.tag.slice(1)), children: readLine(cursor) }
    case "paragraph_open":
      return { type: "paragraph", children: readLine(cursor) }
    case "fence":
    case "code_block":
      return {
        type: "code",
        language: languageOf(token, cursor),
        text: withoutLastBreak(token.content),
      }
    case "blockquote_open":
      return { type: "quote", blocks: readUntil(cursor, "blockquote_close", readBlock) }
    case "bullet_list_open":
      return readList(cursor, "bullet_list_close", null)
    case "ordered_list_open":
      return readList(cursor, "ordered_list_close", Number(token.attrGet("start") ?? 1))
    case "table_open":
      return readTable(cursor)
    case "hr":
      return { type: "rule" }
    case "html_block":
      return { type: "html", text: withoutLastBreak(token.content) }
    case DEFINITION:
      return { type: "definition", label: labelOf(token) }
    default:
      throw new Error(`No block of Markdown begins with "${token.type}".`)
  }
}

/** The inlines of a heading, a paragraph or a cell, whose opening token was read. */
function readLine(cursor: Cursor): MarkdownInlines {
  const { children } = next(cursor)
  cursor.at++
  return readInlines(children ?? [])
}

function languageOf({ info }: Token, { dialect }: Cursor): string {
  const { unescapeAll } = PARSERS[dialect]().utils
  return /^\s*(\S*)/.exec(unescapeAll(info))?.[1] ?? ""
}

function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, "")
}

function readList(cursor: Cursor, closing: string, start: number | null): MarkdownBlock {
  // The parser hides the paragraphs of a list whose items are lines.
  const level = (cursor.tokens[cursor.at]?.level ?? 0) + 1
  const from = cursor.at
  const items = readUntil(cursor, closing, readItem)
  const own = cursor.tokens.slice(from, cursor.at).filter((token) => token.level === level)
  const tight = own.every((token) => token.type !== "paragraph_open" || token.hidden)
  return { type: "list", start, tight, items }
}

const TASK = /^\[([ xX])\]\s+(?=\S)/

function readItem(cursor: Cursor): MarkdownListItem {
  cursor.at++
  const blocks = readUntil(cursor, "list_item_close", readBlock)
  const [first, ...others] = blocks
  if (cursor.dialect !== "github" || first?.type !== "paragraph") return { checked: null, blocks }
  const [head, ...tail] = first.children
  const task = head?.type === "text" ? TASK.exec(head.text) : null
  if (head?.type !== "text" || !task) return { checked: null, blocks }
  const children = [{ ...head, text: head.text.slice(task[0].length) }, ...tail]
  return { checked: task[1] !== " ", blocks: [{ ...first, children }, ...others] }
}

function readTable(cursor: Cursor): MarkdownBlock {
  const align: MarkdownAlign[] = []
  const readCell = () => {
    align.push(alignOf(next(cursor)))
    return readLine(cursor)
  }
  const readRow = () => {
    cursor.at++
    return readUntil(cursor, "tr_close", readCell)
  }
  cursor.at++
  const [head = []] = readUntil(cursor, "thead_close", readRow)
  const columns = align.slice(0, head.length)
  const hasBody = cursor.tokens[cursor.at]?.type === "tbody_open"
  if (hasBody) cursor.at++
  const rows = hasBody ? readUntil(cursor, "tbody_close", readRow) : []
  cursor.at++
  return { type: "table", align: columns, head, rows }
}

function alignOf(cell: Token): MarkdownAlign {
  const [, align] = /text-align:(left|center|right)/.exec(String(cell.attrGet("style"))) ?? []
  return align === "left" || align === "center" || align === "right" ? align : null
}
