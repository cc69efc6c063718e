import { describe, expect, it } from "vitest"
import { parse } from "../../packages/core/compose/parse.ts"
import type { Chip } from "../../packages/core/compose/print-node.ts"
import {
  type ComposerPiece,
  piecesOf,
  serialize,
  withChips,
} from "../../packages/core/compose/serialize.ts"
import { vocabulary } from "./words.ts"

const file = (path: string, more: object = {}): Chip => ({ kind: "file", path, ...more })
const command = (name: string): Chip => ({ kind: "slash_command", name })

describe("serialize", () => {
  function writes(pieces: ComposerPiece[], source: string) {
    const serialized = serialize(pieces)
    expect(serialized.source).toBe(source)
    for (const { start, end, raw } of serialized.nodes) expect(source.slice(start, end)).toBe(raw)
    return serialized.nodes
  }

  it("[EA-040] writes chips and text as one source, with a node for each chip", () => {
    const nodes = writes(
      [
        command("review"),
        " the change in ",
        file("src/a.ts", { range: { start: 10, end: 25 } }),
        ", please",
      ],
      "/review the change in @src/a.ts#L10-25, please",
    )
    expect(nodes).toEqual([
      { kind: "slash_command", name: "review", start: 0, end: 7, raw: "/review" },
      {
        kind: "file",
        path: "src/a.ts",
        range: { start: 10, end: 25 },
        start: 22,
        end: 38,
        raw: "@src/a.ts#L10-25",
      },
    ])
  })
  it("[EA-040] gives a reference of many words exact boundaries", () => {
    const [node] = writes(
      [{ kind: "symbol", name: "Horton hears a who" }, "?"],
      '@symbol:"Horton hears a who"?',
    )
    expect(node).toMatchObject({ start: 0, end: 28, name: "Horton hears a who" })
    const [shown] = writes(
      ["see ", { kind: "branch", name: "Main line", raw: "@Main line" }],
      "see @Main line",
    )
    expect(shown).toMatchObject({ start: 4, end: 14, name: "Main line" })
  })
  it("[EA-040] keeps a chip from running into what stands beside it", () => {
    writes(["see", file("a.ts"), "now"], "see @a.ts now")
    writes(["(", file("a.ts"), ")."], "(@a.ts).")
    writes([file("a.ts"), file("b.ts")], "@a.ts @b.ts")
    writes([command("review"), file("b.ts")], "/review @b.ts")
    writes(["x (", command("review")], "x ( /review")
    writes([file("a.ts"), "", ".bak"], "@a.ts .bak")
  })
  it("writes every reference so that it is read again", () => {
    const chips: Chip[] = [
      file("Makefile"),
      file("a b/c.ts", { range: { start: 3, end: 3 } }),
      file("a#L1-2.ts"),
      file("skill:x.ts"),
      file("C:\\src\\a.ts"),
      file("icon@2x.png"),
      file("b.zip", { entry: "src/a.ts" }),
      file("t.mp4", { fragment: { unit: "time", start: 40, end: 70 } }),
      { kind: "skill", name: "pdf" },
      { kind: "symbol", name: 'operator"" _x' },
      { kind: "branch", name: "fix." },
      { kind: "mention", of: "ticket", name: "42" },
      { kind: "context", name: "selection" },
      { kind: "resource", server: "docs", uri: "doc://a/b c" },
      command("review"),
    ]
    for (const chip of chips) {
      const { source, nodes } = serialize(["go ", chip, " on"])
      expect(parse(source, vocabulary)).toEqual(nodes)
    }
  })
  it("writes what cannot be read again as well as it can", () => {
    writes([file("two\nlines")], "@two lines")
    writes([{ kind: "skill", name: "a\nb" }], "@skill:a b")
    writes([{ kind: "person", name: "Ann Lee" }], '@person:"Ann Lee"')
    writes([{ kind: "cursor" }], "@cursor")
  })
  it("is linear in the number of chips", () => {
    const pieces = Array.from({ length: 20_000 }, () => [command("review"), " x "]).flat()
    const began = performance.now()
    expect(serialize(pieces).nodes).toHaveLength(20_000)
    expect(performance.now() - began).toBeLessThan(2000)
  })
})

describe("piecesOf", () => {
  it("[EA-040] goes back to what is visible", () => {
    const source = "/review @a.ts, then"
    const pieces = piecesOf({ source, nodes: parse(source, vocabulary) })
    expect(pieces).toEqual([
      { kind: "slash_command", raw: "/review", name: "review" },
      " ",
      { kind: "file", raw: "@a.ts", path: "a.ts" },
      ", then",
    ])
    expect(serialize(pieces)).toEqual({ source, nodes: parse(source, vocabulary) })
    expect(piecesOf({ source: "hi" })).toEqual(["hi"])
  })
})

describe("withChips", () => {
  it("[EA-040] puts what was chosen in the place of what was found", () => {
    const source = "@a.ts now /clear @b.ts @c.ts"
    const chosen = {
      kind: "slash_command",
      start: 10,
      end: 16,
      raw: "/clear",
      name: "clear",
      chosen: true,
    }
    const wide = { kind: "symbol", start: 17, end: 28, raw: "@b.ts @c.ts", name: "b and c" }
    const found = parse(source, vocabulary)
    expect(withChips(found, [chosen, wide])).toEqual([found[0], chosen, wide])
    expect(withChips(found, [])).toEqual(found)
    expect(withChips([], [chosen])).toEqual([chosen])
  })
})
