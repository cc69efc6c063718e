// Bodies that are many, deep, large or slow stop nobody else (findings F10 and F11).

import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { watchLoop } from "./outside/loop.ts"
import { type Reply, type Server, startServer } from "./outside/product.ts"

const MILLION = 1_000_000
/** A named limit: nobody waits longer for somebody else's body. */
const MAX_STOP_MS = 50

describe("a large body", () => {
  it("[DOOR-03] stops nobody for more than 50 ms, whatever it holds and wherever it goes", async () => {
    const watch = await watchLoop()
    const server = await startServer({ environment: watch.environment })
    const session = await server.session()
    const entity = "/v1/entities/chat/large"
    const routes = [
      ["POST", "/v1/parse"],
      ["POST", "/v1/expand"],
      ["POST", "/v1/sessions"],
      ["POST", `/v1/sessions/${session}/messages`],
      ["PUT", `/v1/sessions/${session}/draft`],
      ["PUT", entity],
      ["POST", `${entity}/send`],
      ["PUT", "/v1/stream/large"],
    ] as const
    const bodies = {
      keys: `{"message":{"parts":[]},${numbered(1.5 * MILLION, (at) => `"k${at}":1`)}}`,
      parts: `{"message":{"parts":[${repeated(MILLION, `{"type":"text","text":"x"}`)}]}}`,
      depth: `{"message":${"[".repeat(MILLION)}`,
      list: `[${repeated(MILLION, "1")}]`,
    }
    const send = async (method: string, path: string, name: keyof typeof bodies) => {
      let reply: Reply | undefined
      const longest = await watch.during(server, async () => {
        reply = await server.call(method, path, bodies[name])
      })
      expect(reply?.status, `${name} to ${path}`).toBe(name === "depth" ? 422 : 413)
      expect(reply?.text.length).toBeLessThan(1000)
      expect(longest, `${name} to ${path}`).toBeLessThan(MAX_STOP_MS)
    }
    for (const name of ["keys", "parts", "depth"] as const) await send("POST", "/v1/lower", name)
    for (const [method, path] of routes) await send(method, path, "list")
    // Whoever sent them is served on, and what is large within its limits is let in.
    const parts = Array.from({ length: 4096 }, (_, at) => ({ type: "text", text: `part ${at}` }))
    expect((await server.send(session, parts)).status).toBe(201)
    const data = Buffer.alloc(15 * MILLION, "a").toString("base64")
    const attachment = { type: "file-attachment", name: "a.txt", mime: "text/plain", data }
    expect((await server.send(session, [attachment])).status).toBe(201)
  }, 120_000)

  it("[DOOR-04] is refused with at most twenty faults, and says how many more there are", async () => {
    const server = await startServer()
    const unknown = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`key${at}`, 1]))
    const keys = await server.post("/v1/lower", { message: { parts: [] }, ...unknown })
    expect(keys.status).toBe(422)
    expect(keys.json.error.message).toContain(`"key19" and 8980 more`)
    expect(keys.text.length).toBeLessThan(2000)
    const parts = Array.from({ length: 3000 }, () => ({ type: "text", text: 7 }))
    const faults = await server.post("/v1/lower", { message: { parts } })
    expect(faults.status).toBe(422)
    expect(faults.json.error.details).toHaveLength(21)
    expect(faults.json.error.details[20].message).toBe("and 2980 more")
    const long = await server.post("/v1/lower", {
      message: { parts: [] },
      ["k".repeat(MILLION)]: 1,
    })
    expect(long.text.length).toBeLessThan(20_000)
  })
})

describe("a slow body", () => {
  it("[DOOR-05] is told so within a minute, while a file on a slow and steady line comes in", async () => {
    const server = await startServer()
    const session = await server.session()
    const slow = trickle(server, `/v1/sessions/${session}/messages`, { bytes: 1, every_ms: 1000 })
    const slowFile = trickle(server, "/v1/blobs?name=slow", { bytes: 1, every_ms: 1000 })
    const stranger = trickle({ url: server.url, token: "wrong" }, "/v1/lower", {
      bytes: 1,
      every_ms: 1000,
    })
    const steady = trickle(server, "/v1/blobs?name=steady", { bytes: 4096, every_ms: 500 })
    for (const answer of [await slow.ended, await slowFile.ended]) {
      expect(answer).toMatch(/^HTTP\/1.1 408 /)
      expect(answer).toContain("the body came too slowly")
    }
    expect(await stranger.ended).toMatch(/^HTTP\/1.1 401 /)
    expect(await steady.finish()).toMatch(/^HTTP\/1.1 201 /)
    expect((await server.send(session, "still there")).status).toBe(201)
    expect(server.log).not.toContain("Error")
  }, 90_000)
})

function numbered(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(",")
}

function repeated(count: number, text: string): string {
  return `${`${text},`.repeat(count - 1)}${text}`
}

/** A body that comes a little at a time: how it was answered when the server ended it, or when it was
 *  brought to its end. */
function trickle(
  { url, token }: Pick<Server, "url" | "token">,
  path: string,
  { bytes, every_ms }: { readonly bytes: number; readonly every_ms: number },
) {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    "transfer-encoding: chunked",
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  const chunk = `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`
  const timer = setInterval(() => socket.write(chunk), every_ms)
  let answer = ""
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text))
  socket.on("error", () => undefined)
  const ended = once(socket, "close").then(() => {
    clearInterval(timer)
    return answer
  })
  const finish = async () => {
    clearInterval(timer)
    socket.write("0\r\n\r\n")
    await once(socket, "data")
    socket.destroy()
    return ended
  }
  return { ended, finish }
}
