import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { FIXTURES, matches, readFixtures } from "../../kit/conformance/fixtures.ts"
import { loweringFixtures } from "./lowering-fixtures.ts"

describe("the published fixtures", () => {
  it("[BEY-11] [CMP-112] are the bodies that stand written out in the tests", async () => {
    const made = loweringFixtures()
    if (process.env["WRITE_FIXTURES"])
      for (const fixture of made)
        await writeFile(
          join(FIXTURES, `${fixture.api}.json`),
          `${JSON.stringify(fixture, null, 1)}\n`,
        )
    const published = await readFixtures()
    const byApi = (api: string) => published.find((fixture) => fixture.api === api)
    for (const fixture of made)
      expect(byApi(fixture.api), `run with WRITE_FIXTURES=1`).toEqual(
        JSON.parse(JSON.stringify(fixture)),
      )
    expect(published).toHaveLength(made.length)
  })

  it("match a descriptor that says more, and nothing else that differs", () => {
    expect(matches([{ text: "[file: a. Use read.]" }], [{ text: "[file: a.]" }])).toBe(true)
    expect(matches([{ text: "[file: b.]" }], [{ text: "[file: a.]" }])).toBe(false)
    expect(matches([{ text: "hello, you" }], [{ text: "hello" }])).toBe(false)
    expect(matches([{ text: "hello", more: 1 }], [{ text: "hello" }])).toBe(false)
    expect(matches([], [{ text: "hello" }])).toBe(false)
  })
})
