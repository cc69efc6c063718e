import type { OpenFile, LoadedSlice, Slicer, FileLocation } from "../../packages/core/file/slice.ts"
import type { FileRefPart } from "../../packages/core/parts/file-ref.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import { describe, expect, it } from "vitest"
import { captureRange } from "../../packages/engine/loading/load.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { collectBytes, named, png } from "../build.ts"
import { house } from "./house.ts"

const sighted = capabilitiesOfApi("anthropic-messages")
const blind = capabilitiesOfApi("anthropic-messages", ["text"])

function at(path: string, place: FileLocation): PartData {
  const ref = { kind: "path", path, ...place } as FileRefPart["ref"]
  return { type: "file-ref", ref }
}

/** A reader of three formats: cells of a CSV, "pages" of a PDF, and a folder in one file. */
const slice: Slicer = async (file, place, want) => {
  const text = (await collectBytes(file.open())).toString("latin1")
  if (place.entry !== undefined) return entry(text, place, place.entry)
  if (file.mime === "application/pdf") return pages(text, place, want.native)
  return place.fragment?.unit === "cells"
    ? cells(text, place.fragment.cells ?? "A1")
    : { type: "refused", reason: `${file.name} has no such place` }
}

function cells(text: string, range: string): LoadedSlice {
  const [first = "A1", last = first] = range.split(":")
  const column = (cell: string) => cell.charCodeAt(0) - 65
  const row = (cell: string) => Number(cell.slice(1))
  const rows = text.trimEnd().split("\n")
  if (row(first) > rows.length) return { type: "refused", reason: `it has ${rows.length} rows` }
  const picked = rows.slice(row(first) - 1, row(last)).map((line) =>
    line
      .split(",")
      .slice(column(first), column(last) + 1)
      .join(","),
  )
  return { type: "text", text: picked.join("\n") }
}

function pages(text: string, { fragment }: FileLocation, native: boolean): LoadedSlice {
  const all = text.slice("%PDF-1.7\n".length).split("\f")
  const [start, end] = fragment?.unit === "page" ? [fragment.start, fragment.end] : [1, all.length]
  const picked = all.slice(start - 1, end)
  if (!native) return { type: "text", text: picked.join("\n") }
  const bytes = Buffer.from(`%PDF-1.7\n${picked.join("\f")}`)
  return { type: "media", bytes, mime: "application/pdf", name: "pages.pdf" }
}

function entry(text: string, { range }: FileLocation, name: string): LoadedSlice {
  const found = text.split("\x00").find((file) => file.startsWith(`${name}\n`))
  if (found === undefined) return { type: "refused", reason: `it has no entry ${name}` }
  if (name.endsWith(".png")) return { type: "media", bytes: png(3, 4), mime: "image/png", name }
  const lines = found.split("\n").slice(1)
  const picked = range ? lines.slice(range.start - 1, range.end) : lines
  return { type: "text", text: picked.join("\n") }
}

const PDF = "%PDF-1.7\none\ftwo\fthree"
const BUNDLE = "PK\x00src/a.ts\nlet a\nlet b\nlet c\x00logo.png\nx\x00.env\nKEY=1"

describe("a place inside a file", () => {
  it("[BEY-08] shows only the cells of a table", async () => {
    const { lower } = await built({ "t.csv": "a,b,c\n1,2,3\n4,5,6\n" })
    const lowered = await lower(at("t.csv", { fragment: { unit: "cells", cells: "A2:B3" } }))
    expect(lowered.shown).toEqual(["File t.csv, cells A2:B3:\n1,2\n4,5"])
    expect(lowered.receipts[0]).toMatchObject({
      outcome: "range",
      rule: "BEY-08",
      reason: "The model is shown only cells A2:B3 of the file.",
    })
    expect(lowered.receipts[0]?.content_id).toMatch(/^sha256:/)
  })

  it("[BEY-08] gives pages of a PDF natively, or their text to a model that takes none", async () => {
    const { lower } = await built({ "p.pdf": PDF })
    const pages = at("p.pdf", { fragment: { unit: "page", start: 2, end: 3 } })
    const native = await lower(pages, sighted)
    expect(native.shown).toEqual(["<application/pdf>"])
    expect(native.receipts[0]).toMatchObject({
      outcome: "range",
      reason: "The model is given pages 2-3 of the document itself.",
    })
    const text = await lower(pages, blind)
    expect(text.shown).toEqual(["File p.pdf, pages 2-3:\ntwo\nthree"])
    expect(text.receipts[0]).toMatchObject({ outcome: "extracted", rule: "BEY-08" })
  })

  it("[BEY-08] takes the text out of captured pages when the model is switched", async () => {
    const rooms = await house({ "p.pdf": PDF })
    const part = named(at("p.pdf", { fragment: { unit: "page", start: 1, end: 1 } }))
    expect((await rooms.lower([part], sighted, { slice })).shown).toEqual(["<application/pdf>"])
    await rooms.write("p.pdf", "changed")
    const after = await rooms.lower([part], blind, { slice })
    expect(after.shown).toEqual(["File p.pdf, page 1:\none"])
    expect(after.receipts[0]?.outcome).toBe("extracted")
    expect((await rooms.lower([part], sighted, { slice })).shown).toEqual(["<application/pdf>"])
  })

  it("[BEY-08] shows lines of an archive's entry, and an image in it", async () => {
    const { lower } = await built({ "b.zip": Buffer.from(BUNDLE, "latin1") })
    const lines = await lower(at("b.zip", { entry: "src/a.ts", range: { start: 2, end: 3 } }))
    expect(lines.shown).toEqual(["File b.zip!/src/a.ts, lines 2-3:\nlet b\nlet c"])
    const image = at("b.zip", { entry: "logo.png" })
    expect((await lower(image, sighted)).shown).toEqual(["<image/png>"])
    const whole = await lower(at("b.zip", { entry: "src/a.ts" }))
    expect(whole.shown).toEqual(["File b.zip!/src/a.ts:\nlet a\nlet b\nlet c"])
  })

  it("[BEY-08] lines and bytes written as fragments are ranges", async () => {
    const { lower } = await built({ "a.ts": "one\ntwo\nthree\n" })
    const lines = await lower(at("a.ts", { fragment: { unit: "line", start: 2, end: 3 } }))
    expect(lines.shown).toEqual(["File a.ts, lines 2-3:\ntwo\nthree"])
    expect(lines.receipts[0]?.outcome).toBe("range")
    const bytes = await lower(at("a.ts", { fragment: { unit: "byte", start: 0, end: 3 } }))
    expect(bytes.shown).toEqual(["File a.ts, bytes 0-3:\none"])
  })

  it("[BEY-08] is captured when it is submitted", async () => {
    const rooms = await house({ "t.csv": "a,b\n1,2\n" })
    const part = named(at("t.csv", { fragment: { unit: "cells", cells: "B1:B2" } }))
    const capture = await captureRange(part, rooms.sources({ slice }))
    expect(capture).toMatchObject({ outcome: "content", size: 3, total_size: 8 })
    if (capture) rooms.captures.set(part.id, capture)
    await rooms.write("t.csv", "gone")
    expect((await rooms.lower([part], sighted)).shown).toEqual(["File t.csv, cells B1:B2:\nb\n2"])
    expect(await captureRange(part, rooms.sources())).toBeNull()
  })

  it("[BEY-08] is only named where nobody can take it out, and says why", async () => {
    const { lower, bare } = await built({ "t.csv": "a\n", "p.pdf": PDF })
    const place = at("t.csv", { fragment: { unit: "cells", sheet: "Q3", cells: "A9" } })
    expect((await bare(place)).shown).toEqual([
      "[file: t.csv, text/csv, 2 bytes, cells A9 of sheet Q3. Not shown: a place inside such a file cannot be taken out here. Use read on this path for its contents.]",
    ])
    const refused = await lower(place)
    expect(refused.shown[0]).toContain("Not shown: it has 1 rows.")
    expect(refused.receipts[0]?.outcome).toBe("descriptor")
  })

  it("[BEY-08] a slicer that breaks is a reason, not an error", async () => {
    const { rooms } = await built({ "p.pdf": PDF })
    const broken: Slicer = () => Promise.reject(new Error("xref table\nis damaged"))
    const part = named(at("p.pdf", { fragment: { unit: "page", start: 1, end: 1 } }))
    const lowered = await rooms.lower([part], sighted, { slice: broken })
    expect(lowered.shown[0]).toContain("Not shown: xref table is damaged.")
  })

  it("[BEY-04] an entry is judged by its own name and by its text", async () => {
    const { rooms } = await built({ "b.zip": Buffer.from(BUNDLE, "latin1") })
    const seen: (string | undefined)[] = []
    const ingress = ({
      path = "",
      text,
    }: {
      path?: string | undefined
      text?: string | undefined
    }) => {
      seen.push(text)
      if (path.endsWith("/.env"))
        return { verdict: "deny", rule: "deny", reason: "a deny rule names it" } as const
      if (!text?.includes("let b")) return { verdict: "allow" } as const
      const clean = text.replace("let b", "***")
      return {
        verdict: "redact",
        rule: "secret",
        reason: "1 secret was removed",
        findings: [],
        text: clean,
      } as const
    }
    const env = await rooms.lower([named(at("b.zip", { entry: ".env" }))], sighted, {
      slice,
      ingress,
    })
    expect(env.receipts[0]).toMatchObject({ outcome: "denied" })
    expect(env.shown).toEqual(["[file: b.zip!/.env. Not shown: a deny rule names it.]"])
    const source = await rooms.lower([named(at("b.zip", { entry: "src/a.ts" }))], sighted, {
      slice,
      ingress,
    })
    expect(source.shown).toEqual(["File b.zip!/src/a.ts:\nlet a\n***\nlet c"])
    expect(source.receipts[0]?.reason).toContain("1 secret was removed")
  })

  it("[BEY-08] the slicer is told what the model takes, and opens the file as often as it likes", async () => {
    const { rooms } = await built({ "p.pdf": PDF })
    const wants: boolean[] = []
    const nosy: Slicer = async (file: OpenFile, _, want) => {
      wants.push(want.native)
      const [one, two] = [await collectBytes(file.open()), await collectBytes(file.open())]
      expect(one.equals(two)).toBe(true)
      expect(file).toMatchObject({ name: "p.pdf", mime: "application/pdf", kind: "pdf", size: 22 })
      return { type: "text", text: "x" }
    }
    const place = { fragment: { unit: "page", start: 1, end: 1 } } as const
    for (const model of [sighted, blind])
      await rooms.lower([named(at("p.pdf", place))], model, { slice: nosy })
    expect(wants).toEqual([true, false])
  })
})

async function built(files: Readonly<Record<string, string | Uint8Array>>) {
  const rooms = await house(files)
  return {
    rooms,
    lower: (part: PartData, model = sighted) => rooms.lower([named(part)], model, { slice }),
    bare: (part: PartData) => rooms.lower([named(part)], sighted),
  }
}
