// The tree that answers are drawn from, as the HTML of our own pages: their pictures are shown, and
// their links lead to other pages of ours.

import { inlineText } from "../../packages/core/markdown/inlines.ts"
import { parseMarkdown } from "../../packages/core/markdown/parse.ts"
import type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownInlines,
} from "../../packages/core/markdown/tree.ts"

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** A mark for a program, on a line of its own. */
const MARK = /^<!--.*-->$\n?/gm

export function render(markdown: string): Rendered {
  const blocks = parseMarkdown(markdown.replace(MARK, ""))
  const headings: Heading[] = []
  const html = blocks.map((block) => blockHtml(block, headings)).join("\n")
  return { title: headings[0]?.text ?? "", html, headings }
}

function blockHtml(block: MarkdownBlock, headings: Heading[]): string {
  switch (block.type) {
    case "heading":
      return headingHtml(block.level, block.children, headings)
    case "paragraph":
      return `<p>${inlineHtml(block.children)}</p>`
    case "code":
      return `<pre><code>${escape(block.text)}</code></pre>`
    case "quote":
      return `<blockquote>${block.blocks.map((one) => blockHtml(one, headings)).join("\n")}</blockquote>`
    case "list": {
      const tag = block.start === null ? "ul" : "ol"
      const items = block.items.map(({ blocks }) => `<li>${itemHtml(blocks, headings)}</li>`)
      return `<${tag}>${items.join("\n")}</${tag}>`
    }
    case "table":
      return tableHtml(block.head, block.rows)
    case "rule":
      return "<hr>"
    case "html":
      return `<p>${escape(block.text)}</p>`
    case "definition":
      return ""
  }
}

function headingHtml(level: number, inlines: MarkdownInlines, headings: Heading[]): string {
  const text = inlineText(inlines)
  const id = idOf(text, headings)
  headings.push({ level, id, text })
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${inlineHtml(inlines)}</a></h${level}>`
}

function idOf(text: string, headings: readonly Heading[]): string {
  const base = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
  const same = headings.filter(({ id }) => id === base || id.startsWith(`${base}--`)).length
  return same === 0 ? base : `${base}--${same + 1}`
}

function itemHtml(blocks: readonly MarkdownBlock[], headings: Heading[]): string {
  const [first, ...rest] = blocks
  if (first?.type !== "paragraph") return blocks.map((one) => blockHtml(one, headings)).join("\n")
  return [inlineHtml(first.children), ...rest.map((one) => blockHtml(one, headings))].join("\n")
}

type Cells = readonly MarkdownInlines[]

function tableHtml(head: Cells, rows: readonly Cells[]): string {
  const line = (tag: string, cells: Cells) =>
    `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell)}</${tag}>`).join("")}</tr>`
  const body = rows.map((row) => line("td", row)).join("\n")
  return `<div class="wide"><table><thead>${line("th", head)}</thead><tbody>${body}</tbody></table></div>`
}

function inlineHtml(inlines: MarkdownInlines): string {
  return inlines.map(oneHtml).join("")
}

const TAGS = { strong: "strong", emphasis: "em", deleted: "del" } as const

function oneHtml(inline: MarkdownInline): string {
  switch (inline.type) {
    case "text":
    case "html":
      return escape(inline.text)
    case "code":
      return `<code>${escape(inline.text)}</code>`
    case "break":
      return inline.hard ? "<br>\n" : "\n"
    case "strong":
    case "emphasis":
    case "deleted":
      return `<${TAGS[inline.type]}>${inlineHtml(inline.children)}</${TAGS[inline.type]}>`
    case "link":
      return `<a href="${escape(target(inline.destination))}">${inlineHtml(inline.children)}</a>`
    case "image":
      return `<img src="${escape(inline.destination)}" alt="${escape(inline.alt)}">`
  }
}

/** A page of ours is HTML on the site. */
function target(link: string): string {
  return /^[a-z]+:/i.test(link) ? link : link.replace(/\.md(?=#|$)/, ".html")
}

export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
