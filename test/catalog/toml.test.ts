import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readJson } from "../../packages/core/catalog/read/json.ts"
import { lineOfKey, readToml } from "../../packages/core/catalog/read/toml.ts"

function reads(text: string): unknown {
  const toml = readToml(text)
  if (toml.type === "fault") return `${toml.line}: ${toml.message}`
  return toml.table
}

describe("readToml", () => {
  it("reads the four kinds of text", () => {
    expect(reads(`a = "x\\ty\\u00e9\\"" # comment`)).toEqual({ a: 'x\ty\u00e9"' })
    expect(reads(`a = 'C:\\x "y"'`)).toEqual({ a: 'C:\\x "y"' })
    expect(reads(`a = """\none\n"two" \\\n   three\n"""`)).toEqual({ a: 'one\n"two" three\n' })
    expect(reads(`a = '''\n!{x} '' \\n\n'''`)).toEqual({ a: "!{x} '' \\n\n" })
  })
  it("lets quotes stand before the ones that close", () => {
    expect(reads(`a = """x"""""`)).toEqual({ a: 'x""' })
    expect(reads(`a = '''x'''''`)).toEqual({ a: "x''" })
  })
  it("reads keys, tables, numbers and booleans", () =>
    expect(
      reads('# head\n\na.b = 1\n"c d" = true\n[t]\nx = 1_000 # y\n[[u.v]]\nz = "w"\r\n'),
    ).toEqual({ a: { b: 1 }, "c d": true, t: { x: 1000 }, u: { v: [{ z: "w" }] } }))
  it("reads lists and inline tables, with what they hold", () =>
    expect(reads(`a = [1, "]", ["x # y"], # ]\n '[']\nb = { c = "}" }\nd = "e"`)).toEqual({
      a: [1, "]", ["x # y"], "["],
      b: { c: "}" },
      d: "e",
    }))

  it.each([
    ['a = "x', "1: unfinished string"],
    ["\na = 'x\n", "2: unfinished string"],
    ['a = """x', "1: unfinished string"],
    ["a = '''x", "1: unfinished string"],
    ["a = x", "1: invalid value"],
    ["a", "1: incomplete key-value: cannot find end of key"],
    ["a =", "1: invalid value"],
    ['a = "x" y', "1: each key-value declaration must be followed by an end-of-line"],
    ['a = "x"\na = "y"', "2: trying to redefine an already defined table or value"],
    ['a = "\\q"', "1: unrecognised escape sequence"],
    ['a = "\\ud800"', "1: invalid unicode escape"],
    ["[a", "1: incomplete key-value: cannot find end of key"],
    ["a = [1", "1: expected comma or end of structure"],
    ["= 1", "1: unexpected end of key"],
    [`a = ${"[".repeat(100_000)}`, "1: document contains excessively nested structures. aborting."],
  ])("says what is wrong with %j", (text, message) => expect(reads(text)).toBe(message))

  it("reads back any text that was written as JSON writes it", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(text.isWellFormed())
        expect(reads(`a = ${JSON.stringify(text)}`)).toEqual({ a: text })
      }),
    ))
  it("tells the line at which a text begins, whatever other texts hold", () => {
    expect(lineOfKey('# one\n\nprompt = """\nx"""', "prompt")).toBe(3)
    expect(lineOfKey('a = """\nprompt = 1\n"""\n"prompt" = "x"', "prompt")).toBe(4)
    expect(lineOfKey(`a = """\n${"prompt = 1\n".repeat(20_000)}"""\nprompt = "x"`, "prompt")).toBe(
      1,
    )
  })
})

describe("readJson", () => {
  it("allows comments and trailing commas, but not inside texts", () =>
    expect(readJson('{ // a\n "b": "// c, }", /* d */ "e": [1, 2,], }')).toEqual({
      b: "// c, }",
      e: [1, 2],
    }))
  it("is JSON otherwise", () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    ))
  it("gives up soon on what is never closed", () => {
    for (const mark of ['\\"', "/*", '"', ","]) {
      const began = performance.now()
      expect(() => readJson(mark.repeat(100_000))).toThrow()
      expect(performance.now() - began, mark).toBeLessThan(2000)
    }
  })
})
