import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readYaml } from "../../packages/core/catalog/read/yaml.ts"

function reads(text: string): unknown {
  const reading = readYaml(text)
  if (reading.type === "fault") return `${reading.line}: ${reading.message}`
  return Object.fromEntries(Array.from(reading.entries, ([key, { value }]) => [key, value]))
}
function repairs(text: string): string[] {
  const reading = readYaml(text)
  return reading.type === "map" ? reading.repairs.map((r) => `${r.line} ${r.message}`) : ["fault"]
}

function written(reading: ReturnType<typeof readYaml>): unknown {
  if (reading.type === "fault") return reading.message
  return Array.from(reading.entries, ([key, { value, written: as }]) => [key, value, as])
}

describe("readYaml", () => {
  it("takes every scalar for the text that was written", () =>
    expect(reads("name: 3000\nflag: true\nversion: 1.10\nnull: ~\nnone:\nhex: 0x1F")).toEqual({
      name: "3000",
      flag: "true",
      version: "1.10",
      null: "~",
      none: "",
      hex: "0x1F",
    }))
  it("reads lists, maps and long texts", () =>
    expect(reads("a: [x, 'y z']\nb:\n  - c: 1\nd: |\n  one\n  two\ne: >-\n  one\n  two")).toEqual({
      a: ["x", "y z"],
      b: [{ c: "1" }],
      d: "one\ntwo\n",
      e: "one two",
    }))

  it.each([
    ["description: a: b", "a: b"],
    ['description: Fix: it\'s "here"', 'Fix: it\'s "here"'],
    ["description: [file] [options]", "[file] [options]"],
    ['description: "a" and b', '"a" and b'],
    ["description: @me", "@me"],
    ["description: `x` y", "`x` y"],
    ["description: %d", "%d"],
    ["description: *bold*", "*bold*"],
    ["description: {a} b: c", "{a} b: c"],
  ])("repairs %j and tells", (text, value) => {
    expect(reads(`name: n\n${text}\nother: o`)).toEqual({
      name: "n",
      description: value,
      other: "o",
    })
    expect(repairs(`name: n\n${text}\nother: o`)).toEqual([
      "2 the value of description was read as if it were quoted",
    ])
  })
  it("repairs nothing that spans lines", () =>
    expect(reads("a: [x,\n  y]\nb: c: d")).toEqual({ a: ["x", "y"], b: "c: d" }))

  it("refuses keys that reach into objects", () => {
    for (const text of ["__proto__: {a: 1}", "a: {constructor: 1}", "a: [{prototype: 1}]"])
      expect(reads(text)).toMatch(/^1: it has the key \w+, which is refused$/)
  })
  it("refuses a bomb of aliases", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    for (const [at, name] of "bcdefghi".split("").entries())
      bomb.push(
        `${name}: &${name} [${Array(9)
          .fill(`*${"abcdefgh".charAt(at)}`)
          .join(",")}]`,
      )
    expect(reads(bomb.join("\n"))).toBe("1: it comes to more than 10000 values")
    expect(reads("a: &a [x]\nb: *a")).toEqual({ a: ["x"], b: ["x"] })
    expect(reads("a: &a [*a]")).toMatch(/^1: /)
  })
  it("refuses what nests too deep", () => {
    expect(reads(`a: ${"[".repeat(40)}`)).toBe("1: it nests deeper than 32 levels")
    const indented = Array.from({ length: 60 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")
    expect(reads(`${indented} x`)).toBe("1: it nests deeper than 32 levels")
  })
  it("says where the fault is", () => expect(reads("a: b\n\tc: d\n  - e")).toMatch(/^2: /))
  it("is a map or nothing", () => {
    expect(reads("")).toEqual({})
    expect(reads("# only a comment")).toEqual({})
    expect(reads("- a")).toBe("1: it is not a list of keys and values")
  })
  it("knows what was written, for what YAML takes for a list", () => {
    const reading = readYaml("argument-hint: [topic: x | y]")
    expect(reading.type === "map" && reading.entries.get("argument-hint")).toMatchObject({
      written: "[topic: x | y]",
      line: 1,
    })
  })

  it("reads a plain head as the parser would, without it", () => {
    const key = fc.stringMatching(/^[A-Za-z][\w-]{0,5}$/)
    const letters = "abZ019 :#-_.,;()/'\"+\\[]{}|>&*!%@~?\t…é\u2028\u00a0"
    const word = fc.string({ unit: fc.constantFrom(...Array.from(letters)), maxLength: 12 })
    const quoted = word.map((text) => `"${text}"`)
    const line = fc.tuple(key, fc.oneof(word, quoted)).map((pair) => pair.join(": "))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const text = lines.join("\n")
        // A remark is not plain, so that the second one is parsed.
        expect(written(readYaml(text))).toEqual(written(readYaml(`# remark\n${text}`)))
      }),
      { numRuns: 2000 },
    )
  })
})
