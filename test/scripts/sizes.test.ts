import { describe, expect, it } from "vitest"
import { measureBundles } from "../../scripts/sizes.ts"

describe("what a page loads", () => {
  it("for `parse` and for the client is small, and has no zod in it", async () => {
    const sizes = await measureBundles()
    const small = sizes.filter(({ name }) => name === "parse" || name === "client")
    expect(small).toHaveLength(2)
    expect(small.filter(({ bytes, limit_bytes }) => bytes > limit_bytes)).toEqual([])
  })
})
