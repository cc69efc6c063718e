import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findModel, MODELS } from "../../src/model/models.ts"
import { defaultModel, providers, wireOf } from "../../src/provider/registry.ts"
import { collect, temporaryFolder, textBlock, user } from "../build.ts"
import { callOf, wordsOf } from "./contract.ts"

describe("providers", () => {
  it("are offline without a key", () => {
    expect([...providers({}).keys()]).toEqual(["mirror", "scripted"])
    expect(defaultModel({})).toEqual({ provider_id: "mirror", model_id: "mirror" })
    expect(defaultModel({ ANTHROPIC_API_KEY: "" })).toEqual(defaultModel({}))
  })

  it("include Anthropic where there is a key, and choose it", () => {
    const environment = { ANTHROPIC_API_KEY: "key" }
    expect([...providers(environment).keys()]).toContain("anthropic")
    expect(defaultModel(environment).provider_id).toBe("anthropic")
    expect(findModel(defaultModel(environment))?.api).toBe("anthropic-messages")
  })

  it("encode for every API that a model of the list speaks", () => {
    for (const { api } of MODELS) expect(wireOf(api)?.api).toBe(api)
    expect(wireOf("telegraph")).toBeUndefined()
  })

  it("read the scripted model's file again for each call", async () => {
    const path = join(await temporaryFolder(), "script.json")
    const provider = providers({ COMPOSITOR_SCRIPT: path }).get("scripted")
    if (!provider) throw new Error("the scripted provider is missing")
    const ask = () => collect(provider.stream(callOf(provider, [user(textBlock("hi"))])))
    expect(await ask()).toMatchObject([{ type: "error", code: "bad-script" }])
    for (const text of ["one", "two"]) {
      await writeFile(path, JSON.stringify({ text }))
      expect(wordsOf(await ask())).toBe(text)
    }
  })
})
