import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { shrink } from "../../packages/files/kinds/shrink.ts"

const WEB = ["image/png", "image/jpeg", "image/gif", "image/webp"]

function noise(width: number, height: number, channels: 3 | 4 = 3) {
  const data = Buffer.alloc(width * height * channels)
  for (let at = 0; at < data.length; at++) data[at] = (at * 2654435761) >>> 13
  return sharp(data, { raw: { width, height, channels } })
}

describe("shrink", () => {
  it("[BIN-002] brings an image below a side, and keeps its proportions", async () => {
    const image = await noise(900, 300).jpeg().toBuffer()
    const smaller = await shrink(image, { max_bytes: 1e7, max_side_pixels: 300, mimes: WEB })
    expect(smaller).toMatchObject({ mime: "image/jpeg", width: 300, height: 100 })
    expect(await sharp(smaller?.bytes).metadata()).toMatchObject({ format: "jpeg", width: 300 })
  })

  it("[BIN-002] brings an image below a number of bytes", async () => {
    const image = await noise(600, 600).png().toBuffer()
    const max_bytes = Math.floor(image.length / 4)
    const smaller = await shrink(image, { max_bytes, mimes: WEB })
    expect(smaller?.bytes.length).toBeLessThanOrEqual(max_bytes)
    expect(smaller?.width).toBeLessThan(600)
  })

  it("keeps transparency", async () => {
    const image = await noise(200, 100, 4).webp({ lossless: true }).toBuffer()
    const smaller = await shrink(image, { max_bytes: 1e7, max_side_pixels: 50, mimes: WEB })
    expect(smaller).toMatchObject({ mime: "image/png", width: 50, height: 25 })
    expect((await sharp(smaller?.bytes).metadata()).hasAlpha).toBe(true)
  })

  it("turns a photograph that lies on its side", async () => {
    const image = await noise(200, 100).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    expect(await shrink(image, { max_bytes: 1e7, max_side_pixels: 100, mimes: WEB })).toMatchObject(
      {
        width: 50,
        height: 100,
      },
    )
  })

  it("[BIN-002] turns a type that no API takes into one that it does", async () => {
    const image = await noise(40, 30).tiff().toBuffer()
    expect(await shrink(image, { max_bytes: 1e7, mimes: WEB })).toMatchObject({
      mime: "image/jpeg",
      width: 40,
      height: 30,
    })
  })

  it("gives the same bytes for the same image, so that a prompt's prefix stays", async () => {
    const image = await noise(300, 300).png().toBuffer()
    const limits = { max_bytes: 1e7, max_side_pixels: 100, mimes: WEB }
    expect(await shrink(image, limits)).toEqual(await shrink(image, limits))
  })

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("not an image")],
    ["a head without a body", Buffer.from("\x89PNG\r\n\x1a\n", "latin1")],
  ])("gives nothing for %s", async (_, bytes) =>
    expect(await shrink(bytes, { max_bytes: 1e6, mimes: WEB })).toBeUndefined(),
  )

  it("gives nothing for more pixels than are decoded, and for a limit nothing meets", async () => {
    const bomb = await sharp({
      create: { width: 12_000, height: 12_000, channels: 3, background: "red" },
    })
      .toColourspace("b-w")
      .jpeg()
      .toBuffer()
    expect(await shrink(bomb, { max_bytes: 1e7, max_side_pixels: 100, mimes: WEB })).toBeUndefined()
    const image = await noise(300, 300).png().toBuffer()
    expect(await shrink(image, { max_bytes: 10, mimes: WEB })).toBeUndefined()
    expect(await shrink(image, { max_bytes: 1e7, mimes: ["image/bmp"] })).toBeUndefined()
  })
})
