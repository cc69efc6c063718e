import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { transcriberOf } from "../../packages/files/formats/transcriber.ts"
import { attachTool } from "../../packages/engine/tools/attach.ts"
import { convertTool } from "../../packages/engine/tools/convert.ts"
import { pdf, wav, wholeDocx, xlsx } from "../files/convert/samples.ts"
import { stage, told } from "./stage.ts"

describe("convert", () => {
  it("[CMP-033] [BIN-013] gives the text of a document that no model reads", async () => {
    const { call } = await stage({ files: { "report.docx": wholeDocx() } })
    const given = await told(call(convertTool(), { path: "report.docx", to: "text" }))
    expect(JSON.stringify(given)).toContain("#")
  })

  it("[BEY-08] takes a place of a sheet", async () => {
    const { call } = await stage({ files: { "q.xlsx": xlsx() } })
    const whole = await told(call(convertTool(), { path: "q.xlsx", to: "text" }))
    const cells = { path: "q.xlsx", to: "text", fragment: "range=A1:A2" }
    const some = await told(call(convertTool(), cells))
    expect(JSON.stringify(some).length).toBeLessThan(JSON.stringify(whole).length)
  })

  it("[BIN-033] [BIN-070] leaves pictures in scratch, from where they are attached", async () => {
    const { call, scratch } = await stage({ files: { "a.pdf": pdf(["first page"]) } })
    const { files } = await told(call(convertTool(), { path: "a.pdf", to: "png" }))
    expect(files).toMatchObject([{ mime: "image/png" }])
    expect(files[0].path.startsWith(scratch.path)).toBe(true)
    const shown = await call(attachTool(), { path: files[0].path })
    expect(shown).toMatchObject({ type: "output", blocks: [{ type: "image" }] })
  })

  it("[BIN-034] says what is wrong in a sentence, once", async () => {
    const { call } = await stage({
      files: { "a.pdf": pdf(["x"]), "b.bin": Buffer.from([0, 1, 2]) },
    })
    const tell = (input: object) => told(call(convertTool(), input))
    expect(await tell({ path: "a.pdf", to: "text", fragment: "nowhere" })).toBe(
      "#nowhere names no place in a file.",
    )
    expect(await tell({ path: "b.bin", to: "text" })).toContain("b.bin")
    expect(await tell({ path: "../outside.pdf", to: "text" })).toContain("outside")
  })

  it("[CMP-094] gives what is said in a recording, where someone transcribes", async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ text: "Hello there." })),
    )
    await once(server.listen(0, "127.0.0.1"), "listening")
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audio/transcriptions`
    const transcriber = transcriberOf({ type: "server", url, model: "any" }, {})
    const { call } = await stage({ files: { "talk.wav": wav(1) } })
    const given = await told(call(convertTool(transcriber), { path: "talk.wav", to: "text" }))
    expect(JSON.stringify(given)).toContain("Hello there.")
  })
})
