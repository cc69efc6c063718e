import type { PartData } from "../../packages/core/parts/define-part.ts"
import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { shrink as scale } from "../../packages/files/kinds/shrink.ts"
import type { ShrinkToFit } from "../../packages/engine/loading/fit.ts"
import type { FileRoute } from "../../packages/core/file/route.ts"
import type { Slicer } from "../../packages/core/file/slice.ts"
import type { Sources } from "../../packages/engine/loading/sources.ts"
import type { Capabilities } from "../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { attachment, bytes, fileRef, gif, jpeg, named, png } from "../build.ts"
import { house } from "./house.ts"

const sighted = capabilitiesOfApi("anthropic-messages")
const blind = capabilitiesOfApi("anthropic-messages", ["text"])
const gemini = capabilitiesOfApi("gemini-generatecontent")
const bedrock = capabilitiesOfApi("bedrock-converse")
const responses = capabilitiesOfApi("openai-responses")
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

async function lowered(part: PartData, model: Capabilities, more: Partial<Sources> = {}) {
  const { shown, receipts } = await (await house()).lower([named(part)], model, more)
  return { shown: shown[0] ?? "", receipt: receipts[0] }
}

function wav(): Buffer {
  const format = [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0]
  return bytes("RIFF", [36, 0, 0, 0], "WAVEfmt ", format, "data", [0, 0, 0, 0])
}

function mp4(): Buffer {
  return bytes([0, 0, 0, 24], "ftypisom", [0, 0, 2, 0], "isomiso2", [0, 0, 0, 8], "mdat")
}

/** A zip with one stored file; a reader knows an office file by its first name. */
function zip(name: string, content: string): Buffer {
  const size = [content.length, 0, 0, 0]
  return bytes(
    "PK\x03\x04",
    [20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    size,
    size,
    [name.length, 0, 0, 0],
    name,
    content,
    Buffer.alloc(64),
  )
}

function docx(): Buffer {
  const types = `<Types><Override ContentType="${WORD}.main+xml"/></Types>`
  return zip("[Content_Types].xml", types)
}

describe("native media", () => {
  it.each([
    ["[CMP-094] gives a sound", "a.wav", wav(), gemini, "<audio/wav>"],
    ["[CMP-095] gives a film", "a.mp4", mp4(), gemini, "<video/mp4>"],
    ["[BIN-013] gives an office document", "a.docx", docx(), bedrock, `<${WORD}>`],
    ["[BIN-013] gives an office document", "a.docx", docx(), responses, `<${WORD}>`],
    [
      "[BIN-018] shows a table as text",
      "a.csv",
      bytes("a,b\n"),
      responses,
      "Attached file a.csv:\na,b\n",
    ],
  ])("%s to a model that takes it (%s)", async (_, name, file, model, expected) => {
    const { shown, receipt } = await lowered(attachment(name, file), model)
    expect(shown).toBe(expected)
    expect(receipt?.outcome).toBe(expected.startsWith("<") ? "native" : "inlined")
  })

  it.each([
    ["a.wav", wav(), "audio/wav", "the anthropic-messages API carries no audio", "CMP-094"],
    ["a.mp4", mp4(), "video/mp4", "the anthropic-messages API carries no video", "CMP-095"],
    ["a.docx", docx(), WORD, "the anthropic-messages API carries no office documents", "BIN-013"],
  ])("[CMP-105] describes %s to a model that does not", async (name, file, mime, why, rule) => {
    const { shown, receipt } = await lowered(attachment(name, file), sighted)
    expect(shown).toBe(
      `[attached file: ${name}, ${mime}, ${file.length} bytes. Not shown: ${why}.]`,
    )
    expect(receipt).toMatchObject({ outcome: "descriptor", rule })
  })

  it("[BEY-02] does not send a document that is locked: every API refuses it", async () => {
    const pdf = (trailer: string) =>
      bytes("%PDF-1.7\n", Buffer.alloc(300_000, "x"), trailer, "%%EOF")
    const locked = await lowered(attachment("a.pdf", pdf("trailer <</Encrypt 9 0 R>>")), sighted)
    expect(locked.shown).toContain("Not shown: it is locked with a password.")
    expect(locked.receipt).toMatchObject({ outcome: "descriptor", rule: "CMP-093" })
    const open = await lowered(attachment("a.pdf", pdf("trailer <<>>")), sighted)
    expect(open.shown).toBe("<application/pdf>")
  })

  it("[CMP-104] keeps a referenced sound, so that later models can be given it", async () => {
    const rooms = await house({ "a.wav": wav() })
    const part = named(fileRef("a.wav"))
    expect((await rooms.lower([part], sighted)).receipts[0]?.outcome).toBe("descriptor")
    expect((await rooms.lower([part], gemini)).shown).toEqual(["<audio/wav>"])
  })
})

describe("routes", () => {
  const route = (answer: FileRoute): Partial<Sources> => ({ routes: () => answer })

  it("[BIN-002] asks for no route where the model takes the file", async () =>
    expect(
      (await lowered(attachment("a.png", png()), sighted, route({ type: "shell" }))).shown,
    ).toBe("<image/png>"))

  it.each<[string, FileRoute, string, string, string]>([
    [
      "[BIN-003] the skill of its format",
      { type: "skill", name: "audio" },
      " Load the skill audio to read this path.",
      "BIN-003",
      " The model is pointed to the skill audio.",
    ],
    [
      "[BIN-004] the shell",
      { type: "shell" },
      " Use the shell to convert this path.",
      "BIN-004",
      " The model is pointed to the shell: no skill reads this format.",
    ],
    [
      "[CMP-094] a tool",
      { type: "tool", name: "transcribe" },
      " Use transcribe on this path for its contents.",
      "CMP-104",
      " The model is pointed to the tool transcribe.",
    ],
    ["[CMP-096] nobody", { type: "none" }, "", "CMP-104", " Nothing here reads it."],
  ])("[BIN-001] point to %s", async (_, answer, hint, rule, trace) => {
    const rooms = await house({ "a.wav": wav() })
    const { shown, receipts } = await rooms.lower([named(fileRef("a.wav"))], sighted, route(answer))
    const why = "the anthropic-messages API carries no audio"
    expect(shown).toEqual([`[file: a.wav, audio/wav, 44 bytes. Not shown: ${why}.${hint}]`])
    expect(receipts[0]).toMatchObject({
      outcome: "descriptor",
      rule,
      reason: `Only its name, type and size are shown: ${why}.${trace}`,
    })
  })

  it("[BIN-005] name an attachment by its content id", async () => {
    const part = attachment("a.wav", wav())
    const { shown } = await lowered(part, sighted, route({ type: "tool", name: "extract" }))
    expect(shown).toMatch(/ Use extract on sha256:[0-9a-f]{64} for its contents\.\]$/)
  })

  const slice: Slicer = async ({ name }, place) =>
    place.entry === undefined ? { type: "text", text: `words of ${name}` } : REFUSED
  const REFUSED = { type: "refused", reason: "no" } as const
  const extract = { slice, ...route({ type: "extract" }) }

  it("[CMP-093] [CMPH-011] extract in place, for agents without tools", async () => {
    const part = attachment("a.pdf", bytes("%PDF-1.7"))
    const { shown, receipt } = await lowered(part, blind, extract)
    expect(shown).toBe("Attached file a.pdf:\nwords of a.pdf")
    expect(receipt).toMatchObject({
      outcome: "extracted",
      rule: "CMP-093",
      reason: "The text was taken out of the file.",
    })
    expect((await lowered(part, sighted, extract)).shown).toBe("<application/pdf>")
  })

  it("[CMP-096] extract from a binary of the workspace, and keep what came out", async () => {
    const rooms = await house({ "a.bin": bytes([0, 1, 2, 3]) })
    const part = named(fileRef("a.bin"))
    const first = await rooms.lower([part], sighted, extract)
    expect(first.shown).toEqual(["File a.bin:\nwords of a.bin"])
    await rooms.write("a.bin", "gone")
    expect((await rooms.lower([part], sighted)).shown).toEqual(first.shown)
    expect(first.receipts[0]).toMatchObject({
      outcome: "extracted",
      rule: "CMP-104",
      reason: "The text was taken out of the file.",
    })
  })

  it("extract no more than a message holds, and say so", async () => {
    const many: Slicer = async () => ({ type: "text", text: "a line of it\n".repeat(5000) })
    const part = attachment("a.bin", bytes([0, 1]))
    const { shown, receipt } = await lowered(part, blind, { ...extract, slice: many })
    expect(shown.length).toBeLessThan(33_000)
    expect(shown).toMatch(/a line of it\n\n\[only its first 32,\d+ bytes of text are shown\]$/)
    expect(receipt?.reason).toContain("only its first 32,")
  })

  it("[BEY-04] extract nothing that policy keeps out", async () => {
    const ingress: Sources["ingress"] = ({ text }) =>
      text === undefined
        ? { verdict: "allow" }
        : { verdict: "deny", rule: "secret", reason: "it holds a key" }
    const part = attachment("a.bin", bytes([0, 1]))
    const { shown, receipt } = await lowered(part, blind, { ...extract, ingress })
    expect(shown).toBe("[file: a.bin. Not shown: it holds a key.]")
    expect(receipt?.outcome).toBe("denied")
  })

  it("say so where no text could be taken out", async () => {
    const none: Slicer = () => Promise.reject(new Error("broken"))
    const part = attachment("a.bin", bytes([0, 1]))
    const { receipt } = await lowered(part, blind, { ...extract, slice: none })
    expect(receipt?.outcome).toBe("descriptor")
    expect(receipt?.reason).toMatch(/No text could be taken out of it\.$/)
  })

  it("[BIN-012] [CMP-096] an archive says how many entries it has", async () => {
    const measure = async () => ({ entries: 3 })
    const skill = route({ type: "skill", name: "archives" })
    const rooms = await house({ "a.zip": zip("a", "a") })
    const part = named(fileRef("a.zip"))
    const { shown } = await rooms.lower([part], sighted, { measure, ...skill })
    expect(shown).toEqual([
      "[file: a.zip, application/zip, 96 bytes, archive with 3 entries. Not shown: an archive is not opened here. Load the skill archives to read this path.]",
    ])
    expect((await rooms.lower([part], sighted, skill)).shown).toEqual(shown)
    const attached = await lowered(attachment("a.zip", zip("a", "a")), sighted, { measure })
    expect(attached.shown).toContain("archive with 3 entries")
  })

  it("[BIN-061] an archive that the agent cannot extract says so", async () => {
    const rooms = await house({ "a.zip": zip("a", "a") })
    const measure = async () => ({ entries: 3 })
    const nobody = { measure, ...route({ type: "none" }) }
    const { shown } = await rooms.lower([named(fileRef("a.zip"))], sighted, nobody)
    expect(shown).toEqual([
      "[file: a.zip, application/zip, 96 bytes, archive with 3 entries. Not shown: the agent cannot extract it in this environment.]",
    ])
  })

  it("[BIN-010] a PDF with more pages than the API takes is not sent", async () => {
    const pages = (count: number) => ({ measure: async () => ({ pages: count }) })
    const part = attachment("a.pdf", bytes("%PDF-1.7"))
    expect((await lowered(part, sighted, pages(100))).shown).toBe("<application/pdf>")
    expect((await lowered(part, sighted, pages(101))).shown).toBe(
      "[attached file: a.pdf, application/pdf, 8 bytes, 101 pages. Not shown: 101 pages are over the limit of 100.]",
    )
  })
})

describe("images that are too large", () => {
  const asked: unknown[] = []
  const shrink: ShrinkToFit = async (_, limits) => {
    asked.push(limits)
    return { bytes: jpeg(2000, 500), mime: "image/jpeg", width: 2000, height: 500 }
  }

  it("[BIN-002] are scaled to what the API takes, and the receipt says so", async () => {
    const { shown, receipt } = await lowered(attachment("a.png", png(9000, 2250)), sighted, {
      shrink,
    })
    expect(shown).toBe("<image/jpeg>")
    expect(receipt).toMatchObject({
      outcome: "native",
      reason:
        "The model is given the image (2000 × 500 pixels) itself, scaled from 9000x2250 to 2000x500, as image/jpeg instead of image/png.",
      bytes: jpeg(2000, 500).length,
    })
    expect(asked.at(-1)).toEqual({
      max_bytes: 3932160,
      max_side_pixels: 2000,
      mimes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
    })
  })

  it("[BIN-002] of a type that the API refuses are turned into another", async () => {
    const same: ShrinkToFit = async () => ({
      bytes: png(7, 5),
      mime: "image/png",
      width: 7,
      height: 5,
    })
    const { shown, receipt } = await lowered(attachment("a.gif", gif(7, 5)), gemini, {
      shrink: same,
    })
    expect(shown).toBe("<image/png>")
    expect(receipt?.reason).toBe(
      "The model is given the image (7 × 5 pixels) itself, as image/png instead of image/gif.",
    )
  })

  it("are left alone where they fit, where nobody sees them, and where nobody shrinks", async () => {
    const before = asked.length
    await lowered(attachment("a.png", png(100, 100)), sighted, { shrink })
    await lowered(attachment("a.png", png(9000, 10)), blind, { shrink })
    expect(asked).toHaveLength(before)
    expect((await lowered(attachment("a.png", png(9000, 10)), sighted)).shown).toContain(
      "9000 pixels are over the limit of 8000 on one side",
    )
  })

  it.each<[string, ShrinkToFit]>([
    ["cannot be made smaller", async () => undefined],
    ["break the shrinker", () => Promise.reject(new Error("no"))],
  ])("that %s are described", async (_, broken) =>
    expect(
      (await lowered(attachment("a.png", png(9000, 10)), sighted, { shrink: broken })).receipt,
    ).toMatchObject({ outcome: "descriptor", rule: "CMP-092" }),
  )

  it("[BIN-002] are scaled by the real thing, and then fit", async () => {
    const image = await sharp({
      create: { width: 400, height: 100, channels: 3, background: "red" },
    })
      .png()
      .toBuffer()
    const limits = {
      mimes: ["image/png"],
      sources: ["base64"],
      max_bytes: 10_000,
      max_side_pixels: 80,
    }
    const tables = { own: { ...sighted, media: { image: limits } } } as never
    const model = capabilitiesOfApi("own", ["text", "image"], tables)
    const { shown, receipt } = await lowered(attachment("a.png", image), model, { shrink: scale })
    expect(shown).toBe("<image/png>")
    expect(receipt?.reason).toBe(
      "The model is given the image (80 × 20 pixels) itself, scaled from 400x100 to 80x20.",
    )
  })

  it("[CMP-105] an image whose header is not read here is still given to a model that takes it", async () => {
    const heic = bytes([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "heicmif1", Buffer.alloc(16))
    const { shown, receipt } = await lowered(attachment("a.heic", heic), gemini)
    expect(shown).toBe("<image/heic>")
    expect(receipt).toMatchObject({ reason: "The model is given the image itself.", tokens: 2098 })
  })
})
