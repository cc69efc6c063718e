import { describe, expect, it } from "vitest"
import { conditionOf, TAIL_BYTES } from "../../packages/files/formats/condition.ts"
import { imageSize } from "../../packages/files/kinds/image-size.ts"
import { decodeText, SNIFF_BYTES, sniff } from "../../packages/files/kinds/sniff.ts"
import { API_LIMITS } from "../../packages/core/wires/wires.ts"
import { bytes, gif, jpeg, png, webp } from "../build.ts"
import { corpus, encode, type Sample, zip } from "./corpus.ts"

/** What some API takes as it is. */
const NATIVE: ReadonlySet<string> = new Set(
  Object.values(API_LIMITS).flatMap(({ media }) =>
    Object.values(media).flatMap(({ mimes }) => mimes),
  ),
)

async function judged(one: Sample) {
  const complete = one.bytes.length <= SNIFF_BYTES
  const found = await sniff(one.bytes.subarray(0, SNIFF_BYTES), one.name, complete)
  const right = found.mime === one.mime && found.kind === one.kind
  const isNative = found.kind !== "text" && NATIVE.has(found.mime)
  return { ...one, found, right, dangerous: isNative && found.mime !== one.mime }
}

describe("a corpus of files", () => {
  it("[BIN-005] is told apart: 98 in 100, and none is sent as what it is not", async () => {
    const samples = await Promise.all(corpus().map(judged))
    const wrong = samples.filter(({ right }) => !right)
    const told = wrong.map(({ name, mime, found }) => `${name}: ${found.mime}, not ${mime}`)
    expect(samples.length).toBeGreaterThanOrEqual(150)
    const dangerous = samples.filter(({ dangerous }) => dangerous)
    expect(dangerous.map(({ name, found }) => [name, found.mime])).toEqual([])
    expect(wrong.length / samples.length, told.join("\n")).toBeLessThanOrEqual(0.02)
  })

  it("has the text of every encoding", async () => {
    const text = "Schöne Grüße aus Köln, wo die Straßen über den Fluss führen. ".repeat(3)
    expect(decodeText(encode(text, "windows-1252"))).toBe(text)
    expect(decodeText(Buffer.from(text, "utf16le"))).toBe(text)
    expect(decodeText(bytes("\x1b$B%F%9%H\x1b(B"))).toBe("テスト")
    expect(decodeText(encode(text, "windows-1252"), true, "iso-8859-1")).toBe(text)
  })
})

describe("conditionOf", () => {
  async function condition(content: Buffer, name: string) {
    const { mime, kind } = await sniff(content.subarray(0, SNIFF_BYTES), name, true)
    const head = content.subarray(0, SNIFF_BYTES)
    const tail = content.subarray(-TAIL_BYTES)
    return conditionOf({ mime, kind, head, tail, size: content.length })
  }
  const pdf = (more: string) => bytes(`%PDF-1.7\n1 0 obj\n<<>>\nendobj\n${more}`)
  const compound = bytes(
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    Buffer.alloc(504),
    Buffer.from("EncryptedPackage", "utf16le"),
  )

  it.each([
    ["a PDF", pdf("startxref\n0\n%%EOF\n"), undefined],
    ["a PDF with a password", pdf("trailer <</Encrypt 5 0 R>>\nstartxref\n0\n%%EOF"), "encrypted"],
    ["a PDF that is cut off", pdf(""), "damaged"],
    ["a zip", zip({ a: "hello" }), undefined],
    ["a zip with a password", zip({ a: "hello" }, 8, 1), "encrypted"],
    ["a zip that is cut off", zip({ a: "hello".repeat(99) }).subarray(0, 40), "damaged"],
    ["an office file with a password", compound, "encrypted"],
    ["a PNG", bytes(png(), "IEND", [0xae, 0x42, 0x60, 0x82]), undefined],
    ["a PNG that is cut off", png(), "damaged"],
    ["a JPEG", jpeg(), undefined],
    ["a JPEG that is cut off", jpeg().subarray(0, -2), "damaged"],
    ["a GIF", gif(), undefined],
    ["a GIF that is cut off", gif().subarray(0, -1), "damaged"],
    ["a WebP that is cut off", webp("VP8X").subarray(0, 24), "damaged"],
    ["a text", Buffer.from("hello"), undefined],
  ] as const)("[BEY-02] sees the state of %s", async (_, content, expected) => {
    expect(await condition(content, "a")).toBe(expected)
  })

  it("[BIN-011] knows no size of an image that is cut before it says it", () => {
    expect(imageSize(png().subarray(0, 20))).toBeUndefined()
  })
})
