import { describe, expect, it } from "vitest"
import { parse } from "../../packages/core/compose/parse.ts"
import { nodesIn, vocabulary } from "./words.ts"

function finds(source: string, ...raws: string[]) {
  const nodes = parse(source, vocabulary)
  expect(nodes.map((node) => node.raw)).toEqual(raws)
  for (const { start, end, raw } of nodes) expect(source.slice(start, end)).toBe(raw)
}
function means(source: string, ...nodes: Record<string, unknown>[]) {
  expect(nodesIn(source)).toEqual(nodes.map((node) => expect.objectContaining(node)))
}
const command = (name: string) => ({ kind: "slash_command", name })
const unknown = (name: string) => ({ kind: "slash_command", name, unknown: true })
const file = (path: string, start?: number, end = start) => ({
  kind: "file",
  path,
  ...(start === undefined ? {} : { range: { start, end } }),
})

describe("commands", () => {
  it("[EA-002] gives each node its span in UTF-16 units", () =>
    expect(parse("😀 /review a", vocabulary)).toEqual([
      { kind: "slash_command", start: 3, end: 10, raw: "/review", name: "review" },
    ]))
  it("[EA-003] finds several, with text and references between them", () =>
    finds(
      "/pr-review 123 in /worktree be sure to check @branch:main see @symbol:Horton",
      "/pr-review",
      "/worktree",
      "@branch:main",
      "@symbol:Horton",
    ))
  it("[CMP-044] keeps an unknown command that leads the message", () =>
    means("  /etc foo", unknown("etc")))
  it("[CMP-044] leaves an unknown command inside the text alone", () =>
    finds("see /foo and 1 /2, n/a, and/or"))
  it("[CMP-047] finds a template, a skill or a structured command anywhere", () =>
    finds("please /review a.ts\n\t/search b /pdf", "/review", "/search", "/pdf"))
  it("[CMP-042] finds an action only where it leads", () => {
    finds("don't /clear yet")
    means("/clear", command("clear"))
    finds("/compact /clear", "/compact")
  })
  it("takes absolute paths, comments and fractions for text", () => {
    for (const source of [
      "/etc/passwd",
      "/usr/bin is",
      "//x",
      "/* y */",
      "/",
      "/ a",
      "/.x",
      "/etc/",
    ])
      finds(source)
  })
  it("reads every way a name is written", () => {
    means("/team:review x", command("team:review"))
    means("/team/notes x", command("team/notes"))
    means("x /mcp:github:triage", command("mcp:github:triage"))
    means("x /server.prompt", command("server.prompt"))
    means("x /c++ y", command("c++"))
    means("/mcp__gh__triage", unknown("mcp__gh__triage"))
    means("/评审 文件", command("评审"))
    means("看 /评审，请", command("评审"))
    means("/日本語", unknown("日本語"))
  })
  it("leaves the punctuation of a sentence to it", () => {
    for (const end of [".", ", now", ": a", "…", ")", "?!", "，"]) finds(`/review${end}`, "/review")
    finds("/foo!", "/foo")
    finds("/foo.bar.", "/foo.bar")
  })
  it("takes a command followed by a tab or a line break", () => {
    finds("/review\ta", "/review")
    finds("/review\na", "/review")
    finds("/review\r\na", "/review")
  })
  it("does not take a slash inside a word, or glued to something", () => {
    for (const source of [
      "a/review",
      '"/review"',
      "(/review)",
      "/review`x`",
      "/foo,bar",
      "\\/review",
    ])
      finds(source)
  })
  it("gives up on a name that is too long", () => {
    finds(`/${"a".repeat(256)}`, `/${"a".repeat(256)}`)
    finds(`/${"a".repeat(257)}`)
  })
  it("reads a skill that is named with a dollar", () => {
    means("use $pdf, please", { kind: "skill", name: "pdf" })
    finds("costs $5 or $review of $PATH, a$pdf")
  })
})

describe("references", () => {
  it("[CMP-060] reads files, with lines in every way of writing them", () => {
    means("@file:src/lib/foo.ts", file("src/lib/foo.ts"))
    means("@src/a.ts#L10-25", file("src/a.ts", 10, 25))
    means(
      "@a.ts#L3 @a.ts#L3-L9 @a.ts#L3:9",
      file("a.ts", 3),
      file("a.ts", 3, 9),
      file("a.ts", 3, 9),
    )
    means("@a.ts:10-25 @a.ts:7 @a.ts:7:12", file("a.ts", 10, 25), file("a.ts", 7), file("a.ts", 7))
    means("@a.ts#10-25", file("a.ts", 10, 25))
    means("@file:Makefile#L2", file("Makefile", 2))
  })
  it("reads quoted paths, in which everything is literal", () => {
    means('@"my notes/a b.md"#L2-3 ok', file("my notes/a b.md", 2, 3))
    means('@"a#L1-2.ts"', file("a#L1-2.ts"))
    means('@file:"a b":7', file("a b", 7))
    means('@"say ""hi"".md"', file('say "hi".md'))
    finds('@"" @"a\nb.ts')
    finds('@"open @b.ts', "@b.ts")
  })
  it("reads paths of Windows", () => {
    means("@C:\\src\\a.ts:10-20", file("C:\\src\\a.ts", 10, 20))
    means("@C:\\x:10-20", file("C:\\x", 10, 20))
    means("@\\\\host\\share\\f.txt", file("\\\\host\\share\\f.txt"))
  })
  it("keeps brackets that belong to a path, and leaves those around it", () => {
    finds("(see @src/a.ts) @app/(home)/[id].tsx!", "@src/a.ts", "@app/(home)/[id].tsx")
    finds("“@src/a.ts” '@b.ts'. <@c.ts>", "@src/a.ts", "@b.ts", "@c.ts")
    finds("看（@报告（终版）.docx）。", "@报告（终版）.docx")
    finds("你好，@src/a.ts，请看", "@src/a.ts")
  })
  it("[CMP-061] reads skills, symbols, branches and what the host added", () => {
    means(
      "@skill:pdf @symbol:ns::Foo<T> @branch:feature/x @ticket:42",
      { kind: "skill", name: "pdf" },
      { kind: "symbol", name: "ns::Foo<T>" },
      { kind: "branch", name: "feature/x" },
      { kind: "mention", of: "ticket", name: "42" },
    )
    means('@symbol:"Foo Bar".', { kind: "symbol", name: "Foo Bar", raw: '@symbol:"Foo Bar"' })
    finds("@skill: @skill:. @nobody:x")
  })
  it("[CMP-076] reads what the editor is asked for", () => {
    means(
      "fix @selection, @open!",
      { kind: "context", name: "selection" },
      { kind: "context", name: "open" },
    )
    finds("@cursor @last @history @viewport", "@cursor", "@last", "@history", "@viewport")
    finds("@selections @Selection @open/close", "@open/close")
  })
  it("[CMP-006] reads resources of a known server", () => {
    means("@docs:guide/start", { kind: "resource", server: "docs", uri: "guide/start" })
    means("@docs:doc://a/b.md.", { kind: "resource", server: "docs", uri: "doc://a/b.md" })
  })
  it("does not take a name, an address or a web link for a path", () => {
    for (const source of [
      "@alice hi",
      "me@example.com",
      "mail <me@example.com>, or @me@social.example",
      "hello @bob.",
      "@https://a.b/c",
      "https://a.b/@c/d (https://a.b/(@c/d))",
      "@... @./ @",
      "a@b/c",
      "用户@例子.公司",
    ])
      finds(source)
  })
  it("leaves a word behind a hash that names no place", () =>
    means("@README.md#install and @x/C#/a.cs", file("README.md"), file("x/C#/a.cs")))
  it("[BEY-08] says what is wrong with a place that no file has", () => {
    means("@a.ts#L9-3", {
      path: "a.ts",
      fault: { reason: "inverted", message: "lines 9-3 end before they begin" },
    })
    means("@a.ts#L0", { path: "a.ts", fault: { reason: "zero", message: "lines count from 1" } })
  })
  it("gives up behind too many brackets", () => {
    finds(`${"(".repeat(15)}@a.ts`, "@a.ts")
    finds(`${"(".repeat(16)}@a.ts`)
  })
  it("gives up on a reference that is too long", () => {
    const long = `@a/${"b".repeat(5000)}`
    finds(`${long} @c.ts`, "@c.ts")
    finds(`@"${"b".repeat(5000)}" @c.ts`, "@c.ts")
    finds(`@symbol:${"b".repeat(2000)} @c.ts`, "@c.ts")
  })
})

describe("code", () => {
  it("[CMP-111] finds nothing in a fence", () => {
    finds("```sh\n/review x\n@a.ts\n```\n/review", "/review")
    finds("~~~~\n@a.ts\n~~~\n@b.ts\n~~~~ \n@c.ts", "@c.ts")
    finds("> ```\n> @a.ts\n> ```\n@b.ts", "@b.ts")
    finds("1. ```\n   @a.ts\n   ```\n- @b.ts", "@b.ts")
    finds("```\n/etc foo")
    finds("/review\n```\n/review\n````\n@b.ts", "/review", "@b.ts")
  })
  it("finds nothing between ticks", () => {
    finds("the package `@scope/name` is")
    finds("`` a ` @a.ts `` @b.ts", "@b.ts")
    finds("`open @a.ts", "@a.ts")
    finds("`open @a.ts\n` @b.ts", "@a.ts", "@b.ts")
    finds("```not a fence``` @a.ts", "@a.ts")
    finds("x`@a.ts`/review @b.ts", "@b.ts")
  })
  it("does not look for the end of code very far", () => {
    finds(`\`${" x".repeat(1000)} @a.ts\``)
    finds(`\`${" x".repeat(3000)} @a.ts\``, "@a.ts")
  })
  it("[EA-003] finds nothing in nothing", () => {
    finds("")
    finds(" \n ")
  })
})
