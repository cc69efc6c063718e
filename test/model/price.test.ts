import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sumUsage } from "../../packages/core/message/usage.ts"
import { knowledgeOf } from "../../packages/core/wires/layers.ts"
import { findModel } from "../../packages/core/wires/models.ts"
import { addCost } from "../../packages/core/model/price.ts"
import { readCatalog } from "../../packages/engine/providers/models-dev.ts"

const USED = {
  input: 1_000_000,
  output: 200_000,
  reasoning: 100_000,
  cache_read: 0,
  cache_write: 0,
}

describe("what a request cost", () => {
  it("[SES-003] is worked out from what was used and the catalog's price", () => {
    const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }
    expect(addCost(USED, price)?.cost_usd).toBeCloseTo(7.5)
    const cached = { ...USED, input: 0, cache_read: 1_000_000, cache_write: 1_000_000 }
    expect(addCost(cached, price)?.cost_usd).toBeCloseTo(0.3 + 3.75 + 4.5)
    expect(addCost(cached, { input: 3, output: 15 })?.cost_usd).toBeCloseTo(3 + 3 + 4.5)
  })

  it("[SES-003] is not made up where the catalog names no price", () => {
    expect(addCost(USED, undefined)).toEqual(USED)
    expect(addCost(null, { input: 1, output: 1 })).toBeNull()
    const unheard = findModel({ provider_id: "anthropic", model_id: "claude-of-tomorrow" })
    expect(unheard?.price).toBeUndefined()
  })

  it("[SES-003] follows the refreshed catalog, and a config above it", () => {
    const entry = {
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      modalities: { input: ["text"], output: ["text"] },
      limit: { context: 200_000, output: 64_000 },
      cost: { input: 4, output: 20, cache_read: 0.4, cache_write: 5 },
    }
    const models = readCatalog(JSON.stringify({ anthropic: { models: { one: entry } } }))
    const choice = { provider_id: "anthropic", model_id: "claude-opus-5-5" }
    const refreshed = knowledgeOf([{ name: "refreshed", models }])
    expect(refreshed.find(choice)?.price).toEqual(entry.cost)
    const own = { ...choice, price: { input: 1, output: 2 } }
    const config = knowledgeOf([
      { name: "refreshed", models },
      { name: "config", models: [own] },
    ])
    expect(config.find(choice)?.price).toEqual({ input: 1, output: 2 })
    const odd = { ...entry, cost: { input: "free" } }
    const [kept] = readCatalog(JSON.stringify({ anthropic: { models: { one: odd } } }))
    expect(kept).toMatchObject({ model_id: "claude-opus-5-5" })
    expect(kept?.price).toBeUndefined()
  })

  it("[SES-003] adds up over steps, in any order", () => {
    const tokens = fc.nat(1_000_000)
    const used = fc.record(
      {
        input: tokens,
        output: tokens,
        reasoning: tokens,
        cache_read: tokens,
        cache_write: tokens,
        cost_usd: fc.double({ min: 0, max: 10, noNaN: true }),
      },
      { requiredKeys: ["input", "output", "reasoning", "cache_read", "cache_write"] },
    )
    fc.assert(
      fc.property(fc.option(used), fc.option(used), (one, other) => {
        const sum = sumUsage(one, other)
        expect(sum).toEqual(sumUsage(other, one))
        expect(sum?.cost_usd ?? 0).toBeCloseTo((one?.cost_usd ?? 0) + (other?.cost_usd ?? 0))
      }),
    )
  })
})
