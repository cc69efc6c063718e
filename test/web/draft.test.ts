import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AnyPart } from "../../src/client/client.ts"
import { draftOfParts, partsOfDraft, referencesIn } from "../../src/web/draft.ts"

const text = (text: string): AnyPart => ({ type: "text", text })
const file = (path: string, start?: number, end = start): AnyPart => ({
  type: "file-ref",
  ref: { kind: "path", path, ...(start && end ? { range: { start, end } } : {}) },
})
const picture: AnyPart = { type: "file-attachment", name: "a.png", mime: "image/png" }

describe("partsOfDraft", () => {
  function becomes(source: string, ...parts: AnyPart[]) {
    expect(partsOfDraft(source)).toEqual(parts)
  }

  it("cuts the source at its references, in order", () =>
    becomes(
      "Look at @src/a.ts#L10-25 and @b.md, please.",
      text("Look at "),
      file("src/a.ts", 10, 25),
      text(" and "),
      file("b.md"),
      text(", please."),
    ))
  it("reads one line, and GitHub's way of writing two", () =>
    becomes(
      "@a.ts#L3 @a.ts#L3-L9 @a.ts#L3:9",
      file("a.ts", 3),
      file("a.ts", 3, 9),
      file("a.ts", 3, 9),
    ))
  it("leaves brackets around a path, and keeps those in it", () =>
    becomes(
      "(see @src/a.ts) @app/(home)/[id].tsx!",
      text("(see "),
      file("src/a.ts"),
      text(") "),
      file("app/(home)/[id].tsx"),
      text("!"),
    ))
  it("reads a quoted path with spaces", () =>
    becomes('@"my notes/a b.md"#L2-3 ok', file("my notes/a b.md", 2, 3), text(" ok")))
  it("does not take a name, an address or a web link for a path", () => {
    for (const source of [
      "@alice hi",
      "me@example.com",
      "hello @bob.",
      "@https://a.b/c",
      "@...",
      "a@b/c",
    ])
      becomes(source, text(source))
  })
  it("does not look into code", () => {
    const fenced = "```ts\n@src/a.ts\n```"
    becomes(`${fenced}\nthen @b.ts`, text(`${fenced}\nthen `), file("b.ts"))
    becomes("the package `@scope/name` is", text("the package `@scope/name` is"))
    becomes("~~~~\n@a.ts\n~~~\n@b.ts\n~~~~", text("~~~~\n@a.ts\n~~~\n@b.ts\n~~~~"))
  })
  it("leaves an inverted range as it was typed, and says so", () => {
    becomes("@a.ts#L9-3", text("@a.ts#L9-3"))
    expect(referencesIn("@a.ts#L9-3")[0]?.fault).toBe("inverted")
    expect(referencesIn("@a.ts#L0")[0]?.fault).toBe("zero")
  })
  it("sends no white space of its own", () => {
    becomes("  \n ")
    becomes("  hi \n", text("hi"))
  })
  it("puts what is attached last", () =>
    expect(partsOfDraft("see", [picture])).toEqual([text("see"), picture]))
})

describe("draftOfParts", () => {
  it("gives back what was typed, and keeps what was not beside it", () => {
    const parts = partsOfDraft("Look at @src/a.ts#L10-25, please.", [picture])
    expect(draftOfParts(parts)).toEqual({
      text: "Look at @src/a.ts#L10-25, please.",
      rest: [picture],
    })
  })

  it("reads back as the same parts", () => {
    const word = fc.stringMatching(/^[a-zA-Zé日😀]{1,6}$/u)
    const path = fc.oneof(
      fc.stringMatching(/^[a-z]{1,5}\/[a-z()[\] ]{0,6}[a-z]\.[a-z]{1,3}$/),
      fc.constantFrom("Makefile", "a b", "x.", "it's/here.md", "#notes/a.md", "@types/node"),
    )
    const lines = fc.option(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.nat(99)), {
      nil: undefined,
    })
    const reference = fc
      .tuple(path, lines)
      .map(([path, lines]) => (lines ? file(path, lines[0], lines[0] + lines[1]) : file(path)))
    const sentence = fc
      .array(word, { minLength: 1, maxLength: 4 })
      .map((words) => ` ${words.join(" ")} `)
    fc.assert(
      fc.property(fc.array(fc.tuple(reference, sentence), { maxLength: 5 }), (pairs) => {
        const parts = [text("So"), ...pairs.flatMap(([ref, said]) => [ref, text(said)])]
        const [first, ...rest] = parts
        const sent = partsOfDraft(draftOfParts([first ?? text("So"), ...rest]).text)
        expect(sent.map(bare)).toEqual(parts.map(bare))
      }),
    )
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1, maxLength: 5 }), (references) => {
        expect(partsOfDraft(draftOfParts(references).text)).toEqual(references)
      }),
    )
  })

  function bare(part: AnyPart): unknown {
    return part.type === "text" ? String(part.text).trim() : part
  }
})
