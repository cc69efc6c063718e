import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { growMarkdown, type MarkdownDocument } from "../../packages/core/markdown/grow.ts"

describe("growMarkdown", () => {
  const pieces = [
    "# h\n",
    "para ",
    "\n",
    "\n\n",
    "- a\n",
    "  - b\n",
    "1. c\n",
    "```\n",
    "```js\ncode\n",
    "> q\n",
    "| a | b |\n",
    "|---|---|\n",
    "| 1 | 2 |\n",
    "---",
    "***",
    "**b**",
    "    x",
    "#",
    "-",
    " ",
    "|",
    "===",
    "[a]",
    "[a]: /b\n",
    "[1]: c",
    "[1]",
    '"t',
    '"',
    "<div>\n",
    "<!--",
    "-->",
    "\r\n",
    "\r",
    "\t",
    "[",
    "]",
    ":",
  ]
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40, size: "max" })

  it("reads a text that grows as it reads the whole", () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        let document: MarkdownDocument | undefined
        let text = ""
        for (const piece of pieces) document = growMarkdown(document, (text += piece))
        expect(document?.blocks ?? []).toEqual(growMarkdown(undefined, text).blocks)
      }),
      { numRuns: 2000 },
    )
  })

  it("keeps the blocks that are done", () => {
    const before = growMarkdown(undefined, "one\n\ntwo\n\nthree\n\nfour\n\nfive")
    const after = growMarkdown(before, `${before.text} and more`)
    expect(after.blocks[0]).toBe(before.blocks[0])
    expect(after.blocks[1]).toBe(before.blocks[1])
    expect(growMarkdown(before, "another").blocks).toHaveLength(1)
  })

  it("reads what was done again when a label is defined after it", () => {
    const text = "see [a]\n\nb\n\nc\n\nd\n\ne\n\n"
    const before = growMarkdown(undefined, text)
    const after = growMarkdown(before, `${text}[a]: https://x.y`)
    expect(JSON.stringify(before.blocks[0])).not.toContain("x.y")
    expect(JSON.stringify(after.blocks[0])).toContain("https://x.y")
    expect(growMarkdown(after, `${after.text}\n\nmore`).blocks[0]).toBe(after.blocks[0])
  })
})
