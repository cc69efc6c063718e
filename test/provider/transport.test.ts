import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Post, post, TransportError } from "../../packages/engine/providers/transport.ts"
import { assemble } from "../../packages/core/wires/body.ts"
import { collectBytes, media } from "../build.ts"
import { openZeros } from "./contract.ts"
import { listen, readRequest } from "./loopback.ts"

function request(url: string, more: Partial<Post> = {}): Post {
  const signal = new AbortController().signal
  return { url, headers: {}, body: assemble("hello"), open: openZeros, signal, ...more }
}

describe("post", () => {
  it("sends a body of known length, with media, and gives the answer as it comes", async () => {
    const url = await listen(async (incoming, response) => {
      const { body, headers } = await readRequest(incoming)
      response.writeHead(201, { "x-seen": headers["content-length"] }).end(body.toString())
    })
    const body = assemble("<", media("a", "image/png", 3), ">")
    const answer = await post(request(url, { body }))
    expect(answer.status).toBe(201)
    expect(answer.headers["x-seen"]).toBe("6")
    expect((await collectBytes(answer.chunks)).toString()).toBe("<AAAA>")
  })

  it("sends a large body to a slow reader without holding it", async () => {
    const size = 30 * 1024 * 1024
    let received = 0
    const url = await listen(async (incoming, response) => {
      for await (const chunk of incoming) received += chunk.length
      response.end("done")
    })
    const open = async function* () {
      for (let at = 0; at < size; at += 1024 * 1024) yield new Uint8Array(1024 * 1024)
    }
    const body = assemble(media("a", "image/png", size))
    await collectBytes((await post(request(url, { body, open }))).chunks)
    expect(received).toBe(body.size)
  })

  it("takes a refusal that comes before everything was sent", async () => {
    const url = await listen((_, response) => void response.writeHead(413).end("too large"))
    const open = () => openZeros(media("a", "image/png", 100_000))
    const body = assemble(media("a", "image/png", 100_000))
    expect((await post(request(url, { body, open }))).status).toBe(413)
  })

  it("gives up a host that falls silent, before its answer and in it", async () => {
    const timeouts = { connect_ms: 1000, idle_ms: 50 }
    const silent = await listen((incoming) => void incoming.resume())
    await expect(post(request(silent, { timeouts }))).rejects.toMatchObject({
      code: "idle-timeout",
      retryable: true,
    })
    const stuck = await listen((incoming, response) => {
      incoming.resume()
      response.write("half")
    })
    const answer = await post(request(stuck, { timeouts }))
    await expect(collectBytes(answer.chunks)).rejects.toMatchObject({ code: "idle-timeout" })
  })

  it("gives up a host that does not answer the call", async () => {
    // Nobody shakes hands behind this port, so TLS never begins.
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const timeouts = { connect_ms: 50, idle_ms: 5000 }
    await expect(post(request(url, { timeouts }))).rejects.toMatchObject({
      code: "connect-timeout",
      retryable: true,
    })
  })

  it("[SES-062] stops when it is aborted, before the answer and in it", async () => {
    const silent = await listen((incoming) => void incoming.resume())
    const signal = AbortSignal.timeout(30)
    await expect(post(request(silent, { signal }))).rejects.toMatchObject({ code: "aborted" })
    const stuck = await listen((incoming, response) => {
      incoming.resume()
      response.write("half")
    })
    const controller = new AbortController()
    const answer = await post(request(stuck, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 20)
    await expect(collectBytes(answer.chunks)).rejects.toMatchObject({ code: "aborted" })
  })

  it("says what is wrong with an address or a header", async () => {
    await expect(post(request("not an address"))).rejects.toBeInstanceOf(TransportError)
    const headers = { "x-api-key": "a\nb" }
    const sent = post(request("http://127.0.0.1:9", { headers }))
    await expect(sent).rejects.toMatchObject({ code: "bad-request", retryable: false })
  })
})
