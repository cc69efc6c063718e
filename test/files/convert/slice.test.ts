import { readFile } from "node:fs/promises"
import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { measureFile } from "../../../packages/files/formats/measure.ts"
import { type SliceLocation, sliceFile } from "../../../packages/files/formats/slice.ts"
import type { Slicer } from "../../../packages/core/file/slice.ts"
import { runSandboxed } from "../../../packages/files/sandbox/sandbox.ts"
import { fileOf, fragmentAt, lacking, scratch } from "./converting.ts"
import { pdf, wav, xlsx } from "./samples.ts"
import { zipOf } from "./zip.ts"

const trial = await runSandboxed({ command: "true", workspace: scratch })
const walls = trial.type !== "unavailable"

const slicer: Slicer = (file, place, want) => sliceFile(file, place, want, { scratch })

async function slice(name: string, bytes: Uint8Array, place: SliceLocation, native = false) {
  const file = await fileOf(name, bytes)
  const open = async function* () {
    yield await readFile(file.path)
  }
  return slicer({ ...file, open }, place, { native })
}

async function measured(name: string, bytes: Uint8Array) {
  const file = await fileOf(name, bytes)
  const open = async function* () {
    yield await readFile(file.path)
  }
  return measureFile({ ...file, open }, { scratch })
}

describe("measures", () => {
  it("[BIN-061] counts the entries of an archive and the pages of a PDF", async () => {
    const zip = zipOf([
      { name: "a", data: "1" },
      { name: "b/c", data: "2" },
    ])
    expect(await measured("a.zip", zip)).toEqual({ entries: 2 })
    expect(await measured("a.pdf", pdf(["1", "2", "3"]))).toEqual({ pages: 3 })
    expect(await measured("a.pdf", Buffer.from("%PDF-1.4 damaged"))).toEqual({})
    expect(await measured("a.txt", Buffer.from("text"))).toEqual({})
  })
})

describe("slices", () => {
  it("[BEY-08] takes pages and cells as text", async () => {
    expect(await slice("a.pdf", pdf(["One", "Two"]), { fragment: fragmentAt("page=2") })).toEqual({
      type: "text",
      text: "## Page 2\n\nTwo\n",
      note: "Pages 2-2 of 2.",
    })
    const cells = await slice("a.xlsx", xlsx(), { fragment: fragmentAt("sheet=Q3&range=A1:B1") })
    expect(cells).toMatchObject({ type: "text", text: "## Sheet: Q3\n1\t1\t2\n" })
  })

  it("[BEY-08] takes a region of a picture as a picture", async () => {
    const png = await sharp({ create: { width: 40, height: 20, channels: 3, background: "red" } })
      .png()
      .toBuffer()
    const region = await slice("a.png", png, { fragment: fragmentAt("xywh=0,0,7,5") }, true)
    if (region.type !== "media") throw new Error(JSON.stringify(region))
    expect(region.mime).toBe("image/png")
    expect(await sharp(region.bytes).metadata()).toMatchObject({ width: 7, height: 5 })
  })

  it("[BEY-08] takes an entry of an archive, and a place in that", async () => {
    const zip = zipOf([
      { name: "src/a.txt", data: "one\ntwo\nthree\n" },
      { name: "b.pdf", data: pdf(["Inside"]) },
    ])
    expect(await slice("a.zip", zip, { entry: "src/a.txt" })).toEqual({
      type: "text",
      text: "one\ntwo\nthree\n",
    })
    const line = await slice("a.zip", zip, { entry: "src/a.txt", range: { start: 2, end: 2 } })
    expect(line).toEqual({ type: "text", text: "two\n" })
    const page = await slice("a.zip", zip, { entry: "b.pdf", fragment: fragmentAt("page=1") })
    expect(page).toMatchObject({ type: "text", text: "## Page 1\n\nInside\n" })
    expect(await slice("a.zip", zip, { entry: "b.pdf" }, true)).toMatchObject({
      type: "media",
      mime: "application/pdf",
      name: "b.pdf",
    })
    expect(await slice("a.zip", zip, { entry: "gone" })).toMatchObject({ type: "refused" })
  })

  it("refuses with the end of a sentence", async () => {
    expect(await slice("a.pdf", pdf(["One"]), { fragment: fragmentAt("page=5") })).toEqual({
      type: "refused",
      reason: "a.pdf has 1 pages, and no page 5",
    })
  })

  it.skipIf(!walls || lacking("ffmpeg", "ffprobe"))(
    "[BEY-08] cuts a piece out of a recording",
    async () => {
      const piece = await slice("a.wav", wav(4), { fragment: fragmentAt("t=1,2") }, true)
      if (piece.type !== "media") throw new Error(JSON.stringify(piece))
      expect(piece).toMatchObject({ mime: "audio/wav", name: "a-cut.wav" })
      expect(piece.bytes.length).toBeGreaterThan(15_900)
      expect(piece.bytes.length).toBeLessThan(16_300)
    },
  )
})
