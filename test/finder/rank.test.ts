import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rank } from "../../packages/files/finder/rank.ts"

function ranked(query: string, ...texts: readonly string[]): string[] {
  return rank(
    query,
    texts.map((text) => ({ text })),
  ).map(({ candidate }) => candidate.text)
}

describe("rank", () => {
  it("[CMP-077] finds what has the letters in this order, whatever their case", () =>
    expect(ranked("SEL", "selection", "open", "last-seen-list", "les")).toEqual([
      "selection",
      "last-seen-list",
    ]))
  it("[CMP-045] puts a beginning before a middle", () =>
    expect(ranked("com", "decompose", "compact", "recommending")).toEqual([
      "compact",
      "decompose",
      "recommending",
    ]))
  it("[CMP-045] puts the beginnings of words before letters within them", () =>
    expect(ranked("rp", "wrap", "review-pr", "reviewPlan", "grep")).toEqual([
      "review-pr",
      "reviewPlan",
      "wrap",
      "grep",
    ]))
  it("[CMP-045] puts letters that stand together before those that do not", () =>
    expect(ranked("int", "spidernot", "sprint")).toEqual(["sprint", "spidernot"]))
  it("[CMP-045] puts the shorter of two first", () =>
    expect(ranked("mem", "memory-list", "memory")).toEqual(["memory", "memory-list"]))
  it("[CMP-045] shows all when nothing was typed, the most used first", () => {
    const candidates = [{ text: "a" }, { text: "b", frecency: 0.2 }, { text: "c", frecency: 0.9 }]
    expect(rank("", candidates).map(({ candidate }) => candidate.text)).toEqual(["c", "b", "a"])
  })
  it("[CMP-045] lets use decide between much the same, and not against the letters", () => {
    const candidates = [{ text: "compact" }, { text: "compose", frecency: 1 }, { text: "xcxoxm" }]
    const order = rank("com", candidates).map(({ candidate }) => candidate.text)
    expect(order).toEqual(["compose", "compact", "xcxoxm"])
    const used = [{ text: "archive" }, { text: "search", frecency: 0.1 }]
    expect(rank("arch", used)[0]?.candidate.text).toBe("archive")
  })
  it("[CMP-045] leaves out the spaces of a query and stops at the limit", () => {
    expect(ranked("re pr", "review-pr", "repair")).toEqual(["review-pr", "repair"])
    expect(rank("a", [{ text: "a" }, { text: "ab" }, { text: "abc" }], 2)).toHaveLength(2)
    expect(rank("a", [])).toEqual([])
  })
  it("[CMP-045] says where each letter was found", () => {
    expect(rank("ft", [{ text: "fooText" }])[0]?.positions).toEqual([0, 3])
    expect(rank("ox", [{ text: "fooText" }])[0]?.positions).toEqual([2, 5])
    expect(rank("reviewpr", [{ text: "re-view/review-pr" }])[0]?.positions).toEqual([
      8, 9, 10, 11, 12, 13, 15, 16,
    ])
  })
  it("[CMP-045] tells characters beyond ASCII apart", () => {
    expect(ranked("über", "Über-uns", "uber", "öber")).toEqual(["Über-uns"])
    expect(ranked("検索", "検索", "索検", "検証-索引")).toEqual(["検索", "検証-索引"])
    expect(ranked("😀", "a😀b", "a😁b")).toEqual(["a😀b"])
  })

  it("[CMP-045] finds exactly what has the letters, and where they are", () => {
    const text = fc.string({ unit: fc.constantFrom(..."abcABC-_/. é1".split("")) })
    const property = fc.property(text, fc.array(text), (query, texts) => {
      const found = rank(
        query,
        texts.map((text) => ({ text })),
      )
      const letters = query.replace(/\s+/g, "").toLowerCase()
      const expected = texts.filter((text) => hasInOrder(text.toLowerCase(), letters))
      expect(found.map(({ candidate }) => candidate.text).sort()).toEqual(expected.sort())
      for (const { candidate, positions } of found) {
        const at = positions.map((position) => candidate.text[position]?.toLowerCase())
        expect(at.join("")).toBe(letters)
        expect(positions).toEqual([...positions].sort((left, right) => left - right))
      }
    })
    fc.assert(property, { numRuns: 500 })
  })
})

function hasInOrder(text: string, letters: string): boolean {
  let at = -1
  return Array.from(letters).every((letter) => (at = text.indexOf(letter, at + 1)) >= 0)
}
