import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readJson } from "../../packages/core/catalog/read/json.ts"
import { readToml } from "../../packages/core/catalog/read/toml.ts"

function reads(text: string): unknown {
  const toml = readToml(text)
  if (toml.type === "fault") return `${toml.line}: ${toml.message}`
  return Object.fromEntries(Array.from(toml.entries, ([key, { value }]) => [key, value]))
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
    ).toEqual({ "a.b": 1, "c d": true, "t.x": 1000, "u.v.z": "w" }))
  it("passes over lists and inline tables, with what they hold", () =>
    expect(reads(`a = [1, "]", ["x # y"], # ]\n '[']\nb = { c = "}" }\nd = "e"`)).toEqual({
      d: "e",
    }))

  it.each([
    ['a = "x', '1: a text in " is not closed'],
    ["\na = 'x\n", "2: a text in ' is not closed"],
    ['a = """x', '1: a text in """ is not closed'],
    ["a = '''x", "1: a text in ''' is not closed"],
    ["a = x", "1: the value of a is no text: put it in quotes"],
    ["a", "1: = is missing after the key a"],
    ["a =", "1: the key a has no value"],
    ['a = "x" y', '1: " y" follows the value on its line'],
    ['a = "x"\na = "y"', "2: the key a is there twice"],
    ['a = "\\q"', "1: \\q is no escape"],
    ['a = "\\ud800"', "1: \\ud800 is no character"],
    ["[a", "1: the name of a table is not closed"],
    ["a = [1", "1: a list is not closed"],
    ["= 1", "1: a key is missing"],
  ])("says what is wrong with %j", (text, message) => expect(reads(text)).toBe(message))

  it("reads back any text that was written as JSON writes it", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(text.isWellFormed())
        expect(reads(`a = ${JSON.stringify(text)}`)).toEqual({ a: text })
      }),
    ))
  it("tells the line at which a text begins", () => {
    const toml = readToml('# one\n\nprompt = """\nx"""')
    expect(toml.type === "table" && toml.entries.get("prompt")?.line).toBe(3)
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
