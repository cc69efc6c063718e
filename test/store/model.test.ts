import { describe, expect, it } from "vitest"
import { walk } from "../../kit/torture/model.ts"

const STEPS = 5000

describe("a session", () => {
  it("[QUE-001] [QUE-004] [QUE-005] [EA-022] [SES-012] [SES-020] [SES-071] does what lists in memory say it should, whatever happens to it", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const { fault, steps } = await walk({ steps: STEPS, seed })
    expect(fault).toBeUndefined()
    expect(steps).toBeGreaterThanOrEqual(STEPS)
  }, 120_000)
})
