import type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownInlines,
  MarkdownListItem,
} from "../../packages/core/markdown/tree.ts"

/** A tree as the HTML that the examples of CommonMark are written in. Only for comparing: the product
 *  never makes HTML of a tree. */
export function printHtml(blocks: readonly MarkdownBlock[]): string {
  return blocks.map((block) => printBlock(block)).join("")
}

function printBlock(block: MarkdownBlock): string {
  switch (block.type) {
    case "heading":
      return `<h${block.level}>${inlines(block.children)}</h${block.level}>\n`
    case "paragraph":
      return `<p>${inlines(block.children)}</p>\n`
    case "code": {
      const language = block.language && ` class="language-${escape(block.language)}"`
      return `<pre><code${language}>${escape(block.text)}${block.text && "\n"}</code></pre>\n`
    }
    case "quote":
      return `<blockquote>\n${printHtml(block.blocks)}</blockquote>\n`
    case "list": {
      const tag = block.start === null ? "ul" : "ol"
      const start = block.start === null || block.start === 1 ? "" : ` start="${block.start}"`
      const items = block.items.map((item) => printItem(item, block.tight)).join("")
      return `<${tag}${start}>\n${items}</${tag}>\n`
    }
    case "table":
      return `<table>${[block.head, ...block.rows].map((row) => `<tr>${row.map((cell) => `<td>${inlines(cell)}</td>`).join("")}</tr>`).join("")}</table>\n`
    case "rule":
      return "<hr />\n"
    case "html":
      return `${block.text}\n`
    case "definition":
      return ""
  }
}

function printItem({ checked, blocks }: MarkdownListItem, tight: boolean): string {
  let inside = checked === null ? "" : checked ? "[x] " : "[ ] "
  for (const block of blocks.filter(({ type }) => type !== "definition")) {
    const isLine = tight && block.type === "paragraph"
    if (!isLine && !inside.endsWith("\n")) inside += "\n"
    inside += isLine ? inlines(block.children) : printBlock(block)
  }
  return `<li>${inside}</li>\n`
}

function inlines(all: MarkdownInlines): string {
  return all.map(printInline).join("")
}

const TAGS = { strong: "strong", emphasis: "em", deleted: "del" } as const

function printInline(inline: MarkdownInline): string {
  switch (inline.type) {
    case "text":
      return escape(inline.text)
    case "code":
      return `<code>${escape(inline.text)}</code>`
    case "break":
      return inline.hard ? "<br />\n" : "\n"
    case "html":
      return inline.text
    case "strong":
    case "emphasis":
    case "deleted":
      return `<${TAGS[inline.type]}>${inlines(inline.children)}</${TAGS[inline.type]}>`
    case "link":
      return `<a href="${escape(inline.destination)}"${title(inline)}>${inlines(inline.children)}</a>`
    case "image":
      return `<img src="${escape(inline.destination)}" alt="${escape(inline.alt)}"${title(inline)} />`
  }
}

function title(target: { readonly title: string }): string {
  return target.title && ` title="${escape(target.title)}"`
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
