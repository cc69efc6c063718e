import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  blockBytes,
  blockTokens,
  documentTokens,
  estimateTokens,
  imageTokens,
  utf8Length,
} from "../../packages/core/model/tokens.ts"
import { media, textBlock } from "../build.ts"

describe("tokens", () => {
  it("counts UTF-8 as an encoder would, lone surrogates included", () => {
    const any = fc.string({
      unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), surrogate),
    })
    fc.assert(fc.property(any, (text) => utf8Length(text) === Buffer.byteLength(text)))
  })

  it("estimates a quarter of the bytes, and a margin", () => {
    expect(estimateTokens("")).toBe(0)
    expect(estimateTokens("a".repeat(400))).toBe(115)
    expect(estimateTokens("ü".repeat(200))).toBe(115)
  })

  it("estimates pictures by their area and documents by their size", () => {
    expect(imageTokens(750, 100)).toBe(100)
    expect(documentTokens(1)).toBe(2500)
    expect(documentTokens(120_000)).toBe(7500)
  })

  it("measures a block as the model is shown it", () => {
    const image = {
      type: "image",
      media: media("a", "image/png", 9000),
      width: 75,
      height: 10,
    } as const
    const document = { type: "document", media: media("a", "application/pdf", 10) } as const
    expect([textBlock("äb"), image, document].map(blockBytes)).toEqual([3, 9000, 10])
    expect([textBlock("äb"), image, document].map(blockTokens)).toEqual([1, 1, 2500])
    const minute = { type: "audio", media: media("a", "audio/mpeg", 960_000) } as const
    const clip = { type: "video", media: media("a", "video/mp4", 250_000) } as const
    expect([minute, clip].map(blockTokens)).toEqual([1920, 300])
  })

  it("measures calls by what is said, and results by what is in them", () => {
    const call = { type: "tool-call", id: "a", name: "ab", input: { x: 1 } } as const
    const result = {
      type: "tool-result",
      id: "a",
      name: "ab",
      blocks: [textBlock("äb"), textBlock("c")],
      is_error: false,
    } as const
    const thought = { type: "reasoning", text: "hm" } as const
    expect([call, result, thought].map(blockBytes)).toEqual([9, 4, 2])
    expect([call, result, thought].map(blockTokens)).toEqual([3, 2, 1])
  })
})

const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
