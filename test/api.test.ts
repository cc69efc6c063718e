import { expect, it } from "vitest"
import { makeReports, outdatedReports } from "../scripts/api.ts"

it("the public API is what `api/` says: `npm run api` writes it, and its diff is the review", () => {
  const reports = makeReports()
  expect(reports.length).toBeGreaterThan(0)
  expect(outdatedReports(reports)).toEqual([])
}, 300_000)
