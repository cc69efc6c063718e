import { describe, expect, it } from "vitest"
import { ComposerDocument } from "../../packages/core/compose/document.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import { vocabulary } from "./words.ts"

const LINE = "Please /review what is in @src/a.ts#L1-2 and go on.\n"

describe("ComposerDocument", () => {
  function isRight(document: ComposerDocument, source: string) {
    expect(document.source).toBe(source)
    expect(document.length).toBe(source.length)
    expect(document.nodes()).toEqual(parse(source, vocabulary))
  }

  it("has the nodes that a parse of its source has", () => {
    const source = LINE.repeat(500)
    isRight(new ComposerDocument(source, vocabulary), source)
    isRight(new ComposerDocument("", vocabulary), "")
  })
  it("is cut elsewhere than a parse, and finds the same", () => {
    const lines = [LINE, "`a\n", "```\n", '@"a b.ts" `x` ', "x".repeat(700), " /clear (", "~~~\n"]
    let seed = 1
    for (let round = 0; round < 20; round++) {
      let source = ""
      while (source.length < 100_000) {
        seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
        source += lines[(seed >> 16) % lines.length]
      }
      isRight(new ComposerDocument(source, vocabulary), source)
    }
  })
  it("follows what is typed, pasted and deleted", () => {
    const document = new ComposerDocument("", vocabulary)
    let source = ""
    const edit = (from: number, to: number, insert: string) => {
      document.edit(from, to, insert)
      source = source.slice(0, from) + insert + source.slice(to)
      isRight(document, source)
    }
    for (const character of "/review @a.ts") edit(source.length, source.length, character)
    edit(0, 0, LINE.repeat(100))
    edit(2000, 2000, "x")
    edit(1000, 1000, "\n```\n")
    edit(3000, 3000, "\n```\n")
    edit(1000, 1005, "")
    edit(10, source.length - 10, "")
    edit(0, source.length, "")
    edit(0, 0, "@b.ts")
  })
  it("sees what is far from an edit", () => {
    const far = " x".repeat(1500)
    const source = `a \`${far} @a.ts ${far}`
    const document = new ComposerDocument(source, vocabulary)
    expect(document.nodes()).toHaveLength(1)
    document.edit(3100, 3100, "` ")
    isRight(document, `${source.slice(0, 3100)}\` ${source.slice(3100)}`)
  })
  it("reads again only what an edit can affect", () => {
    const source = LINE.repeat(20_000)
    const document = new ComposerDocument(source, vocabulary)
    const { from, to } = document.edit(500_000, 500_000, "x")
    expect(to - from).toBeLessThan(5000)
    const fenced = document.edit(500_000, 500_000, "\n```\n")
    expect(fenced.to).toBe(document.length)
    isRight(document, document.source)
  })
  it("does the same in one very long line", () => {
    const document = new ComposerDocument("word `".repeat(100_000), vocabulary)
    const { from, to } = document.edit(300_000, 300_000, "x")
    expect(to - from).toBeLessThan(20_000)
    const blob = new ComposerDocument("A".repeat(500_000), vocabulary)
    const typed = blob.edit(250_000, 250_000, "x")
    expect(typed.to - typed.from).toBeLessThan(5000)
  })
  it("tells the nodes of a stretch, and slices of its text", () => {
    const source = LINE.repeat(1000)
    const document = new ComposerDocument(source, vocabulary)
    const all = parse(source, vocabulary)
    expect(document.nodes(5200, 5300)).toEqual(
      all.filter(({ start, end }) => end >= 5200 && start <= 5300),
    )
    expect(document.slice(5200, 9000)).toBe(source.slice(5200, 9000))
  })
  it("knows whether a place is in a fence", () => {
    const document = new ComposerDocument(`a\n\`\`\`js\n${LINE.repeat(100)}\`\`\`\nb`, vocabulary)
    expect(document.inFence(0)).toBe(false)
    expect(document.inFence(3000)).toBe(true)
    expect(document.inFence(document.length)).toBe(false)
  })
  it("[EA-040] tells what is being typed, but not in a fence", () => {
    const document = new ComposerDocument(`${LINE.repeat(100)}see @src/m\n\`\`\`\n@src`, vocabulary)
    const cursor = LINE.length * 100 + 10
    expect(document.trigger(cursor)).toEqual({
      kind: "mention",
      from: cursor - 6,
      to: cursor,
      query: "src/m",
    })
    expect(document.trigger(document.length)).toBeUndefined()
    const long = new ComposerDocument(`x${"@a".repeat(200)}`, vocabulary)
    expect(long.trigger(long.length)).toBeUndefined()
  })
  it("refuses an edit outside its source", () => {
    const document = new ComposerDocument("abc", vocabulary)
    for (const [from, to] of [
      [-1, 0],
      [2, 1],
      [0, 4],
      [Number.NaN, 1],
    ] as const)
      expect(() => document.edit(from, to, "")).toThrow(
        `The edit ${from}-${to} is outside a source of 3 units.`,
      )
  })
})
