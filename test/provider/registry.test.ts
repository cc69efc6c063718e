import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findModel, MODELS } from "../../packages/core/wires/models.ts"
import { API_LIMITS } from "../../packages/core/wires/wires.ts"
import { mediaKind } from "../../packages/core/model/capabilities.ts"
import type { MediaBlock } from "../../packages/core/model/prompt.ts"
import { defaultModel, providers } from "../../packages/engine/providers/registry.ts"
import { ollamaUrl } from "../../packages/core/wires/openai-dialects.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { collect, media, temporaryFolder, textBlock, user } from "../build.ts"
import { callOf, show, wordsOf } from "./contract.ts"

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

  it("include everyone whose key or address is there", () => {
    const environment = {
      ANTHROPIC_API_KEY: "key",
      OPENAI_API_KEY: "key",
      GOOGLE_API_KEY: "key",
      MISTRAL_API_KEY: "key",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "key",
      AWS_REGION: "eu-central-1",
      OLLAMA_HOST: "localhost",
      COMPOSITOR_OPENAI_BASE_URL: "http://localhost:8000/v1",
      COMPOSITOR_OPENAI_DIALECT: "vllm",
    }
    expect([...providers(environment).keys()]).toEqual([
      "mirror",
      "scripted",
      "anthropic",
      "openai",
      "openai-chat",
      "google",
      "mistral",
      "amazon-bedrock",
      "vllm",
      "ollama",
    ])
    expect(defaultModel(environment).provider_id).toBe("anthropic")
  })

  it.each([
    [{ GEMINI_API_KEY: "key" }, "google"],
    [{ AWS_BEARER_TOKEN_BEDROCK: "key", AWS_DEFAULT_REGION: "us-east-1" }, "amazon-bedrock"],
    [{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" }, "mirror"],
    [{ OLLAMA_HOST: "127.0.0.1:11434" }, "ollama"],
    [{ COMPOSITOR_OPENAI_BASE_URL: "http://localhost/v1" }, "openai-compatible"],
  ])("choose for %j a model of %s", (environment, provider_id) =>
    expect(defaultModel(environment)).toMatchObject({ provider_id }),
  )

  it("take the model that is named for an address, and refuse a dialect that nobody speaks", () => {
    const environment = { COMPOSITOR_OPENAI_BASE_URL: "http://localhost/v1" }
    expect(defaultModel({ ...environment, COMPOSITOR_OPENAI_MODEL: "qwen" })).toEqual({
      provider_id: "openai-compatible",
      model_id: "qwen",
    })
    expect(() => providers({ ...environment, COMPOSITOR_OPENAI_DIALECT: "klingon" })).toThrow(
      'COMPOSITOR_OPENAI_DIALECT is "klingon"',
    )
  })

  it.each([
    ["127.0.0.1:11434", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["box", "http://box:11434/v1"],
    ["http://box:80", "http://box/v1"],
    ["https://ollama.example", "https://ollama.example/v1"],
    ["[::1]:5000/", "http://[::1]:5000/v1"],
  ])("read the address of Ollama %s as %s", (host, url) => expect(ollamaUrl(host)).toBe(url))

  const kinds: readonly MediaBlock["type"][] = ["image", "audio", "video", "document"]

  it.each(Object.keys(API_LIMITS).filter((api) => api !== "mirror" && api !== "scripted"))(
    "[CMPH-014] write every type that the table of %s names, and no other",
    async (api) => {
      const wire = findWire(api)
      const named = Object.values(API_LIMITS).flatMap(({ media }) =>
        Object.entries(media).flatMap(([kind, { mimes }]) => mimes.map((mime) => ({ kind, mime }))),
      )
      for (const { kind, mime } of named) {
        const type = kinds.find((known) => known === kind) ?? "document"
        const file = { type, media: media("a", mime, 3), width: 1, height: 1 } as MediaBlock
        const carried = API_LIMITS[api]?.media[mediaKind(file)]?.mimes.includes(mime) ?? false
        const message = wire?.encode(user(file))
        const native = message?.pieces.some((piece) => !(piece instanceof Uint8Array))
        expect([mime, native]).toEqual([mime, carried])
        if (message && native) expect(await show(message)).not.toContain("undefined")
      }
    },
  )

  it("encode for every API that a model of the list speaks", () => {
    for (const { api } of MODELS) expect(findWire(api)?.api).toBe(api)
    expect(findWire("telegraph")).toBeUndefined()
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
