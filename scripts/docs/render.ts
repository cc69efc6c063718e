// Markdown to HTML: the blocks are those that the page reads answers by; within a line, links and
// pictures of our own files are known too.

import { type Block, parse } from "../../apps/web/thread/markdown.ts"

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
  const blocks = parse(markdown.replace(MARK, ""))
  const headings: Heading[] = []
  const html = blocks.map((block) => blockHtml(block, headings)).join("\n")
  return { title: headings[0]?.text ?? "", html, headings }
}

function blockHtml(block: Block, headings: Heading[]): string {
  switch (block.type) {
    case "heading":
      return headingHtml(block.level, block.text, headings)
    case "paragraph":
      return `<p>${inlineHtml(block.text)}</p>`
    case "fence":
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
  }
}

function headingHtml(level: number, text: string, headings: Heading[]): string {
  const plain = text.replace(/[`*]/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
  const id = idOf(plain, headings)
  headings.push({ level, id, text: plain })
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${inlineHtml(text)}</a></h${level}>`
}

function idOf(text: string, headings: readonly Heading[]): string {
  const base = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
  const same = headings.filter(({ id }) => id === base || id.startsWith(`${base}--`)).length
  return same === 0 ? base : `${base}--${same + 1}`
}

function itemHtml(blocks: readonly Block[], headings: Heading[]): string {
  const [first, ...rest] = blocks
  if (first?.type !== "paragraph") return blocks.map((one) => blockHtml(one, headings)).join("\n")
  return [inlineHtml(first.text), ...rest.map((one) => blockHtml(one, headings))].join("\n")
}

function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell)}</${tag}>`).join("")}</tr>`
  const body = rows.map((row) => line("td", row)).join("\n")
  return `<div class="wide"><table><thead>${line("th", head)}</thead><tbody>${body}</tbody></table></div>`
}

const INLINE =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|(https?:\/\/[^\s<>)"'`]+[^\s<>)"'`.,;:])/g

export function inlineHtml(source: string): string {
  let html = ""
  let from = 0
  for (const match of source.matchAll(INLINE)) {
    const [whole, code, alt, picture, label, link, strong, emphasis, address] = match
    html += escape(source.slice(from, match.index))
    from = match.index + whole.length
    if (code !== undefined) html += `<code>${escape(code)}</code>`
    else if (picture !== undefined)
      html += `<img src="${escape(picture)}" alt="${escape(alt ?? "")}">`
    else if (link !== undefined)
      html += `<a href="${escape(target(link))}">${inlineHtml(label ?? "")}</a>`
    else if (strong !== undefined) html += `<strong>${inlineHtml(strong)}</strong>`
    else if (emphasis !== undefined) html += `<em>${inlineHtml(emphasis)}</em>`
    else if (address !== undefined) html += `<a href="${escape(address)}">${escape(address)}</a>`
  }
  return html + escape(source.slice(from))
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
