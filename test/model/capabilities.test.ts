import { describe, expect, it } from "vitest"
import { capabilitiesOfApi, type MediaFacts, resolveNative } from "../../src/model/capabilities.ts"
import { capabilitiesOf, findModel, MODELS } from "../../src/model/models.ts"

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
  it("[BIN-020] knows nothing but text of an API that is not in the table", () =>
    answers({}, "api", capabilitiesOfApi("toString"))())
})

describe("capabilities", () => {
  it("have one revision for each API and set of senses", () => {
    expect(sighted.revision).not.toBe(blind.revision)
    expect(capabilitiesOfApi("anthropic-messages").revision).toBe(sighted.revision)
  })

  it("[BIN-022] come from tables that can be given at run time", () => {
    const own = {
      small: { media: { image: { mimes: ["image/png"], max_bytes: 10 } }, max_request_bytes: 100 },
    }
    expect(resolveNative(capabilitiesOfApi("small", ["text", "image"], own), picture)).toEqual({
      native: false,
      reason: "size",
      sentence: "1000 bytes are over the limit of 10",
    })
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
