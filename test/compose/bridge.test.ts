import { writePart } from "../../packages/core/parts/table.ts"
import { AnyPart } from "../../packages/core/parts/read-part.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import { describe, expect, it } from "vitest"
import { partsOfInput } from "../../packages/core/compose/bridge.ts"
import { inputOfParts } from "../../packages/core/compose/edit-parts.ts"
import type { ComposerNode } from "../../packages/core/compose/node.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import { BARE_VOCABULARY } from "../../packages/core/compose/vocabulary.ts"
import { fileRef, text } from "../build.ts"
import { vocabulary } from "./words.ts"

type Persisted = PartData

function parts(source: string, nodes: readonly ComposerNode[] = parse(source, vocabulary)) {
  return partsOfInput({ source, nodes }, vocabulary)
}
function becomes(source: string, ...expected: object[]) {
  expect(parts(source)).toEqual(expected)
  for (const part of parts(source)) expect(writePart(AnyPart.parse(part))).toEqual(part)
}
const command = (id: string, args: string, raw: string, more: object = {}) => ({
  type: "command",
  id,
  args: { raw: args },
  raw,
  ...more,
})
const passing = (id: string, args: string, raw: string) =>
  command(id, args, raw, { outcome: "pass-through" })
const mention = (kind: string, name: string) => ({ type: "mention", target: { kind, name } })

describe("from an input to parts", () => {
  it("[EA-041] cuts the source at its references, in order", () =>
    becomes(
      "Look at @src/a.ts#L10-25 and @b.md, please.",
      text("Look at "),
      fileRef("src/a.ts", { start: 10, end: 25 }),
      text(" and "),
      fileRef("b.md"),
      text(", please."),
    ))
  it("[EA-041] [CMP-060] makes mentions of symbols, branches, skills and what an editor is asked for", () =>
    becomes(
      "@symbol:Foo @branch:main @skill:pdf @selection @ticket:42",
      mention("symbol", "Foo"),
      mention("branch", "main"),
      mention("skill", "pdf"),
      mention("context", "selection"),
      mention("ticket", "42"),
    ))
  it("[CMP-006] makes a file-ref of a server's resource", () =>
    becomes("@docs:guide", {
      type: "file-ref",
      ref: { kind: "mcp", server: "docs", uri: "guide" },
    }))
  it("[EA-041] [BEY-08] keeps a place that is no range, and what is inside an archive", () => {
    const page = { unit: "page", start: 3, end: 7 }
    becomes("@a.pdf#page=3-7", {
      type: "file-ref",
      ref: { kind: "path", path: "a.pdf", fragment: page },
    })
    becomes("@a.zip!/b.ts", {
      type: "file-ref",
      ref: { kind: "path", path: "a.zip", entry: "b.ts" },
    })
  })
  it("[EA-041] [CMP-040] gives a command the text up to the next one, and says it nowhere else", () =>
    becomes(
      "Please /review src/a.ts critical\n/search icons",
      text("Please "),
      command("/review", "src/a.ts critical", "/review src/a.ts critical\n"),
      command("/search", "icons", "/search icons"),
    ))
  it("[CMP-055] makes a part of a command without arguments", () =>
    becomes("/compact", command("/compact", "", "/compact")))
  it("[CMP-047] keeps references among the arguments, and what they name for a template", () =>
    becomes(
      "/review @src/a.ts#L1-2 with @skill:pdf twice",
      {
        type: "command",
        id: "/review",
        args: { raw: "@src/a.ts#L1-2 with @skill:pdf twice", text: "src/a.ts#L1-2 with  twice" },
        raw: "/review @src/a.ts#L1-2 with @skill:pdf twice",
      },
      { ...fileRef("src/a.ts", { start: 1, end: 2 }), argument_of: "/review" },
      { ...mention("skill", "pdf"), argument_of: "/review" },
    ))
  it("[CMP-044] passes an unknown command that leads through as it was typed", () => {
    becomes("/foo  bar\nbaz", passing("/foo", "bar\nbaz", "/foo  bar\nbaz"))
    becomes(
      "/foo see @a.ts now",
      {
        ...passing("/foo", "see @a.ts now", "/foo see "),
        args: { raw: "see @a.ts now", text: "see a.ts now" },
      },
      fileRef("a.ts"),
      text(" now"),
    )
  })
  it("[CMP-042] does not act on an action that neither leads nor was chosen", () => {
    becomes("don't /clear yet", text("don't /clear yet"))
    const source = "don't /clear yet"
    const node = { kind: "slash_command", start: 6, end: 12, raw: "/clear", name: "clear" }
    expect(parts(source, [node])).toEqual([text(source)])
    expect(parts(source, [{ ...node, chosen: true }])).toEqual([
      text("don't "),
      command("/clear", "yet", "/clear yet", { chosen: true }),
    ])
    becomes("/clear", command("/clear", "", "/clear"))
  })
  it("[CMP-044] takes an unknown command inside the text for text, whoever sent it as a node", () => {
    const source = "see /nope and @a.ts"
    const nodes = [
      { kind: "slash_command", start: 4, end: 9, raw: "/nope", name: "nope", chosen: true },
    ]
    expect(parts(source, [...nodes, ...parse(source, vocabulary)])).toEqual([
      text("see /nope and "),
      fileRef("a.ts"),
    ])
  })
  it("[EA-004] keeps the arguments a node brought, and what was typed beside them", () => {
    const node = {
      kind: "slash_command",
      start: 0,
      end: 7,
      raw: "/review",
      name: "review",
      args: { depth: 2, raw: "x" },
    }
    expect(parts("/review a", [node])).toEqual([
      { type: "command", id: "/review", args: { depth: 2, raw: "a" }, raw: "/review a" },
    ])
  })
  it("[EA-004] [EA-041] keeps a kind that it does not know", () => {
    const node = {
      kind: "App_Thing",
      start: 4,
      end: 8,
      raw: "@it!",
      id: "7",
      type: "text",
      text: "no",
    }
    const [, part] = parts("see @it!", [node])
    expect(part).toEqual({ type: "node-app-thing", node_kind: "App_Thing", id: "7", text: "@it!" })
    expect(writePart(AnyPart.parse(part))).toEqual(part)
  })
  it("[EA-002] takes nodes of text as the text they are", () => {
    const nodes = [
      { kind: "text", start: 0, end: 4, raw: "see " },
      { kind: "file", start: 4, end: 9, raw: "@a.ts", path: "a.ts" },
      { kind: "text", start: 9, end: 13, raw: " now" },
    ]
    expect(parts("see @a.ts now", nodes)).toEqual([text("see "), fileRef("a.ts"), text(" now")])
    expect(partsOfInput({ source: "see @a.ts" }, vocabulary)).toEqual([text("see @a.ts")])
  })
  it("[BEY-08] leaves a place that no file has as it was typed", () =>
    becomes("see @a.ts#L9-3 now", text("see @a.ts#L9-3 now")))
  it("says nothing that is not there", () => {
    becomes("  \n ")
    becomes("@a.ts  @b.ts", fileRef("a.ts"), fileRef("b.ts"))
  })
  it("[CMP-044] recognises no command without a catalog", () => {
    const source = "/review a"
    const nodes = parse(source, vocabulary)
    expect(partsOfInput({ source, nodes }, BARE_VOCABULARY)).toEqual([
      passing("/review", "a", "/review a"),
    ])
  })
})

describe("from parts to an input", () => {
  function reads(source: string) {
    const persisted = parts(source)
    const back = inputOfParts(persisted, vocabulary)
    expect(back).toEqual({ source, nodes: parse(source, vocabulary), rest: [] })
    expect(partsOfInput(back, vocabulary)).toEqual(persisted)
  }

  it("[EA-041] gives back what was typed", () => {
    for (const source of [
      "Look at @src/a.ts#L10-25 and @b.md, please.",
      "/review @src/a.ts twice",
      "/review @src/a.ts twice /search x",
      "/foo  bar @a.ts baz",
      '(see @"a b.md"#L3) @selection, @skill:pdf!',
      "@docs:guide @a.pdf#page=3 @b.zip!/c.ts",
      "hi",
    ])
      reads(source)
  })
  it("[EA-041] keeps beside it what no text can stand for, and leaves out what was derived", () => {
    const picture: PartData = { type: "file-attachment", name: "a.png", mime: "image/png" }
    const url: PartData = { type: "file-ref", ref: { kind: "url", url: "https://a.b" } }
    const nameless: PartData = { type: "mention", target: { kind: "node", id: 7 } }
    const derived: PartData = { ...text("expanded"), derived_from: "prt_1" }
    const back = inputOfParts([text("see"), picture, derived, url, nameless], vocabulary)
    expect(back).toEqual({ source: "see", nodes: [], rest: [picture, url, nameless] })
  })
  it("[EA-041] keeps a command that was chosen, and a kind that it does not know", () => {
    const persisted: Persisted[] = [
      text("don't "),
      { type: "command", id: "/clear", args: { raw: "yet", depth: 1 }, chosen: true },
      { type: "node-thing", node_kind: "thing", text: "@it", id: "7" },
    ]
    const { source, nodes } = inputOfParts(persisted, vocabulary)
    expect(source).toBe("don't /clear yet@it")
    expect(nodes).toEqual([
      {
        kind: "slash_command",
        start: 6,
        end: 12,
        raw: "/clear",
        name: "clear",
        chosen: true,
        args: { depth: 1 },
      },
      { kind: "thing", start: 16, end: 19, raw: "@it", id: "7" },
    ])
  })
  it("keeps two texts apart", () =>
    expect(inputOfParts([text("one"), text("two")], vocabulary).source).toBe("one\ntwo"))
  it("[CMP-063] reads a mention of a file as the file", () => {
    const part: PartData = { type: "mention", target: { kind: "file", path: "a.ts" } }
    expect(inputOfParts([part], vocabulary).source).toBe("@a.ts")
  })
})
