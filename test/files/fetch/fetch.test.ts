import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { type FetchOptions, fetchUrl } from "../../../packages/files/fetch/fetch.ts"
import { png } from "../../build.ts"

type Answer = (request: IncomingMessage, response: ServerResponse) => void

async function served(answer: Answer) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = (path = "/", more: FetchOptions = {}) =>
    fetchUrl(`http://${host}${path}`, { allow: [host], deadline_ms: 5000, ...more })
  return { host, get, seen }
}

function says(body: string | Uint8Array, headers: Record<string, string> = {}): Answer {
  return (_, response) => response.writeHead(200, headers).end(body)
}

describe("fetchUrl", () => {
  it("gives the text that lies at an address", async () => {
    const { get, host } = await served(says("hello", { "content-type": "text/plain" }))
    expect(await get("/a")).toMatchObject({
      type: "fetched",
      url: `http://${host}/a`,
      status: 200,
      mime: "text/plain",
      kind: "text",
      text: "hello",
      truncated: false,
      redirects: [],
    })
  })

  it("reaches only the door that was opened", async () => {
    const { host } = await served(says("hello"))
    expect(await fetchUrl(`http://${host}/`)).toMatchObject({ type: "refused" })
    const other = await fetchUrl(`http://${host}/`, { allow: ["127.0.0.1:1"] })
    expect(other).toMatchObject({
      reason: expect.stringContaining("127.0.0.1 is not on the public internet"),
    })
  })

  it("sends nothing that says who asks", async () => {
    const { get, seen, host } = await served(says("x"))
    await get()
    expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ])
    expect(seen[0]?.headers.host).toBe(host)
  })

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["deflate", deflateSync],
  ] as const)("[BIN-062] unpacks %s, and stops at what may come", async (encoding, pack) => {
    const small = await served(says(pack(Buffer.from("hello")), { "content-encoding": encoding }))
    expect(await small.get()).toMatchObject({ text: "hello" })
    const bomb = pack(Buffer.alloc(64 * 1024 * 1024, "a"))
    const { get } = await served(says(bomb, { "content-encoding": encoding }))
    const before = process.memoryUsage().arrayBuffers
    const got = await get("/", { max_bytes: 100_000 })
    expect(got).toMatchObject({ type: "fetched", truncated: true })
    if (got.type === "fetched") expect(got.bytes.length).toBe(100_000)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })

  it("refuses what is packed twice, or in an unknown way", async () => {
    for (const encoding of ["gzip, gzip", "compress", "x"]) {
      const { get } = await served(says("x", { "content-encoding": encoding }))
      expect(await get()).toMatchObject({ reason: expect.stringContaining("is packed as") })
    }
  })

  it("refuses what is packed wrongly", async () => {
    const { get } = await served(says("not packed", { "content-encoding": "gzip" }))
    expect(await get()).toMatchObject({ type: "refused" })
  })

  it("follows five redirects, and no sixth", async () => {
    const { get } = await served((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` })
      response.end("there")
    })
    expect(await get("/5")).toMatchObject({ text: "there", redirects: expect.any(Array) })
    expect(await get("/6")).toMatchObject({
      reason: expect.stringContaining("sent on more than 5 times"),
    })
  })

  it("waits for nobody longer than its deadline", async () => {
    const never = await served(() => undefined)
    const dripping = await served((_, response) => {
      const timer = setInterval(() => response.write("x"), 20)
      response.on("close", () => clearInterval(timer))
    })
    for (const { get } of [never, dripping]) {
      const begun = performance.now()
      const got = await get("/", { deadline_ms: 300 })
      expect(got).toMatchObject({ reason: "took longer than 300 ms" })
      expect(performance.now() - begun).toBeLessThan(2000)
    }
    const slow = fetchUrl("http://slow.example/", {
      resolve: () => new Promise(() => {}),
      deadline_ms: 100,
    })
    expect(await slow).toMatchObject({ type: "refused" })
  })

  it("[TOL-007] stops when it is told to", async () => {
    const { get } = await served(() => undefined)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    expect(await get("/", { signal: controller.signal })).toMatchObject({ reason: "was stopped" })
    expect(await get("/", { signal: AbortSignal.abort() })).toMatchObject({ reason: "was stopped" })
  })

  it("does not take headers without end", async () => {
    const { get } = await served((_, response) => {
      for (let at = 0; at < 100; at++) response.setHeader(`x-${at}`, "y".repeat(1000))
      response.end("x")
    })
    expect(await get()).toMatchObject({ type: "refused" })
  })

  it("believes bytes before it believes the server", async () => {
    const image = await served(says(png(), { "content-type": "text/html" }))
    expect(await image.get()).toMatchObject({ mime: "image/png", kind: "image", text: null })
    const page = await served(says("<p>hi</p>", { "content-type": "text/html; charset=utf-8" }))
    expect(await page.get()).toMatchObject({ mime: "text/html", text: "<p>hi</p>" })
    expect(await page.get("/", { read_html: () => "hi" })).toMatchObject({ text: "hi" })
    const lie = await served(says("words", { "content-type": "image/png" }))
    expect(await lie.get("/a.png")).toMatchObject({ kind: "text", mime: "text/plain" })
  })

  it("reads the letters that the server says it wrote", async () => {
    const type = "text/plain; charset=iso-8859-1"
    const { get } = await served(says(Buffer.from("grüß", "latin1"), { "content-type": type }))
    expect(await get()).toMatchObject({ kind: "binary" })
    const long = Buffer.from("Schöne Grüße aus Köln am Rhein", "latin1")
    const other = await served(says(long, { "content-type": type }))
    expect(await other.get()).toMatchObject({ text: "Schöne Grüße aus Köln am Rhein" })
  })

  it("tells how an address answered", async () => {
    const { get } = await served((_, response) => response.writeHead(404).end("no"))
    expect(await get()).toMatchObject({ type: "fetched", status: 404 })
  })
})
