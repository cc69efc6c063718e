import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..", "..")

describe("the suites that begin first", () => {
  it("are there", () => {
    const source = readFileSync(join(ROOT, "test", "sequencer.ts"), "utf8")
    const named = [...source.matchAll(/"(test\/[^"]+)"/g)].map(([, name = ""]) => name)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
  })
})
