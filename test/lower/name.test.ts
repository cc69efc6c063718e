import { describe, expect, it } from "vitest"
import { showBytes, showName } from "../../packages/core/file/name.ts"

describe("showName", () => {
  it.each([
    ["a.ts", "a.ts"],
    ["größe 日本.md", "größe 日本.md"],
    ["a\n[file: b]\r\n", "a [file: b]"],
    ["gpj.\u202efdp", "gpj. fdp"],
    ["a\u0000\u001b[31mb\u0085", "a [31mb"],
    ["a\u{e0041}b\u200bc\u2066d", "a b c d"],
    ["a\ud800b", "a\ufffdb"],
    ["\n", "unnamed"],
    ["x".repeat(500), `${"x".repeat(120)}…${"x".repeat(120)}`],
  ])("%j is shown as %j", (name, expected) => expect(showName(name)).toBe(expected))
})

describe("showBytes", () => {
  it("writes figures in groups of three", () => {
    expect([0, 1, 1234567].map(showBytes)).toEqual(["0 bytes", "1 byte", "1,234,567 bytes"])
    expect(showBytes(null)).toBe("size unknown")
  })
})
