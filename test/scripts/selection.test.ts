import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isDrawn, LONG_FILES } from "../selection.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const FILE = "test/stream/conformance.test.ts"
const titles = Array.from({ length: 1000 }, (_, at) => `rule ${at}`)

function drawn(seed: string): string[] {
  return titles.filter((title) => isDrawn(seed, FILE, title))
}

describe("what a run without CI=true takes", () => {
  it("names files that are there", () => {
    expect(Object.keys(LONG_FILES).filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
  })

  it("draws about the share that is said", () => {
    const share = LONG_FILES[FILE]?.share ?? 1
    expect(drawn("a").length / titles.length).toBeGreaterThan(share * 0.6)
    expect(drawn("a").length / titles.length).toBeLessThan(share * 1.6)
  })

  it("draws the same with the same seed, and others with another: in time, all of them", () => {
    expect(drawn("a")).toEqual(drawn("a"))
    expect(drawn("a")).not.toEqual(drawn("b"))
    const seen = new Set(Array.from({ length: 300 }, (_, at) => drawn(`${at}`)).flat())
    expect(seen.size).toBe(titles.length)
  })

  it("leaves nothing out of a file that is not long", () => {
    expect(titles.every((title) => isDrawn("a", "test/house.test.ts", title))).toBe(true)
  })
})
