import { readFile } from "node:fs/promises"
import { deflateRawSync } from "node:zlib"
import { compileSchema, encodeBinarySchema, parseSchema, type Schema } from "kiwi-schema"
import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { converted, filesOf, textOf } from "./converting.ts"
import { heic, pdf, psd } from "./samples.ts"
import { zipOf } from "./zip.ts"

async function looks(path: string) {
  const { width, height, format } = await sharp(path).metadata()
  const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width, height, format, first: [...data.subarray(0, 3)] }
}

describe("pdf", () => {
  const lines = ["Hello", "World", "Three", "Four"]

  it("[BIN-010] gives the text of its pages, or of some", async () => {
    expect(await textOf("a.pdf", pdf(lines.slice(0, 2)))).toBe(
      "## Page 1\n\nHello\n\n## Page 2\n\nWorld\n",
    )
    const some = await converted("a.pdf", pdf(lines), { at: "page=3-9" })
    expect(some).toMatchObject({
      text: "## Page 3\n\nThree\n\n## Page 4\n\nFour\n",
      note: "Pages 3-4 of 4.",
    })
    expect(await textOf("a.pdf", pdf(lines), { at: "page=7" })).toBe(
      "[a.pdf has 4 pages, and no page 7.]",
    )
  })

  it("[BIN-010] gives pictures of its pages, and no more than allowed", async () => {
    const files = await filesOf("my report.pdf", pdf(lines), { at: "page=2-3" })
    expect(files.map(({ name }) => name)).toEqual(["my_report-page-2.png", "my_report-page-3.png"])
    expect(await looks(files[0]?.path ?? "")).toMatchObject({
      width: 900,
      height: 600,
      first: [255, 255, 255],
    })
    expect(await converted("a.pdf", pdf(lines), { to: "png", limits: { pages: 3 } })).toMatchObject(
      {
        files: { length: 3 },
        note: "Pages 1-3 of 4; ask for the others.",
      },
    )
  })

  it("says which pages are pictures only", async () => {
    expect(await converted("a.pdf", pdf(["Hello", ""]))).toMatchObject({
      note: "1 pages have no text (2); convert them to png to see them.",
    })
  })
})

describe("images", () => {
  const red = { create: { width: 40, height: 20, channels: 3, background: "#ff0000" } } as const

  it("gives any image as png, and a region of it", async () => {
    const webp = await sharp(red)
      .composite([
        {
          input: Buffer.from([0, 0, 255]),
          raw: { width: 1, height: 1, channels: 3 },
          left: 30,
          top: 10,
        },
      ])
      .webp({ lossless: true })
      .toBuffer()
    const [whole] = await filesOf("a.webp", webp)
    expect(await looks(whole?.path ?? "")).toMatchObject({ width: 40, height: 20, format: "png" })
    const [region] = await filesOf("a.webp", webp, { at: "xywh=30,10,5,5" })
    expect(await looks(region?.path ?? "")).toMatchObject({
      width: 5,
      height: 5,
      first: [0, 0, 255],
    })
    const [quarter] = await filesOf("a.webp", webp, { at: "xywh=percent:75,50,25,50" })
    expect(await looks(quarter?.path ?? "")).toMatchObject({
      width: 10,
      height: 10,
      first: [0, 0, 255],
    })
    expect(await textOf("a.webp", webp, { to: "png", at: "xywh=90,0,5,5" })).toBe(
      "[a.webp is 40 × 20 pixels, and has nothing at 90,0.]",
    )
  })

  it("draws a drawing without what acts in it or points outside", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="10" onload="x()">
      <script>alert(1)</script><rect width="20" height="10" fill="#00ff00"/><image xlink:href="file:///etc/passwd" width="20" height="10"/>
      <foreignObject><p>no</p></foreignObject><style>@import url(http://example.org/x.css);</style></svg>`
    const [file] = await filesOf("a.svg", Buffer.from(svg))
    expect(await looks(file?.path ?? "")).toMatchObject({
      width: 80,
      height: 40,
      first: [0, 255, 0],
    })
    expect(await textOf("a.svg", svg, { at: "L1" })).toMatch(/^<svg /)
  })

  it("[BIN-014] flattens a psd and lists its layers", async () => {
    const [file] = await filesOf("a.psd", psd(30, 20))
    expect(await looks(file?.path ?? "")).toMatchObject({
      width: 30,
      height: 20,
      first: [200, 30, 60],
    })
    expect(await textOf("a.psd", psd(30, 20))).toBe("30 × 20 pixels, 0 layers\n")
  })

  it("gives the photograph of a telephone as png", async () => {
    const [file] = await filesOf("a.heic", heic())
    const { width, height, first } = await looks(file?.path ?? "")
    expect({ width, height }).toEqual({ width: 64, height: 48 })
    expect(first[0]).toBeGreaterThan(230)
    expect(first[2]).toBeLessThan(30)
    const [region] = await filesOf("a.heic", heic(), { at: "xywh=0,40,8,8" })
    expect((await looks(region?.path ?? "")).first[2]).toBeGreaterThan(180)
  })
})

describe("fig", () => {
  const SCHEMA = `
    enum NodeType { NONE = 0; DOCUMENT = 1; CANVAS = 2; FRAME = 4; TEXT = 13; }
    struct GUID { uint sessionID; uint localID; }
    struct Vector { float x; float y; }
    message ParentIndex { GUID guid = 1; string position = 2; }
    message TextData { string characters = 1; }
    message NodeChange { GUID guid = 1; ParentIndex parentIndex = 2; NodeType type = 3; string name = 4; bool visible = 5; Vector size = 6; TextData textData = 7; byte[] blob = 8; }
    message Message { uint sessionID = 1; NodeChange[] nodeChanges = 2; }`

  function canvas(nodeChanges: readonly object[], spoil?: (schema: Schema) => void): Buffer {
    const schema = parseSchema(SCHEMA)
    const message = compileSchema(schema).encodeMessage({ sessionID: 1, nodeChanges })
    spoil?.(schema)
    const pieces = [encodeBinarySchema(schema), message].map((bytes) => {
      const packed = deflateRawSync(bytes)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(packed.length)
      return Buffer.concat([length, packed])
    })
    return Buffer.concat([Buffer.from("fig-kiwi"), Buffer.from([15, 0, 0, 0]), ...pieces])
  }

  const guid = (localID: number) => ({ sessionID: 0, localID })
  const inside = (localID: number, position: string) => ({ guid: guid(localID), position })
  const NODES = [
    { guid: guid(0), type: "DOCUMENT", name: "Document" },
    { guid: guid(1), parentIndex: inside(0, "!"), type: "CANVAS", name: "Page 1" },
    {
      guid: guid(3),
      parentIndex: inside(2, "b"),
      type: "TEXT",
      name: "Label",
      textData: { characters: "Sign in" },
      visible: false,
      blob: new Uint8Array([1, 2, 3]),
    },
    {
      guid: guid(2),
      parentIndex: inside(1, "a"),
      type: "FRAME",
      name: "Login",
      size: { x: 320, y: 480 },
    },
  ]
  const TREE =
    '- document "Document"\n  - canvas "Page 1"\n    - frame "Login" 320 × 480\n      - text "Label" hidden: "Sign in"\n'

  it("[BIN-015] reads the tree of nodes, bare or in a zip with its thumbnail", async () => {
    expect(await textOf("a.fig", canvas(NODES))).toBe(TREE)
    const png = await sharp({
      create: { width: 4, height: 4, channels: 3, background: "#0000ff" },
    })
      .png()
      .toBuffer()
    const zip = zipOf([
      { name: "canvas.fig", data: canvas(NODES) },
      { name: "thumbnail.png", data: png },
    ])
    expect(await textOf("a.fig", zip)).toBe(TREE)
    const [thumbnail] = await filesOf("a.fig", zip)
    expect(await readFile(thumbnail?.path ?? "")).toEqual(png)
  })

  it("never runs the words of a file's own schema", async () => {
    const spoil = ({ definitions }: Schema) => {
      for (const { fields } of definitions)
        for (const field of fields)
          if (field.name === "blob" || field.name === "position")
            field.name = "a'];globalThis.process.exit(7);//"
    }
    expect(await textOf("a.fig", canvas(NODES, spoil))).toBe(TREE)
  })

  it("ends on nodes that hold each other, and on counts that lie", async () => {
    const ring = [
      { guid: guid(1), parentIndex: inside(9, "a"), type: "FRAME", name: "A" },
      { guid: guid(2), parentIndex: inside(3, "a"), type: "FRAME", name: "B" },
      { guid: guid(3), parentIndex: inside(2, "a"), type: "FRAME", name: "C" },
    ]
    expect(await textOf("a.fig", canvas(ring))).toBe('- frame "A"\n')
    const cut = canvas(NODES).subarray(0, -20)
    expect(await textOf("a.fig", cut)).toBe("[a.fig is cut off.]")
  })
})
