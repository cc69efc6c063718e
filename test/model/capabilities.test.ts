import { describe, expect, it } from "vitest"
import { API_LIMITS } from "../../packages/core/wires/wires.ts"
import { isOffice } from "../../packages/core/model/media-types.ts"
import {
  acceptsSyntheticCall,
  ALL_MODALITIES,
  type MediaFacts,
  resolveNative,
} from "../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { capabilitiesOf, findModel, MODELS } from "../../packages/core/wires/models.ts"
import { thinkingFor } from "../../packages/core/model/models.ts"

const sighted = capabilitiesOfApi("anthropic-messages")
const blind = capabilitiesOfApi("anthropic-messages", ["text"])
const picture: MediaFacts = { kind: "image", mime: "image/png", size: 1000, width: 10, height: 10 }

describe("resolveNative", () => {
  function answers(facts: Partial<MediaFacts>, expected: string, capabilities = sighted) {
    return () => {
      const answer = resolveNative(capabilities, { ...picture, ...facts })
      expect(answer.native ? "native" : answer.reason).toBe(expected)
    }
  }

  it("[CMP-030] takes an image the API and the model take", answers({}, "native"))
  it("[CMP-030] takes a PDF", answers({ kind: "pdf", mime: "application/pdf" }, "native"))
  it("[BIN-021] refuses what the model has no sense for", answers({}, "model", blind))
  it("[BIN-021] refuses what the API does not carry", answers({ kind: "audio" }, "api"))
  it("[CMPH-014] refuses a type that is not in the table", answers({ mime: "image/heic" }, "mime"))
  it("[CMPH-014] refuses a type that merely sounds like one", answers({ mime: "image/*" }, "mime"))
  it("takes an image at the limit", answers({ size: 3_932_160 }, "native"))
  it("refuses an image over the limit", answers({ size: 3_932_161 }, "size"))
  it("takes an image at the limit of pixels", answers({ height: 8000 }, "native"))
  it("refuses an image with a side too long", answers({ height: 8001 }, "pixels"))
  it(
    "refuses a document with too many pages",
    answers({ kind: "pdf", mime: "application/pdf", pages: 101 }, "pages"),
  )
  it(
    "refuses a way of handing over that the API does not know",
    answers({ source: "s3" }, "source"),
  )
  it("takes as many pages as a model with a large context reads", () => {
    const model = findModel({ provider_id: "anthropic", model_id: "claude-opus-4-8" })
    const large = model && capabilitiesOf(model)
    answers({ kind: "pdf", mime: "application/pdf", pages: 600 }, "native", large)()
    answers({ kind: "pdf", mime: "application/pdf", pages: 601 }, "pages", large)()
  })
  it("[BIN-021] takes a PDF where the model sees images and the API makes images of pages", () => {
    const seeing = capabilitiesOfApi("openai-responses", ["text", "image"])
    answers({ kind: "pdf", mime: "application/pdf" }, "native", seeing)()
    const reading = capabilitiesOfApi("openai-responses", ["text"])
    answers({ kind: "pdf", mime: "application/pdf" }, "model", reading)()
    answers({ kind: "office", mime: "text/csv" }, "native", reading)()
  })
  it("[BIN-020] knows nothing but text of an API that is not in the table", () =>
    answers({}, "api", capabilitiesOfApi("toString"))())
})

describe("isOffice", () => {
  it("[BIN-013] knows office files by the tables, and leaves text to be told as text", () => {
    const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    expect([word, "application/msword"].map(isOffice)).toEqual([true, true])
    expect(["text/csv", "text/plain", "application/zip", "toString"].map(isOffice)).toEqual(
      Array(4).fill(false),
    )
  })
})

describe("capabilities", () => {
  it("have another revision for another context", () => {
    const model = findModel({ provider_id: "anthropic", model_id: "claude-opus-4-8" })
    if (!model) throw new Error("the model is not in the list")
    const [large, small] = [1_000_000, 100_000].map((context_tokens) =>
      capabilitiesOf({ ...model, context_tokens }),
    )
    expect(large?.revision).not.toBe(small?.revision)
    expect(large).toMatchObject({ context_tokens: 1_000_000, media: { pdf: { max_pages: 600 } } })
    expect(small).toMatchObject({ context_tokens: 100_000, media: { pdf: { max_pages: 100 } } })
  })

  it("have one revision for each API and set of senses", () => {
    expect(sighted.revision).not.toBe(blind.revision)
    expect(capabilitiesOfApi("anthropic-messages").revision).toBe(sighted.revision)
  })

  it("[BIN-022] come from tables that can be given at run time", () => {
    const image = { mimes: ["image/png"], sources: ["base64"], max_bytes: 10 } as const
    const own = { small: { ...sighted, media: { image }, max_request_bytes: 100 } }
    expect(resolveNative(capabilitiesOfApi("small", ["text", "image"], own), picture)).toEqual({
      native: false,
      reason: "size",
      sentence: "1000 bytes are over the limit of 10",
    })
  })
})

describe("the tables", () => {
  const kinds: readonly MediaFacts[] = [
    { kind: "image", mime: "image/png", size: 1 },
    { kind: "image", mime: "image/svg+xml", size: 1 },
    { kind: "image", mime: "image/heic", size: 1 },
    { kind: "pdf", mime: "application/pdf", size: 1 },
    { kind: "office", mime: "text/csv", size: 1 },
    {
      kind: "office",
      mime: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      size: 1,
    },
    { kind: "audio", mime: "audio/wav", size: 1 },
    { kind: "video", mime: "video/mp4", size: 1 },
    { kind: "office", mime: "application/zip", size: 1 },
  ]

  it.each([
    ["anthropic-messages", "png pdf"],
    ["openai-responses", "png pdf csv docx"],
    ["openai-chat", "png pdf wav"],
    ["openai-chat/ollama", "png wav"],
    ["openai-chat/llama-cpp", "png wav mp4"],
    ["openai-chat/vllm", "png wav mp4"],
    ["openai-chat/lm-studio", "png"],
    ["openai-chat/plain", "png"],
    ["gemini-generatecontent", "png heic pdf csv wav mp4"],
    ["bedrock-converse", "png pdf csv docx wav mp4"],
    ["mistral-chat", "png pdf wav"],
  ])("[CMP-090] say that %s carries %s, and neither svg nor zip", (api, expected) => {
    const names = ["png", "svg", "heic", "pdf", "csv", "docx", "wav", "mp4", "zip"]
    const capabilities = capabilitiesOfApi(api, ALL_MODALITIES)
    const carried = kinds.map((facts) => resolveNative(capabilities, facts).native)
    expect(names.filter((_, index) => carried[index]).join(" ")).toBe(expected)
  })

  it("are there for every API that a model of the list speaks", () => {
    for (const { api } of MODELS) expect(API_LIMITS).toHaveProperty([api])
  })
})

describe("acceptsSyntheticCall", () => {
  it.each([
    ["anthropic-messages", true, false],
    ["openai-responses", true, true],
    ["openai-chat", true, true],
    ["gemini-generatecontent", true, true],
    ["bedrock-converse", true, false],
    ["mistral-chat", true, true],
    ["unheard-of", false, false],
  ])("[SKL-003] for %s without a budget: %s, with one: %s", (api, without, withBudget) => {
    const capabilities = capabilitiesOfApi(api)
    expect(acceptsSyntheticCall(capabilities, false)).toBe(without)
    expect(acceptsSyntheticCall(capabilities, true)).toBe(withBudget)
  })

  it("is never so for a model without tools", () => {
    const model = findModel({ provider_id: "mistral", model_id: "voxtral-small-latest" })
    expect(model && acceptsSyntheticCall(capabilitiesOf(model), false)).toBe(false)
  })
})

describe("thinkingFor", () => {
  function says(provider_id: string, model_id: string, wish: "off" | "low" | "max") {
    const model = findModel({ provider_id, model_id })
    return model && thinkingFor(model, wish)
  }

  it("says the wish in a way that the model takes", () => {
    expect(says("openai", "gpt-5.6-sol", "low")).toEqual({ type: "effort", effort: "low" })
    expect(says("openai", "gpt-5.6-sol", "off")).toEqual({ type: "off" })
    expect(says("anthropic", "claude-opus-4-5", "low")).toEqual({ type: "budget", tokens: 4096 })
    expect(says("anthropic", "claude-opus-4-5", "max")).toEqual({ type: "budget", tokens: 32_000 })
    expect(says("anthropic", "claude-sonnet-5-5", "off")).toBeUndefined()
    expect(says("mistral", "mistral-large-latest", "low")).toBeUndefined()
  })
})

describe("findModel", () => {
  it("finds a model by its name", () =>
    expect(findModel({ provider_id: "anthropic", model_id: "claude-opus-4-8" })).toMatchObject({
      api: "anthropic-messages",
      context_tokens: 1_000_000,
    }))
  it("[SES-040] gives a model of tomorrow its provider's defaults", () =>
    expect(findModel({ provider_id: "anthropic", model_id: "claude-next" })).toMatchObject({
      model_id: "claude-next",
      name: "claude-next",
      api: "anthropic-messages",
      input: ["text", "image", "pdf"],
    }))
  it("takes a bare provider for its default model", () =>
    expect(findModel({ provider_id: "anthropic", model_id: "anthropic" })).toBe(
      MODELS.find((model) => model.provider_id === "anthropic"),
    ))
  it("does not know a provider it never heard of", () =>
    expect(findModel({ provider_id: "nobody", model_id: "x" })).toBeUndefined())
  it("has a mirror with eyes and one without", () => {
    const [seeing, blindMirror] = ["mirror", "text"].map((model_id) =>
      findModel({ provider_id: "mirror", model_id }),
    )
    expect(seeing && resolveNative(capabilitiesOf(seeing), picture).native).toBe(true)
    expect(blindMirror && resolveNative(capabilitiesOf(blindMirror), picture).native).toBe(false)
  })
})
