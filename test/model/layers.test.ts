import { describe, expect, it } from "vitest"
import { capabilitiesOf, findModel } from "../../packages/core/wires/models.ts"
import { knowledgeOf, type ModelLayer, ModelConfig } from "../../packages/core/wires/layers.ts"

const sonnet = { provider_id: "anthropic", model_id: "claude-sonnet-5-5" }

describe("knowledgeOf", () => {
  function finds(choice: typeof sonnet, ...layers: readonly ModelLayer[]) {
    const knowledge = knowledgeOf(layers)
    const model = knowledge.find(choice)
    if (!model) throw new Error(`${choice.model_id} is not known`)
    return { model, capabilities: knowledge.capabilities(model) }
  }

  const refreshed: ModelLayer = {
    name: "refreshed",
    models: [{ ...sonnet, input: ["text", "image"], context_tokens: 1_000_000, name: "New" }],
  }
  const probed: ModelLayer = {
    name: "probe",
    models: [{ ...sonnet, input: ["text", "image", "pdf"] }],
  }
  const configured: ModelLayer = { name: "config", models: [{ ...sonnet, input: ["text"] }] }

  it("knows what is embedded without any layer", () => {
    const { model, capabilities } = finds(sonnet)
    expect(model).toBe(findModel(sonnet))
    expect(capabilities).toEqual(capabilitiesOf(model))
    expect(capabilities.revision).toMatch(/\/embedded-[\d-]+$/)
  })

  it("[BIN-022] lets each layer hide what is below, whatever order they come in", () => {
    expect(finds(sonnet, refreshed).model).toMatchObject({ name: "New", input: ["text", "image"] })
    expect(finds(sonnet, probed, refreshed).model.input).toEqual(["text", "image", "pdf"])
    expect(finds(sonnet, configured, refreshed, probed).model).toMatchObject({
      name: "New",
      input: ["text"],
      context_tokens: 1_000_000,
    })
  })

  it("names in the revision the layers that had a say", () => {
    const all = finds(sonnet, refreshed, probed, configured).capabilities.revision
    expect(all).toMatch(/embedded-[\d-]+\/refreshed-\w{8}\/probe-\w{8}\/config-\w{8}$/)
    expect(finds(sonnet, refreshed).capabilities.revision).not.toBe(all)
  })

  it("leaves the revision alone when a layer brings no news", () => {
    const before = finds(sonnet).capabilities.revision
    const same: ModelLayer = {
      name: "refreshed",
      models: [{ ...sonnet, name: "Another name", input: ["text", "image", "pdf"] }],
    }
    expect(finds(sonnet, same).capabilities.revision).toBe(before)
    expect(finds(sonnet, same).model.name).toBe("Another name")
  })

  it("adds models that are not embedded, as their provider's first but for what is said", () => {
    const fresh = { provider_id: "anthropic", model_id: "claude-next" }
    const layer: ModelLayer = { name: "refreshed", models: [{ ...fresh, tools: false }] }
    expect(knowledgeOf([layer]).models.some(({ model_id }) => model_id === "claude-next")).toBe(
      true,
    )
    expect(finds(fresh, layer).model).toMatchObject({ tools: false, api: "anthropic-messages" })
    const nobody = {
      name: "refreshed",
      models: [{ provider_id: "nobody", model_id: "x" }],
    } as const
    expect(knowledgeOf([nobody]).find({ provider_id: "nobody", model_id: "x" })).toBeUndefined()
  })

  it("takes patterns from a config, also for models that nobody has heard of", () => {
    const layer: ModelLayer = {
      name: "config",
      models: [{ provider_id: "ollama", model_id: "qwen*-vl:*", input: ["text", "image"] }],
    }
    const seeing = { provider_id: "ollama", model_id: "qwen3-vl:8b" }
    expect(finds(seeing, layer).model.input).toEqual(["text", "image"])
    const blind = { provider_id: "ollama", model_id: "qwen3:8b" }
    expect(finds(blind, layer).model.input).toEqual(["text"])
    const other = { provider_id: "vllm", model_id: "qwen3-vl:8b" }
    expect(finds(other, layer).model.input).toEqual(["text"])
  })

  it("lets a config narrow what an API carries, and never widen its types", () => {
    const { apis, models } = ModelConfig.parse({
      apis: {
        "anthropic-messages": {
          max_request_bytes: 1000,
          media: { image: { mimes: ["image/png", "image/avif"], max_bytes: 7 }, pdf: null },
        },
        "no-such-api": { max_request_bytes: 1 },
      },
    })
    const { capabilities } = finds(sonnet, { name: "config", models, apis })
    expect(capabilities.max_request_bytes).toBe(1000)
    expect(capabilities.media.pdf).toBeUndefined()
    expect(capabilities.media.image).toMatchObject({ mimes: ["image/png"], max_bytes: 7 })
    expect(capabilities.media.image?.max_side_pixels).toBe(8000)
    expect(capabilities.revision).toMatch(/\/config-\w{8}$/)
    const openai = { provider_id: "openai", model_id: "gpt-5.6-sol" }
    expect(finds(openai, { name: "config", models, apis }).capabilities.revision).toBe(
      finds(openai).capabilities.revision,
    )
  })

  it("refuses a config that says what it does not understand", () => {
    expect(() => ModelConfig.parse({ apis: { a: { media: { images: {} } } } })).toThrow()
    expect(() => ModelConfig.parse({ models: [{ provider_id: "a", model_id: "" }] })).toThrow()
    expect(() => ModelConfig.parse({ model: [] })).toThrow()
  })
})
