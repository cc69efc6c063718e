import { describe, expect, it } from "vitest"
import { MAX_NODES, readComposerInput } from "../../packages/core/compose/composer-input.ts"
import { MAX_TEXT_CHARACTERS } from "../../packages/core/message/limits.ts"

const SOURCE = "/pr-review 123 in /worktree be sure to check @Branch see @Horton"
const slash = { kind: "slash_command", start: 0, end: 10, raw: "/pr-review", name: "pr-review" }

function accepts(payload: object, ...moved: [path: string, message: string][]) {
  const read = readComposerInput(payload)
  expect(read).toMatchObject({
    type: "input",
    warnings: moved.map(([path, message]) => ({ path, message })),
  })
  return read.type === "input" ? read.input : undefined
}
function refuses(payload: unknown, ...faults: [path: string, message: string][]) {
  expect(readComposerInput(payload)).toEqual({
    type: "invalid",
    faults: faults.map(([path, message]) => ({ path, message })),
  })
}

describe("the shape of an input", () => {
  it("[EA-002] takes a source with and without nodes", () => {
    expect(accepts({ source: "" })).toEqual({ source: "" })
    expect(accepts({ source: "hi", nodes: [] })).toEqual({ source: "hi", nodes: [] })
    expect(accepts({ source: SOURCE, nodes: [slash] })).toEqual({ source: SOURCE, nodes: [slash] })
  })
  it("[EA-004] keeps kinds and fields that it does not know", () => {
    const nodes = [
      { ...slash, args: { number: 123 }, mood: "calm" },
      { kind: "attachment", start: 18, end: 27, raw: "/worktree", id: "att_1", depth: { a: [1] } },
    ]
    expect(accepts({ source: SOURCE, nodes })?.nodes).toEqual(nodes)
  })
  it("[EA-004] takes gaps, nodes without width and a name that differs from what was typed", () => {
    const nodes = [
      { kind: "cursor", start: 0, end: 0, raw: "" },
      { ...slash, name: "review-pr" },
      {
        kind: "file",
        start: 45,
        end: 52,
        raw: "@Branch",
        path: "a.ts",
        range: { start: 1, end: 2 },
      },
    ]
    expect(accepts({ source: SOURCE, nodes })?.nodes).toEqual(nodes)
  })
  it("[EA-005] says what a payload is not", () => {
    for (const payload of [null, undefined, 1, "x", []])
      refuses(payload, ["/", "must be an object"])
    refuses({}, ["/source", "must be a string"])
    refuses(
      { source: 1, nodes: null },
      ["/source", "must be a string"],
      ["/nodes", "must be an array"],
    )
    refuses(
      { source: "", nodes: [null, []] },
      ["/nodes/0", "must be an object"],
      ["/nodes/1", "must be an object"],
    )
  })
  it("[EA-005] tells every fault at once, each with its path", () =>
    refuses(
      {
        source: SOURCE,
        nodes: [
          { kind: "", start: 0.5, end: "1", raw: 7 },
          { kind: "slash_command", start: -1, end: 10, raw: "/pr-review", name: "Pr Review" },
          { kind: "file", start: 18, end: 17, raw: "/worktree", path: "" },
          { kind: "symbol", start: 18, end: 27, raw: "/worktree" },
          { kind: "branch", start: 45, end: 52, raw: "@Nobody", name: "Branch" },
          { kind: "text", start: 60, end: 99, raw: "nowhere" },
        ],
      },
      ["/nodes/0/kind", "must be a non-empty string"],
      ["/nodes/0/start", "must be an integer"],
      ["/nodes/0/end", "must be an integer"],
      ["/nodes/0/raw", "must be a string"],
      ["/nodes/1/start", "must be >= 0"],
      ["/nodes/1/name", "must be a lowercase kebab-case command name"],
      ["/nodes/2/path", "must be a string"],
      ["/nodes/2/end", "must be >= start"],
      ["/nodes/3/name", "must be a non-empty string"],
      ["/nodes/4/raw", "must equal source.slice(start, end)"],
      ["/nodes/5/end", "must be within source"],
    ))
  it("[EA-007] asks nothing about what a node means", () => {
    const nodes = [
      { kind: "slash_command", start: 0, end: 5, raw: "/QXYZ", name: "QXYZ" },
      { kind: "file", start: 6, end: 20, raw: "@../../missing", path: "../../missing" },
    ]
    accepts({ source: "/QXYZ @../../missing", nodes })
  })
  it("[EA-005] refuses what is too long", () => {
    refuses({ source: "x".repeat(MAX_TEXT_CHARACTERS + 1) }, [
      "/source",
      `must be at most ${MAX_TEXT_CHARACTERS} characters`,
    ])
    const node = { kind: "x", start: 0, end: 0, raw: "" }
    refuses({ source: "", nodes: Array.from({ length: MAX_NODES + 1 }, () => node) }, [
      "/nodes",
      `must be at most ${MAX_NODES} nodes`,
    ])
    const path = "a".repeat(4097)
    refuses({ source: path, nodes: [{ kind: "file", start: 0, end: 4097, raw: path, path }] }, [
      "/nodes/0/path",
      "must be at most 4096 characters",
    ])
  })
})

describe("spans", () => {
  it("[EA-006] puts the RFC's third example right, and says so", () => {
    const nodes = [
      slash,
      { kind: "text", start: 10, end: 18, raw: " 123 in " },
      { kind: "slash_command", start: 18, end: 27, raw: "/worktree", name: "worktree" },
      { kind: "text", start: 27, end: 46, raw: " be sure to check " },
      { kind: "branch", start: 46, end: 53, raw: "@Branch", name: "Branch" },
      { kind: "text", start: 53, end: 58, raw: " see " },
      { kind: "symbol", start: 58, end: 65, raw: "@Horton", name: "Horton" },
    ]
    const input = accepts(
      { source: SOURCE, nodes },
      ["/nodes/3", "was moved from 27-46 to 27-45, where its text is"],
      ["/nodes/4", "was moved from 46-53 to 45-52, where its text is"],
      ["/nodes/5", "was moved from 53-58 to 52-57, where its text is"],
      ["/nodes/6", "was moved from 58-65 to 57-64, where its text is"],
    )
    expect(input?.nodes?.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [10, 18],
      [18, 27],
      [27, 45],
      [45, 52],
      [52, 57],
      [57, 64],
    ])
  })
  it("[EA-006] forgives offsets that count code points", () => {
    const source = "😀😀 @a and 😀 @b"
    const nodes = [
      { kind: "symbol", start: 3, end: 5, raw: "@a", name: "a" },
      { kind: "symbol", start: 12, end: 14, raw: "@b", name: "b" },
    ]
    const input = accepts(
      { source, nodes },
      ["/nodes/0", "was moved from 3-5 to 5-7, where its text is"],
      ["/nodes/1", "was moved from 12-14 to 15-17, where its text is"],
    )
    expect(input?.nodes?.map(({ start, end }) => source.slice(start, end))).toEqual(["@a", "@b"])
  })
  it("[EA-006] keeps the order: a node is not looked for behind its neighbour", () =>
    refuses(
      {
        source: "@b @a @b",
        nodes: [
          { kind: "symbol", start: 3, end: 5, raw: "@a", name: "a" },
          { kind: "symbol", start: 1, end: 3, raw: "@c", name: "c" },
          { kind: "symbol", start: 6, end: 8, raw: "@b", name: "b" },
        ],
      },
      ["/nodes/1/raw", "must equal source.slice(start, end)"],
    ))
  it("[EA-006] refuses nodes that overlap", () =>
    refuses(
      {
        source: "/foo /foo",
        nodes: [
          { kind: "slash_command", start: 0, end: 4, raw: "/foo", name: "foo" },
          { kind: "slash_command", start: 0, end: 4, raw: "/foo", name: "foo" },
        ],
      },
      ["/nodes/1/start", "must not overlap the previous node"],
    ))
  it("[EA-006] does not look far", () =>
    refuses(
      {
        source: `${"x".repeat(1000)}@a`,
        nodes: [{ kind: "symbol", start: 0, end: 2, raw: "@a", name: "a" }],
      },
      ["/nodes/0/raw", "must equal source.slice(start, end)"],
    ))
})
