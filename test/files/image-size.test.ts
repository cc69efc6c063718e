import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { imageSize } from "../../packages/files/kinds/image-size.ts"
import { bytes, gif, jpeg, png, webp } from "../build.ts"

describe("imageSize", () => {
  it.each([
    ["PNG", png(640, 480)],
    ["JPEG", jpeg(640, 480)],
    ["JPEG after a long profile", jpeg(640, 480, 60_000)],
    ["GIF", gif(640, 480)],
    ["lossy WebP", webp("VP8 ", 640, 480)],
    ["lossless WebP", webp("VP8L", 640, 480)],
    ["extended WebP", webp("VP8X", 640, 480)],
  ])("reads the header of a %s", (_, image) =>
    expect(imageSize(image)).toEqual({ width: 640, height: 480 }),
  )

  it.each([
    ["nothing", bytes("")],
    ["text", bytes("GIFT from a friend, with love")],
    ["a PNG that ends in its header", png(640, 480).subarray(0, 20)],
    ["a PNG without pixels", png(0, 480)],
    ["a JPEG that ends before its frame", jpeg(640, 480, 60_000).subarray(0, 1000)],
    ["a JPEG of rubbish", bytes([0xff, 0xd8], "rubbish, rubbish")],
    ["a WebP with a wrong start code", bytes("RIFF", [9, 0, 0, 0], "WEBPVP8 ", Buffer.alloc(20))],
  ])("does not guess the size of %s", (_, image) => expect(imageSize(image)).toBeUndefined())

  it("never throws, whatever follows a good beginning", () => {
    const beginnings = [png(), jpeg(), gif(), webp("VP8 "), webp("VP8L"), webp("VP8X")]
    const cut = fc.tuple(
      fc.constantFrom(...beginnings),
      fc.nat(40),
      fc.uint8Array({ maxLength: 64 }),
    )
    fc.assert(
      fc.property(cut, ([image, at, rest]) => {
        imageSize(bytes(image.subarray(0, at), rest))
      }),
    )
  })
})
