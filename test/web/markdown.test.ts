import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Inline, inlineOf } from "../../apps/web/thread/inline.ts"
import { type Block, grow, type Parsed, parse } from "../../apps/web/thread/markdown.ts"

describe("parse", () => {
  function reads(source: string, expected: string) {
    expect(parse(source).map(brief).join(" ")).toBe(expected)
  }

  it("reads headings, rules and paragraphs", () =>
    reads("# One\ntwo\nthree\n\n---\n###### Six ##", "h1(One) p(two⏎three) hr h6(Six)"))
  it("reads a fence as it is, also one that never ends", () => {
    reads("```ts\nconst a = `1`\n# no\n```\nafter", "code:ts(const a = `1`⏎# no) p(after)")
    reads("~~~\n```\n~~~", "code:(```)")
    reads("````md\n```\n````", "code:md(```)")
    reads("```js\nlet a\n", "code:js(let a)")
  })
  it("reads lists, nested and with tasks", () => {
    reads("- a\n- b\n  - c\n  - d\n- [x] e", "ul(p(a) | p(b) ul(p(c) | p(d)) | [x] p(e))")
    reads("3. a\n4. b\n\n   more\n\nend", "ol3(p(a) | p(b) p(more)) p(end)")
    reads("- a\nlazy\n\n- b", "ul(p(a⏎lazy) | p(b))")
    reads("- a\n* b\n1. c", "ul(p(a)) ul(p(b)) ol1(p(c))")
  })
  it("reads quotes", () => reads("> a\n> > b\n\nc", "quote(p(a) quote(p(b))) p(c)"))
  it("reads tables, and only those whose rule fits", () => {
    reads("| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |", "table(a,b; 1,x | y; 2,)")
    reads("a | b\n---", "p(a | b) hr")
  })
  it("has no HTML", () => reads("<script>alert(1)</script>", "p(<script>alert(1)</script>)"))
  it("stops nesting before the stack does", () =>
    expect(parse(`${"> ".repeat(5000)}deep`)).toHaveLength(1))
})

describe("grow", () => {
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
  ]
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40, size: "max" })

  it("reads a text that grows as it reads the whole", () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        let parsed: Parsed | undefined
        let text = ""
        for (const piece of pieces) parsed = grow(parsed, (text += piece))
        expect(parsed?.blocks ?? []).toEqual(grow(undefined, text).blocks)
      }),
      { numRuns: 1000 },
    )
  })

  it("keeps the blocks that are done", () => {
    const before = grow(undefined, "one\n\ntwo\n\nthree\n\nfour")
    const after = grow(before, `${before.text} and more`)
    expect(after.blocks[0]).toBe(before.blocks[0])
    expect(after.blocks[1]).toBe(before.blocks[1])
    expect(grow(before, "another").blocks).toHaveLength(1)
  })
})

describe("inlineOf", () => {
  function reads(source: string, expected: string) {
    expect(inlineOf(source).map(show).join("")).toBe(expected)
  }

  it("reads emphasis, strong, deleted and code", () =>
    reads(
      "a *b* **c** ~~d~~ `e*f*` __g__ _h_",
      "a <em>b</em> <b>c</b> <del>d</del> <code>e*f*</code> <b>g</b> <em>h</em>",
    ))
  it("nests", () => {
    reads("**a *b* `c**`**", "<b>a <em>b</em> <code>c**</code></b>")
    reads("***a***", "<b><em>a</em></b>")
  })
  it("takes a mark without its partner as text", () => {
    for (const source of [
      "2 * 3 * 4",
      "snake_case_name",
      "**open",
      "a ` b",
      "*",
      "~/x ~y",
      "[a](b",
      "!",
      "a\\b",
    ])
      reads(source, source)
  })
  it("reads links to the web, and no others", () => {
    reads("[a **b**](https://x.y/z_(1)) c", "<a https://x.y/z_(1)>a <b>b</b></a> c")
    reads("see https://x.y/a_b. ok", "see <a https://x.y/a_b>https://x.y/a_b</a>. ok")
    for (const url of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "//x.y",
      "JaVaScRiPt:1",
    ])
      expect(JSON.stringify(inlineOf(`[a](${url})`))).not.toContain("url")
  })
  it("does not load a picture from elsewhere", () =>
    reads("![alt](https://x.y/spy.png)", "<a https://x.y/spy.png>alt</a>"))
  it("reads escapes and line breaks", () => reads("\\*a\\* \\[b\nc\\\nd", "*a* [b⏎c⏎d"))

  it("loses no word", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*_~`[\]()\\! ]{0,40}$/), (source) => {
        const kept = inlineOf(source).map(words).join("")
        expect(kept.replaceAll(/[^ab]/g, "")).toBe(source.replaceAll(/[^ab]/g, ""))
      }),
      { numRuns: 2000 },
    )
  })

  it("reads a page of marks in no time", () => {
    const started = performance.now()
    for (const mark of ["*a ", "_a ", "`", "[", "**", "![a](", "~~x", "``` ` ", "https://"])
      inlineOf(mark.repeat(20_000))
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

function brief(block: Block): string {
  const inside = (blocks: readonly Block[]) => blocks.map(brief).join(" ")
  switch (block.type) {
    case "heading":
      return `h${block.level}(${block.text})`
    case "paragraph":
      return `p(${block.text.replaceAll("\n", "⏎")})`
    case "fence":
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
      return `table(${[block.head, ...block.rows].map((row) => row.join(",")).join("; ")})`
    case "rule":
      return "hr"
  }
}

const TAGS = { strong: "b", emphasis: "em", deleted: "del" }

function show(inline: Inline): string {
  switch (inline.type) {
    case "text":
      return inline.text
    case "code":
      return `<code>${inline.text}</code>`
    case "break":
      return "⏎"
    case "link":
      return `<a ${inline.url}>${inline.children.map(show).join("")}</a>`
    case "strong":
    case "emphasis":
    case "deleted": {
      const tag = TAGS[inline.type]
      return `<${tag}>${inline.children.map(show).join("")}</${tag}>`
    }
  }
}

function words(inline: Inline): string {
  if (inline.type === "text" || inline.type === "code") return inline.text
  if (inline.type === "break") return ""
  const url = inline.type === "link" ? inline.url : ""
  return (
    inline.children.map(words).join("") + (url === inline.children.map(words).join("") ? "" : url)
  )
}
