import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { convert } from "../../../packages/files/formats/convert.ts"
import { CONVERT_LIMITS } from "../../../packages/files/formats/converted.ts"
import { transcribe } from "../../../packages/files/formats/transcribe.ts"
import { fileOf, scratch } from "./converting.ts"
import { wav } from "./samples.ts"

describe("transcribe", () => {
  const asked: { readonly key: string | undefined; readonly body: string }[] = []
  let answer = { status: 200, body: JSON.stringify({ text: " Hello there. " }) }
  let server: Server
  let url = ""
  beforeAll(async () => {
    server = createServer((request, response) => {
      void buffer(request).then((body) => {
        asked.push({ key: request.headers.authorization, body: body.toString("latin1") })
        response.writeHead(answer.status, { "content-type": "application/json" })
        response.end(answer.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/transcriptions`
  })
  afterAll(() => server.close())

  const transcriber = () => ({ type: "server", url, model: "whisper-1", key: "k", fetch }) as const
  const context = { scratch, limits: CONVERT_LIMITS }

  it("[BIN-017] asks a server that speaks as OpenAI's does", async () => {
    const file = await fileOf("talk.wav", wav(1))
    expect(await transcribe(file, transcriber(), context)).toEqual({
      type: "text",
      text: "Hello there.",
      truncated: false,
    })
    expect(asked.at(-1)?.key).toBe("Bearer k")
    expect(asked.at(-1)?.body).toMatch(/name="model"\r\n\r\nwhisper-1/)
    expect(asked.at(-1)?.body).toMatch(/filename="talk\.wav"[^]*RIFF/)
  })

  it("[CMP-094] puts the transcript with what else is known of a recording", async () => {
    const file = await fileOf("talk.wav", wav(1))
    const told = await convert(file, { to: "text" }, { scratch, transcriber: transcriber() })
    expect(told.type === "text" && told.text).toMatch(
      /^talk\.wav: WAVE[^]*\n\nTranscript:\nHello there\.$/,
    )
  })

  it("says why there is no transcript", async () => {
    const file = await fileOf("talk.wav", wav(1))
    answer = { status: 401, body: "no key" }
    expect(await transcribe(file, transcriber(), context)).toEqual({
      type: "refused",
      reason: "The server that transcribes answered 401: no key",
    })
    answer = { status: 200, body: "{}" }
    expect(await transcribe(file, transcriber(), context)).toMatchObject({ type: "refused" })
    answer = { status: 200, body: JSON.stringify({ text: "x".repeat(3 * 1024 * 1024) }) }
    expect(await transcribe(file, transcriber(), context)).toMatchObject({ type: "refused" })
  })

  it("[BIN-034] names the program when one is to listen and none is installed", async () => {
    const file = await fileOf("talk.wav", wav(1))
    const path = process.env["PATH"]
    process.env["PATH"] = scratch
    try {
      const told = await transcribe(file, { type: "program", model_path: file.path }, context)
      expect(told).toMatchObject({ type: "refused", install: "ffmpeg" })
    } finally {
      process.env["PATH"] = path
    }
  })
})
