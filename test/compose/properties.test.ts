import process from "node:process"
import fc from "fast-check"
import { describe, it } from "vitest"
import { PROPERTIES } from "./properties.ts"

const RUNS = Number(process.env.PROPERTY_RUNS ?? 300)
const SLOWEST_RUN_MS = 10

describe("every source", () => {
  it.for(PROPERTIES)(
    "$title",
    { timeout: 30_000 + RUNS * SLOWEST_RUN_MS },
    async ({ property }) => {
      await fc.assert(property, { numRuns: RUNS })
    },
  )
})
