import { describe, expect, it } from "vitest"
import { readInputText } from "../../apps/tui/input-text.ts"

describe("what a call would be given", () => {
  it("is shown a field at a time, and text as it is", () => {
    expect(readInputText({ path: "a.ts", lines: [1, 2], content: "one\ntwo" })).toBe(
      "  path: a.ts\n  lines: [1,2]\n  content:\n    one\n    two",
    )
    expect(readInputText("word")).toBe("  input: word")
    expect(readInputText(undefined)).toBe("")
  })

  it("tells how much of it is not shown", () => {
    const many = readInputText({
      command: Array.from({ length: 300 }, (_, n) => `line ${n}`).join("\n"),
    })
    expect(many).toContain("line 198\n… and ")
    expect(many.split("\n")).toHaveLength(201)
    expect(readInputText({ command: "x".repeat(20_000) })).toMatch(/x\n… and \d+ more characters/)
  })
})
