import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MAX_INLINE_DEPTH } from "../../packages/core/markdown/inlines.ts"
import {
  MAX_MARKDOWN_DEPTH,
  MAX_MARKDOWN_LENGTH,
  parseMarkdown,
} from "../../packages/core/markdown/parse.ts"
import type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownInlines,
} from "../../packages/core/markdown/tree.ts"

describe("blocks", () => {
  function reads(source: string, expected: string) {
    expect(parseMarkdown(source).map(brief).join(" ")).toBe(expected)
  }

  it("reads headings, rules and paragraphs", () =>
    reads("# One\ntwo\nthree\n\n---\n###### Six ##", "h1(One) p(two⏎three) hr h6(Six)"))
  it("reads headings that are underlined", () => {
    reads("One\n===\nTwo\n---", "h1(One) h2(Two)")
    reads("a | b\n---", "h2(a | b)")
  })
  it("reads a fence as it is, also one that never ends", () => {
    reads("```ts\nconst a = `1`\n# no\n```\nafter", "code:ts(const a = `1`⏎# no) p(after)")
    reads("~~~\n```\n~~~", "code:(```)")
    reads("````md\n```\n````", "code:md(```)")
    reads("```js\nlet a\n", "code:js(let a)")
  })
  it("reads indented code", () => reads("a\n\n    b\n      c", "p(a) code:(b⏎  c)"))
  it("reads lists, nested and with tasks", () => {
    reads("- a\n- b\n  - c\n  - d\n- [x] e", "ul(p(a) | p(b) ul(p(c) | p(d)) | [x] p(e))")
    reads("3. a\n4. b\n\n   more\n\nend", "ol3(p(a) | p(b) p(more)) p(end)")
    reads("- a\nlazy\n\n- b", "ul(p(a⏎lazy) | p(b))")
    reads("- a\n* b\n1. c", "ul(p(a)) ul(p(b)) ol1(p(c))")
    reads("- [ ] a\n- [X] b\n- [ ]\n- [y] c", "ul([ ] p(a) | [x] p(b) | p([ ]) | p([y] c))")
  })
  it("says which lists are of lines, and which of paragraphs", () => {
    const tight = (source: string) =>
      parseMarkdown(source).map((block) => block.type === "list" && block.tight)
    expect(tight("- a\n- b\n  - c\n\n    d")).toEqual([true])
    expect(tight("- a\n\n- b")).toEqual([false])
    expect(tight("-\n-")).toEqual([true])
  })
  it("reads quotes, also where a line forgot its mark", () => {
    reads("> a\n> > b\n\nc", "quote(p(a) quote(p(b))) p(c)")
    reads("> a\nb", "quote(p(a⏎b))")
  })
  it("reads tables, and only those whose rule fits", () => {
    reads("| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |", "table(a,b; 1,x | y; 2,)")
    reads("a | b\n--- | --- | ---", "p(a | b⏎--- | --- | ---)")
    expect(parseMarkdown("|a|b|c|d|\n|:-|-:|:-:|-|")).toMatchObject([
      { align: ["left", "right", "center", null], rows: [] },
    ])
  })
  it("[PAG-009] reads raw HTML as text", () => {
    reads("<script>alert(1)</script>", "html(<script>alert(1)</script>)")
    reads("a <b>c</b>", "p(a <b>c</b>)")
  })
  it("does not draw definitions", () => reads("[a]\n\n[a]: /b", "p(<a>a</a>) def"))
  it("shows a block that is nested too deeply as it is", () => {
    for (const mark of ["> ", "- ", "1. ", "> - "]) {
      const deep = `${mark.repeat(MAX_MARKDOWN_DEPTH)}deep`
      const [before, shown, ...others] = parseMarkdown(`before\n\n${deep}\n\nafter`)
      expect(before).toMatchObject({ type: "paragraph" })
      expect(shown).toMatchObject({ type: "code", text: expect.stringContaining(deep) })
      expect(everything([shown, others])).toContain("after")
    }
    expect(parseMarkdown(`${"> ".repeat(5000)}deep`)).toHaveLength(1)
  })
  it("shows a text that is too long as it is", () => {
    const long = "# a\n".repeat(MAX_MARKDOWN_LENGTH / 4 + 1)
    expect(parseMarkdown(long)).toEqual([{ type: "code", language: "", text: long.slice(0, -1) }])
  })
})

describe("inlines", () => {
  function reads(source: string, expected: string) {
    expect(parseMarkdown(source).map(linesOf).join("")).toBe(expected)
  }

  it("reads emphasis, strong, deleted and code", () =>
    reads(
      "a *b* **c** ~~d~~ `e*f*` __g__ _h_",
      "a <em>b</em> <b>c</b> <del>d</del> <code>e*f*</code> <b>g</b> <em>h</em>",
    ))
  it("nests", () => {
    reads("**a *b* `c**`**", "<b>a <em>b</em> <code>c**</code></b>")
    reads("***a***", "<em><b>a</b></em>")
  })
  it("takes a mark without its partner as text", () => {
    for (const source of [
      "2 * 3 * 4",
      "snake_case_name",
      "**open",
      "a ` b",
      "~/x ~y",
      "[a](b",
      "!",
      "a\\b",
    ])
      reads(source, source)
  })
  it("[PAG-009] opens links to the web and to mail, and no others", () => {
    reads("[a **b**](https://x.y/z_(1)) c", "<a https://x.y/z_(1)>a <b>b</b></a> c")
    reads("see https://x.y/a_b. ok", "see <a https://x.y/a_b>https://x.y/a_b</a>. ok")
    reads("<mailto:a@b.c>", "<a mailto:a@b.c>mailto:a@b.c</a>")
    reads("[a][b] [b]\n\n[b]: https://x.y", "<a https://x.y>a</a> <a https://x.y>b</a>")
    for (const url of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "//x.y",
      "JaVaScRiPt:1",
      "java&#10;script:1",
      "&#x6A;avascript:1",
      "/relative",
    ]) {
      reads(`[a](${url})`, "<a>a</a>")
      reads(`![a](${url})`, "<img>a")
      reads(`[a]\n\n[a]: ${url}`, "<a>a</a>")
    }
  })
  it("takes names of files and bare hosts for words", () =>
    reads("README.md //x.y a@b.co ftp://x.y", "README.md //x.y a@b.co ftp://x.y"))
  it("shows an address as it was written", () =>
    reads(
      "https://xn--80ak6aa92e.com/%61",
      "<a https://xn--80ak6aa92e.com/%61>https://xn--80ak6aa92e.com/%61</a>",
    ))
  it("names a picture and where it is", () =>
    reads("![a *b*](https://x.y/spy.png)", "<img https://x.y/spy.png>a b"))
  it("reads escapes, entities and line breaks", () => {
    reads("\\*a\\* \\[b\nc\\\nd", "*a* [b⏎c⏎⏎d")
    reads("&lt;b&gt; &copy; &nope;", "<b> © &nope;")
  })
  it("shows marks that are nested too deeply as they were written", () => {
    const marks = "*".repeat(4 * MAX_INLINE_DEPTH)
    const [paragraph] = parseMarkdown(`${marks}a${marks}`)
    expect(linesOf(paragraph as MarkdownBlock).replaceAll(/<\/?b>/g, "**")).toBe(
      `${marks}a${marks}`,
    )
    expect(depthOf(paragraph as MarkdownBlock)).toBe(MAX_INLINE_DEPTH)
  })
})

describe("a hostile text", () => {
  it("never throws, and loses no word", () => {
    const pieces = "a b * _ ~ ` [ ] ( ) < > ! # - + | \\ & ; : / = 1. \n \t".split(" ")
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces, " ", "    ", "```", "https://a.b"), {
          maxLength: 60,
          size: "max",
        }),
        (all) => {
          const source = all.join("")
          const kept = parseMarkdown(source).map(everything).join("").replaceAll(/[^ab]/g, "")
          // A definition and the info of a fence are not drawn; a bare address is told twice.
          if (/\]:|```|~~~|https/.test(source)) return
          expect(kept).toBe(source.replaceAll(/[^ab]/g, ""))
        },
      ),
      { numRuns: 3000 },
    )
  })

  const marks = [
    ..."* _ ` [ ] ( < & > | ~ \\".split(" "),
    ..."*a _a ** ![a]( ~~x ``` https:// [a][b ![ [![ <!-- <? <!A <![CDATA[ <a<b &amp".split(" "),
    "- ",
    "> ",
    "1. ",
    "- a\n",
    "> a\n",
    "  - a\n",
    "[a]: b\n",
    "|a\n|-\n",
    "*a_b ",
    '<a x="',
    '[a](b "',
    "a\n",
    "# a\n",
    "<b>\n\n",
    "a\n---\n",
    "```\n",
    "mailto:a@",
    "http://a.b/(",
    "[a](<b",
    "\\\n",
  ]
  it.each(marks)("of %j is read in no time", (mark) => {
    const read = (times: number) => {
      const source = mark.repeat(times)
      const started = performance.now()
      parseMarkdown(source)
      return performance.now() - started
    }
    read(1_000)
    expect(read(20_000)).toBeLessThan(4_000)
  })
  it("of links within links is read in no time", () => {
    const started = performance.now()
    for (const [open, close] of [
      ["[", "](a)"],
      ["![", "](a)"],
      ["*a **b", "c** d*"],
      ["<a>", "</a>"],
    ] as const)
      parseMarkdown(open.repeat(5_000) + close.repeat(5_000))
    expect(performance.now() - started).toBeLessThan(4_000)
  })
})

function brief(block: MarkdownBlock): string {
  const inside = (blocks: readonly MarkdownBlock[]) => blocks.map(brief).join(" ")
  switch (block.type) {
    case "heading":
      return `h${block.level}(${linesOf(block)})`
    case "paragraph":
      return `p(${linesOf(block)})`
    case "code":
      return `code:${block.language}(${block.text.replaceAll("\n", "⏎")})`
    case "quote":
      return `quote(${inside(block.blocks)})`
    case "list":
      return `${block.start === null ? "ul" : `ol${block.start}`}(${block.items
        .map(
          (item) =>
            (item.checked === null ? "" : item.checked ? "[x] " : "[ ] ") + inside(item.blocks),
        )
        .join(" | ")})`
    case "table":
      return `table(${[block.head, ...block.rows].map((row) => row.map(show).join(",")).join("; ")})`
    case "rule":
      return "hr"
    case "html":
      return `html(${block.text})`
    case "definition":
      return "def"
  }
}

function linesOf(block: MarkdownBlock): string {
  return "children" in block ? show(block.children) : ""
}

function show(inlines: MarkdownInlines): string {
  return inlines.map(showOne).join("")
}

const TAGS = { strong: "b", emphasis: "em", deleted: "del" }

function showOne(inline: MarkdownInline): string {
  switch (inline.type) {
    case "text":
    case "html":
      return inline.text
    case "code":
      return `<code>${inline.text}</code>`
    case "break":
      return inline.hard ? "⏎⏎" : "⏎"
    case "link":
      return `<${opening("a", inline.opens)}>${show(inline.children)}</a>`
    case "image":
      return `<${opening("img", inline.opens)}>${inline.alt}`
    case "strong":
    case "emphasis":
    case "deleted": {
      const tag = TAGS[inline.type]
      return `<${tag}>${show(inline.children)}</${tag}>`
    }
  }
}

function opening(tag: string, opens: string | null): string {
  return opens === null ? tag : `${tag} ${opens}`
}

/** How many spans stand within each other. */
function depthOf(block: MarkdownBlock): number {
  const depth = (inlines: MarkdownInlines): number =>
    Math.max(0, ...inlines.map((one) => ("children" in one ? 1 + depth(one.children) : 0)))
  return "children" in block ? depth(block.children) : 0
}

/** Every text in a tree, the addresses of its links included. */
function everything(tree: unknown): string {
  if (typeof tree === "string") return tree
  if (Array.isArray(tree)) return tree.map(everything).join("")
  if (typeof tree !== "object" || tree === null) return ""
  return Object.entries(tree)
    .filter(([key]) => !["type", "opens", "align", "language"].includes(key))
    .map(([, value]) => everything(value))
    .join("")
}
