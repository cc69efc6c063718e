import fc from "fast-check"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { CONVERT_LIMITS, type Job } from "../../../packages/files/formats/converted.ts"
import { fenceReader, runReader } from "../../../packages/files/formats/run-reader.ts"
import { converted, scratch, textOf } from "./converting.ts"
import {
  docx,
  openDocument,
  paragraph,
  pdf,
  psd,
  repeatedDocx,
  wholeDocx,
  xlsx,
} from "./samples.ts"
import { zipOf } from "./zip.ts"

const MEGABYTE = 1024 * 1024

function job(reader: string, name: string, size: number, limits: object = {}): Job {
  const path = join(scratch, name)
  const file = { name, mime: "application/octet-stream", kind: "binary", size, path } as const
  return { reader, file, to: "text", scratch, limits: { ...CONVERT_LIMITS, ...limits } }
}

/** Tries what a reader may not, and says how each went. */
const PROBE = `
  import { spawnSync } from "node:child_process"
  import { writeFileSync } from "node:fs"
  import { connect } from "node:net"
  const [port, folder] = process.argv.slice(2)
  const tried = (act) => { try { act(); return "done" } catch (error) { return error.code } }
  const network = await new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => resolve("done"))
    socket.on("error", (error) => resolve(error.code))
  })
  console.log(JSON.stringify({
    program: tried(() => spawnSync("true")),
    outside: tried(() => writeFileSync(folder + "/probe-was-here", "x")),
    inside: tried(() => writeFileSync("${scratch}/probe-was-here", "x")),
    network,
  }))
  process.exit(0)`

async function reading(reader: string, name: string, bytes: Uint8Array, limits: object = {}) {
  await writeFile(join(scratch, name), bytes)
  return runReader(job(reader, name, bytes.length, limits))
}

describe("a docx of 310 KB, or of 1 MB that unpacks to 150 or 300 MB,", () => {
  const RUNS = paragraph("lorem ipsum dolor sit amet").repeat(40_000)
  const cases = [
    ["310 KB of runs with text", RUNS, 28],
    ["runs with text", RUNS, 95],
    ["runs without text", "<w:p><w:r><w:t></w:t></w:r></w:p>".repeat(90_000), 50],
    ["one endless text", "a".repeat(3_000_000), 100],
    ["a table of nothing", "<w:tr><w:tc/></w:tr>".repeat(150_000), 50],
  ] as const

  it.for(cases)(
    "[BIN-013] is read within 256 MB: %s",
    { timeout: 60_000 },
    async ([name, piece, times]) => {
      const bytes = repeatedDocx(piece, times)
      expect(bytes.length).toBeLessThan(1_100_000)
      const { answer, peak_rss } = await reading("docx", "bomb.docx", bytes)
      console.log(
        `${name}: ${bytes.length} bytes, ${Math.round(peak_rss / MEGABYTE)} MB, ${answer.type}`,
      )
      expect(peak_rss).toBeGreaterThan(30 * MEGABYTE)
      expect(peak_rss).toBeLessThan(256 * MEGABYTE)
    },
  )
})

describe("hostile office files", () => {
  const wordWith = (document: string) => docx(document)

  it("ends on entities that grow, on a document type that reads files, and on deep nesting", async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><w:document><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>`
    const outside = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document><w:t>&a;</w:t></w:document>`
    const links = `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="d.xml"/></Relationships>`
    const bomb = (data: string) =>
      zipOf([
        { name: "_rels/.rels", data: links },
        { name: "d.xml", data },
      ])
    expect(await textOf("a.docx", bomb(laughs))).toMatch(/^\[Its XML is damaged: .*entity/)
    expect(await textOf("a.docx", bomb(outside))).toMatch(/^\[Its XML is damaged: .*entity/)
    const deep = "<w:tbl><w:tr><w:tc>".repeat(50_000)
    expect(await textOf("a.docx", wordWith(deep))).toBe(
      "[Its XML is nested deeper than 512 levels.]",
    )
    const wide = `<w:p ${Array.from({ length: 400_000 }, (_, at) => `a${at}="${at}"`).join(" ")}/>`
    expect(await textOf("a.docx", wordWith(wide))).toMatch(/longer than 4194304 characters/)
  })

  it("ends on sizes that lie, other packing, encryption, missing parts and cut files", async () => {
    const body = "<w:document/>".padEnd(5000)
    const lying = zipOf([{ name: "_rels/.rels", data: body, claims: 10 }])
    expect(await textOf("a.docx", lying)).toBe(
      "[_rels/.rels inside is larger than the 10 bytes it claims.]",
    )
    const encrypted = zipOf([{ name: "_rels/.rels", data: body, encrypted: true }])
    expect(await textOf("a.docx", encrypted)).toBe("[It is encrypted, and needs a password.]")
    expect(await textOf("a.docx", zipOf([{ name: "x", data: "y" }]))).toBe(
      "[It does not say which of its parts is the document.]",
    )
    expect(await textOf("a.docx", wholeDocx().subarray(0, -30))).toMatch(/cut off/)
    const sum = wholeDocx()
    const at = sum.indexOf("word/document.xml") + 40
    sum[at] = (sum[at] ?? 0) ^ 0xff
    expect(await textOf("a.docx", sum)).toMatch(/^\[/)
  })

  it("counts what a sheet repeats, and writes it no longer than allowed", async () => {
    const cell = `<table:table-cell table:number-columns-repeated="16384"><text:p>${"x".repeat(100)}</text:p></table:table-cell>`
    const body = `<table:table table:name="A"><table:table-row table:number-rows-repeated="1000000">${cell}</table:table-row></table:table>`
    const answer = await converted("a.ods", openDocument("spreadsheet", body))
    expect(answer).toMatchObject({ type: "text", truncated: true })
  })

  it("reads an encrypted OpenDocument as encrypted", async () => {
    const zip = zipOf([
      { name: "mimetype", data: "application/vnd.oasis.opendocument.text" },
      { name: "content.xml", data: "garbage" },
      { name: "META-INF/manifest.xml", data: "<m><file-entry><encryption-data/></file-entry></m>" },
    ])
    expect(await textOf("a.odt", zip)).toBe("[a.odt is encrypted, and needs a password.]")
  })
})

describe("hostile pictures and PDFs", () => {
  it("decodes no more pixels than allowed, whatever the header says", async () => {
    const big = await sharp({
      create: { width: 3000, height: 3000, channels: 3, background: "red" },
    })
      .png()
      .toBuffer()
    const png = { to: "png", limits: { pixels: 1_000_000 } } as const
    expect(await textOf("a.png", big, png)).toMatch(/pixel limit|at most 1000000 are decoded/)
    expect(await textOf("a.psd", psd(30_000, 30_000), { to: "png" })).toBe(
      "[a.psd is 30000 × 30000 pixels; at most 50000000 are decoded.]",
    )
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>'
    expect(await textOf("a.svg", svg, { to: "png" })).toMatch(/^\[/)
    expect(await textOf("a.svg", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg}`, { to: "png" })).toBe(
      "[It defines entities, which a drawing does not need.]",
    )
  })

  it("answers for a page that says it is endless", async () => {
    const huge = pdf(["Hello"]).toString("latin1").replace("[0 0 300 200]", "[0 0 9e9 9e9]")
    expect(await textOf("a.pdf", Buffer.from(huge, "latin1"), { to: "png" })).toMatch(/^\[/)
  })

  it("says what is wrong with damaged files", async () => {
    expect(await textOf("a.pdf", pdf(["x"]).subarray(0, 60))).toMatch(/^\[a\.pdf is a damaged PDF/)
    const png = await sharp({ create: { width: 50, height: 50, channels: 3, background: "red" } })
      .png()
      .toBuffer()
    expect(await textOf("a.png", png.subarray(0, 80), { to: "png" })).toMatch(
      /^\[a\.png is damaged/,
    )
    expect(await textOf("a.psd", psd(9, 9).subarray(0, 30), { to: "png" })).toMatch(/^\[a\.psd is/)
  })
})

describe("what a reader may do", () => {
  it("is stopped in time, and when the user says so", async () => {
    const slow = repeatedDocx("<w:p><w:r><w:t></w:t></w:r></w:p>".repeat(90_000), 100)
    const late = await reading("docx", "slow.docx", slow, { milliseconds: 700 })
    expect(late.answer).toEqual({
      type: "refused",
      reason: "Reading slow.docx took longer than 700 ms.",
    })
  })

  it("reaches no network, starts no program and writes nowhere but into its scratch", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const probe = join(scratch, "probe.mjs")
    await writeFile(probe, PROBE)
    const [program = "", ...args] = await fenceReader(job("text", "a.txt", 1), probe)
    const { stdout } = spawnSync(program, [...args, String(port), tmpdir()], { encoding: "utf8" })
    server.close()
    const told = JSON.parse(stdout) as Record<string, string>
    expect(told).toMatchObject({ program: "ERR_ACCESS_DENIED", outside: "ERR_ACCESS_DENIED" })
    expect(told["inside"]).toBe("done")
    if (args.includes("--net")) expect(told["network"]).not.toBe("done")
  })

  it("is ended when it takes too much memory", async () => {
    const json = Buffer.from(`[${"[],".repeat(1_300_000)}[]]`)
    const limits = { memory_bytes: 64 * MEGABYTE, text_bytes: 1000 }
    const { answer } = await reading("json", "a.json", json, limits)
    expect(answer).toEqual({
      type: "refused",
      reason: "Reading a.json needs more than 64 MB of memory.",
    })
  })

  it("answers for any damage with a text or a sentence", { timeout: 120_000 }, async () => {
    const files = [
      ["docx", wholeDocx()],
      ["xlsx", xlsx()],
      ["pdf", pdf(["Hello", "World"])],
      ["psd", psd(16, 16)],
    ] as const
    const damage = fc.record({
      which: fc.nat(files.length - 1),
      at: fc.array(
        fc.record({ where: fc.double({ min: 0, max: 0.999, noNaN: true }), byte: fc.nat(255) }),
        { minLength: 1, maxLength: 8 },
      ),
      cut: fc.option(fc.double({ min: 0.1, max: 1, noNaN: true })),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ which, at, cut }) => {
        const [reader, whole] = files[which] ?? files[0]
        const bytes = Buffer.from(whole)
        for (const { where, byte } of at) bytes[Math.floor(where * bytes.length)] = byte
        const damaged = cut === null ? bytes : bytes.subarray(0, Math.ceil(bytes.length * cut))
        const { answer } = await reading(reader, `damaged.${reader}`, damaged)
        if (answer.type === "refused") expect(answer.reason).toMatch(/^.{10,400}$/)
      }),
      { numRuns: 25 },
    )
  })
})
