import { describe, expect, it } from "vitest"
import { findModel } from "../../packages/core/wires/models.ts"
import { envelopeOf, thinkingOf } from "../../packages/engine/turns/turn-context.ts"
import { systemPrompt, toolCatalog } from "../../packages/engine/turns/system-prompt.ts"
import { look } from "./tools.ts"

function model(model_id: string) {
  const found = findModel({ provider_id: "anthropic", model_id })
  if (!found) throw new Error("there is no such model")
  return found
}

describe("envelopeOf", () => {
  const system = systemPrompt({ manifest: "Be kind." })

  it("says how long an answer may be at most", () => {
    const small = { ...model("claude-sonnet-5-5"), output_tokens: 100 }
    expect(envelopeOf(small, { system }).max_tokens).toBe(100)
    expect(envelopeOf({ ...small, output_tokens: 1e6 }, { system }).max_tokens).toBe(32_000)
  })

  it("tells of tools only where there are some", () => {
    const told = (tools: Parameters<typeof toolCatalog>[0]) =>
      envelopeOf(model("claude-sonnet-5-5"), { system, catalog: toolCatalog(tools) }).tools
    expect(told([])).toBeUndefined()
    expect(told([look()])?.map(({ name }) => name)).toEqual(["look"])
  })
})

describe("thinkingOf", () => {
  const choice = { provider_id: "anthropic", model_id: "claude-sonnet-4-5" }

  it("is what the variant wishes, in a way that the model takes", () => {
    const budgeted = model("claude-sonnet-4-5")
    expect(thinkingOf(budgeted, { ...choice, variant: "low" })).toMatchObject({ type: "budget" })
    expect(thinkingOf(budgeted, choice)).toBeUndefined()
    expect(thinkingOf(budgeted, { ...choice, variant: "preview" })).toBeUndefined()
  })
})
