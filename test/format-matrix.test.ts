import type { Part } from "../packages/core/parts/table.ts"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { attachment, gif, jpeg, png, webp } from "./build.ts"
import { zip } from "./files/archive/build.ts"
import { odp, ods, odt, pdf, pptx, psd, wav, wholeDocx, xlsx } from "./files/convert/samples.ts"
import { openHouse } from "./session/house.ts"

/** The format matrix of binary files, row by row: what a model with every sense is given, what one that
 *  only reads is told, and what one is given that calls no tools. */
const EVERY_SENSE = { provider_id: "google", model_id: "gemini-2.5-pro" }
const BLIND = { provider_id: "mistral", model_id: "devstral-medium-latest" }
const NO_TOOLS = { provider_id: "mistral", model_id: "voxtral-small-latest" }
const OFFICE = { provider_id: "amazon-bedrock", model_id: "global.anthropic.claude-sonnet-4-6" }

type Model = typeof BLIND

interface Row {
  readonly rule: string
  readonly name: string
  readonly bytes: Uint8Array
  readonly mime: string | RegExp
  /** What the model with every sense is given: its block, or the skill or tool that it is pointed to. */
  readonly sensed: string
  readonly blind: string
  readonly toolless?: string
}

const ftyp = (brand: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0${brand}isom`)])
const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)])
const mp3 = Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"), frame, frame])
const mkv = Buffer.concat([
  Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88]),
  Buffer.from("matroska"),
])
const bundle = zip([
  { name: "a.txt", data: "alpha" },
  { name: "b/c.txt", data: "beta" },
])
const CSV = "name,count\nalpha,1\n"

const ROWS: readonly Row[] = [
  row("BIN-010", "a.pdf", pdf(["A page."]), "application/pdf", {
    sensed: "document",
    blind: "skill pdf",
    toolless: "A page.",
  }),
  row("BIN-011", "a.png", png(2, 2), "image/png", { sensed: "image", blind: "tool read_image" }),
  row("BIN-011", "a.jpg", jpeg(2, 2), "image/jpeg", { sensed: "image", blind: "tool read_image" }),
  row("BIN-011", "a.webp", webp("VP8L", 2, 2), "image/webp", {
    sensed: "image",
    blind: "tool read_image",
  }),
  // A moving picture is no type that this API takes: it is told of instead.
  row("BIN-011", "a.gif", gif(2, 2), "image/gif", {
    sensed: "tool read_image",
    blind: "tool read_image",
  }),
  row("BIN-012", "a.zip", bundle, "application/zip", {
    sensed: "archive with 2 entries",
    blind: "skill archive",
  }),
  row("BIN-012", "a.txt.gz", gzipSync("alpha"), "application/gzip", {
    sensed: "skill archive",
    blind: "skill archive",
  }),
  row("BIN-013", "a.docx", wholeDocx(), /wordprocessingml/, {
    sensed: "skill office",
    blind: "skill office",
    toolless: "# ",
  }),
  row("BIN-013", "a.pptx", pptx(1), /presentationml/, {
    sensed: "skill office",
    blind: "skill office",
  }),
  row("BIN-013", "a.xlsx", xlsx(), /spreadsheetml/, {
    sensed: "skill office",
    blind: "skill office",
  }),
  row("BIN-013", "a.odt", odt(), /opendocument\.text/, {
    sensed: "skill opendocument",
    blind: "skill opendocument",
  }),
  row("BIN-013", "a.odp", odp(), /opendocument\.presentation/, {
    sensed: "skill opendocument",
    blind: "skill opendocument",
  }),
  row("BIN-013", "a.ods", ods(), /opendocument\.spreadsheet/, {
    sensed: "skill opendocument",
    blind: "skill opendocument",
  }),
  row("BIN-014", "a.psd", psd(4, 4), "image/vnd.adobe.photoshop", {
    sensed: "skill psd",
    blind: "skill psd",
  }),
  row("BIN-015", "a.fig", Buffer.from("fig-kiwi\x0f\0\0\0\0\0\0\0", "latin1"), /fig/, {
    sensed: "skill fig",
    blind: "skill fig",
  }),
  row("BIN-016", "a.mp4", ftyp("isom"), "video/mp4", { sensed: "video", blind: "skill video" }),
  row("BIN-016", "a.mkv", mkv, "video/matroska", { sensed: "skill video", blind: "skill video" }),
  row("BIN-017", "a.wav", wav(1), "audio/wav", { sensed: "audio", blind: "skill audio" }),
  row("BIN-017", "a.mp3", mp3, "audio/mpeg", { sensed: "audio", blind: "skill audio" }),
  row("BIN-018", "a.csv", Buffer.from(CSV), "text/csv", { sensed: CSV, blind: CSV, toolless: CSV }),
  row("BIN-018", "a.json", Buffer.from('{"a":1}'), "application/json", {
    sensed: '{"a":1}',
    blind: '{"a":1}',
  }),
  row("BIN-018", "big.csv", Buffer.from(CSV.repeat(4000)), "text/csv", {
    sensed: "tool read",
    blind: "tool read",
  }),
  row("BIN-019", "a.bin", Buffer.from([0, 1, 2, 250, 251, 3, 0, 9]), "application/octet-stream", {
    sensed: "Nothing here reads it",
    blind: "Nothing here reads it",
    toolless: "Nothing here reads it",
  }),
]

type Seen = Pick<Row, "sensed" | "blind" | "toolless">

function row(rule: string, name: string, bytes: Uint8Array, mime: string | RegExp, seen: Seen) {
  return { rule, name, bytes, mime, ...seen }
}

describe("the format matrix", () => {
  async function shown(part: Part, model: Model) {
    const { host } = await openHouse({ turns: false })
    const draft = { parts: [part], workspace_root: null, with_body: true }
    const { prompt, receipts, body } = await host.lower({ ...draft, model })
    const [block] = prompt.messages[0]?.blocks ?? []
    const text = block?.type === "text" ? block.text : ""
    return { type: block?.type, text, receipt: receipts[0], body }
  }

  function says({ type, text, receipt }: Awaited<ReturnType<typeof shown>>): string {
    return `${type}\n${text}\n${receipt?.reason}`
  }

  it.each(ROWS)("[$rule] [BIN-020] $name: native, or who reads it", async (one) => {
    const part = attachment(one.name, one.bytes)
    const sensed = await shown(part, EVERY_SENSE)
    expect(says(sensed)).toContain(one.sensed)
    const native = sensed.type !== "text"
    expect(sensed.receipt?.outcome).toBe(native ? "native" : expectedOutcome(one.sensed))
    const blind = await shown(part, BLIND)
    expect(blind.type).toBe("text")
    expect(says(blind)).toContain(one.blind)
    expect(blind.text).toContain(one.name)
    if (blind.receipt?.outcome === "descriptor") expect(blind.text).toMatch(one.mime)
    // No byte that the model cannot use is in what it is sent.
    const packed = Buffer.from(one.bytes).toString("base64").slice(0, 40)
    if (packed.length === 40) expect(JSON.stringify(blind.body)).not.toContain(packed)
  })

  it.each(ROWS.filter(({ toolless }) => toolless !== undefined))(
    "[BIN-001] [BIN-021] $name: what can be taken out, for a model that calls no tools",
    async (one) => {
      const given = await shown(attachment(one.name, one.bytes), NO_TOOLS)
      expect(says(given)).toContain(one.toolless)
    },
  )

  it("[BIN-021] gives an office file to the API that reads it, whatever its type", async () => {
    const given = await shown(attachment("a.docx", wholeDocx()), OFFICE)
    expect(given).toMatchObject({ type: "document", receipt: { outcome: "native" } })
  })
})

function expectedOutcome(seen: string): string {
  return seen.startsWith("skill") || seen.startsWith("tool") || /archive|Nothing/.test(seen)
    ? "descriptor"
    : "inlined"
}
