import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { plainWords, quotedWords } from "../../packages/core/catalog/words.ts"

function words(text: string): string[] {
  return quotedWords(text).map((word) => word.text)
}

describe("quotedWords", () => {
  it.each([
    ["a  b\tc\nd", ["a", "b", "c", "d"]],
    [`"a b" 'c d'`, ["a b", "c d"]],
    ["don't stop", ["don't", "stop"]],
    ["rock 'n' roll", ["rock", "n", "roll"]],
    [`'tis the "season"`, ["'tis", "the", "season"]],
    [`"a b`, ['"a', "b"]],
    [`key="a b" --k='c d' e="f`, ["key=a b", "--k=c d", 'e="f']],
    [`"" x`, ["", "x"]],
    [`"a"b c"`, [`a"b c`]],
    ["", []],
    [" \n ", []],
    ["日本 語", ["日本", "語"]],
  ])("splits %j", (text, expected) => expect(words(text)).toEqual(expected))

  it("knows where each word was written, in order", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "'", '"', "=", "\n") }),
        (text) => {
          const found = quotedWords(text)
          let end = 0
          for (const word of found) {
            expect(text.slice(end, word.start).trim()).toBe("")
            expect(word.end).toBeGreaterThan(word.start)
            end = word.end
          }
          expect(text.slice(end).trim()).toBe("")
        },
      ),
    ))
  it("takes no longer for a text full of quotes", () => {
    const began = performance.now()
    quotedWords(`"a `.repeat(500_000))
    expect(performance.now() - began).toBeLessThan(3000)
  })
})

describe("plainWords", () => {
  it("[CMP-050] splits at white space only", () =>
    expect(plainWords(` "a b"\n'c`).map((word) => word.text)).toEqual([`"a`, `b"`, "'c"]))
})
