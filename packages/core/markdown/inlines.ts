import type { Token } from "markdown-it"
import type { MarkdownInline, MarkdownInlines, MarkdownTarget } from "./tree.ts"

/** Marks nested deeper than this are shown as they were written. */
export const MAX_INLINE_DEPTH = 40

/** The inlines that a line's tokens stand for. */
export function readInlines(tokens: readonly Token[]): MarkdownInlines {
  // The children of what is open, the innermost last. One list twice: a mark too deep to count.
  const open: MarkdownInline[][] = [[]]
  for (const token of tokens) {
    const inside = open.at(-1) ?? []
    if (token.nesting === 1 && open.length > MAX_INLINE_DEPTH) {
      inside.push(...textNodes(token.markup))
      open.push(inside)
    } else if (token.nesting === 1) {
      const children: MarkdownInline[] = []
      inside.push(spanOf(token, children))
      open.push(children)
    } else if (token.nesting === -1) {
      open.pop()
      if (open.at(-1) === inside) inside.push(...textNodes(token.markup))
    } else inside.push(...leafOf(token))
  }
  return open[0] ?? []
}

function textNodes(text: string): MarkdownInline[] {
  return text === "" ? [] : [{ type: "text", text }]
}

function spanOf(token: Token, children: MarkdownInlines): MarkdownInline {
  switch (token.type) {
    case "strong_open":
      return { type: "strong", children }
    case "em_open":
      return { type: "emphasis", children }
    case "s_open":
      return { type: "deleted", children }
    case "link_open":
      return { type: "link", ...targetOf(token, "href"), children }
    default:
      throw new Error(`No span of Markdown begins with "${token.type}".`)
  }
}

function leafOf(token: Token): MarkdownInline[] {
  switch (token.type) {
    case "text":
    case "text_special":
      return textNodes(token.content)
    case "code_inline":
      return [{ type: "code", text: token.content }]
    case "softbreak":
    case "hardbreak":
      return [{ type: "break", hard: token.type === "hardbreak" }]
    case "html_inline":
      return [{ type: "html", text: token.content }]
    case "image": {
      const alt = inlineText(readInlines(token.children ?? []))
      return [{ type: "image", ...targetOf(token, "src"), alt }]
    }
    default:
      throw new Error(`No inline of Markdown is called "${token.type}".`)
  }
}

const OPENS = /^(?:https?:\/\/|mailto:)/i

function targetOf(token: Token, attribute: "href" | "src"): MarkdownTarget {
  const destination = String(token.attrGet(attribute) ?? "")
  return {
    destination,
    opens: OPENS.test(destination) ? destination : null,
    title: String(token.attrGet("title") ?? ""),
  }
}

/** What is left of a line when its marks are taken away. */
export function inlineText(inlines: MarkdownInlines): string {
  return inlines.map(textIn).join("")
}

function textIn(inline: MarkdownInline): string {
  switch (inline.type) {
    case "text":
    case "code":
    case "html":
      return inline.text
    case "break":
      return "\n"
    case "image":
      return inline.alt
    case "strong":
    case "emphasis":
    case "deleted":
    case "link":
      return inlineText(inline.children)
  }
}
