import { once } from "node:events"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { findServer, Registration } from "../../packages/server/registration.ts"
import { type Running, type ServeOptions, serve } from "../../packages/server/serve.ts"
import { temporaryFolder } from "../build.ts"
import { gate, until } from "../session/house.ts"
import { saidIn } from "../store/build.ts"
import { Listener } from "./house.ts"

async function start(more: Partial<ServeOptions> = {}): Promise<Running> {
  const data = more.data ?? join(await temporaryFolder(), "data")
  const running = await serve({ workspace: null, environment: {}, ...more, data })
  onTestFinished(() => running.close().catch(() => undefined))
  return running
}

interface Init extends Omit<RequestInit, "headers"> {
  readonly headers?: Readonly<Record<string, string>>
}

function call({ url, token }: Running, path: string, init: Init = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  return fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } })
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

/** What a server says to bytes that no decent client sends. */
async function says({ url }: Running, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  socket.write(request)
  let answer = ""
  socket.on("data", (chunk) => {
    answer += chunk.toString()
  })
  await Promise.race([once(socket, "close"), until(() => answer.includes("\r\n\r\n"))])
  return answer
}

describe("a server", () => {
  it("[DAE-001] tells its folder where it is, and only its owner", async () => {
    const running = await start()
    const file = join(running.host.data, "server.json")
    const registration = Registration.parse(JSON.parse(await readFile(file, "utf8")))
    expect(registration).toMatchObject({
      url: running.url,
      pid: process.pid,
      token: running.token,
    })
    expect(await modeOf(file)).toBe(0o600)
    expect(await modeOf(join(running.host.data, "token"))).toBe(0o600)
    expect(await modeOf(running.host.data)).toBe(0o700)
    expect(await findServer(running.host.data)).toEqual(registration)
    await running.close()
    expect(await readdir(running.host.data)).not.toContain("server.json")
    expect(await findServer(running.host.data)).toBeUndefined()
  })

  it("[DAE-001] is not found where it is no longer", async () => {
    const data = await temporaryFolder()
    const gone = { id: "x", version: "0", url: "http://127.0.0.1:9", pid: process.pid, token: "x" }
    for (const text of [
      "",
      "{",
      "{}",
      JSON.stringify(gone),
      JSON.stringify({ ...gone, pid: -5 }),
    ]) {
      await writeFile(join(data, "server.json"), text)
      expect([text, await findServer(data)]).toEqual([text, undefined])
    }
  })

  it("[DAE-001] leaves the registration of one that came after it", async () => {
    const first = await start()
    const second = await start({ data: first.host.data })
    expect(second.token).toBe(first.token)
    await first.close()
    expect(await findServer(second.host.data)).toMatchObject({ url: second.url })
  })

  it("[DAE-001] keeps its token, so that a link goes on working", async () => {
    const first = await start()
    expect(first.link).toBe(`${first.url}/#token=${first.token}`)
    await first.close()
    const second = await start({ data: first.host.data })
    expect(second.token).toBe(first.token)
    expect(first.token.length).toBeGreaterThanOrEqual(32)
  })

  it("[DAE-001] listens on loopback only", async () => {
    const data = await temporaryFolder()
    for (const address of ["0.0.0.0", "::", "192.168.0.1", "example.org"])
      await expect(serve({ data, workspace: null, environment: {}, address })).rejects.toThrow(
        "loopback",
      )
    expect(await readdir(data)).toEqual([])
  })

  it("gives back everything when its port is taken", async () => {
    const first = await start()
    const data = join(await temporaryFolder(), "data")
    await mkdir(data)
    const port = Number(new URL(first.url).port)
    await expect(serve({ data, workspace: null, environment: {}, port })).rejects.toThrow(
      "EADDRINUSE",
    )
    expect(await readdir(data)).not.toContain("server.json")
  })

  it("[DAE-001] asks each caller its three questions over the wire too", async () => {
    const running = await start()
    const { host } = new URL(running.url)
    expect((await call(running, "/v1/info")).status).toBe(200)
    expect((await fetch(`${running.url}/v1/info`)).status).toBe(401)
    const origin = await call(running, "/v1/info", { headers: { origin: "http://evil.example" } })
    expect(origin.status).toBe(403)
    const rebound = await says(running, "GET /v1/info HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    expect(rebound).toMatch(/^HTTP\/1\.1 403 /)
    for (const line of ["Host: a b", "Host: [", "Host: http://x", `Host: ${host}\r\nHost: ${host}`])
      expect(await says(running, `GET / HTTP/1.1\r\n${line}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(await says(running, "GET /v1/info HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(await says(running, "nonsense\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("refuses a body that is too large, and closes the line instead of reading it", async () => {
    const running = await start()
    const { host } = new URL(running.url)
    const answer = await says(
      running,
      [
        "POST /v1/sessions HTTP/1.1",
        `Host: ${host}`,
        `Authorization: Bearer ${running.token}`,
        "Content-Type: application/json",
        `Content-Length: ${64 * 1024 * 1024}`,
        "",
        '{"title":',
      ].join("\r\n"),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain("connection: close")
    expect((await call(running, "/v1/info")).status).toBe(200)
  })

  it("counts a body that does not say its length", async () => {
    const running = await start()
    const piece = new TextEncoder().encode(" ".repeat(1024 * 1024))
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < 40) controller.enqueue(piece)
        else controller.close()
      },
    })
    const init = { method: "POST", body, duplex: "half" } as const
    const status = await call(running, "/v1/sessions", init).then(
      (response) => response.status,
      // It may hang up before all was sent.
      () => 413,
    )
    expect(status).toBe(413)
    expect((await call(running, "/v1/info")).status).toBe(200)
  })

  it("[SES-060] goes on with a turn when its listener hangs up", async () => {
    const door = gate()
    const model = scriptedProvider([{ text: "one " }, { wait: door.wait }, { text: "two" }])
    const running = await start({ providers: new Map([["scripted", model]]) })
    const post = async (path: string, json: object) =>
      (await call(running, path, { method: "POST", body: JSON.stringify(json) })).json()
    const { session } = (await post("/v1/sessions", { model: "scripted" })) as {
      session: { id: string }
    }
    const leave = new AbortController()
    const listener = new Listener(
      await call(running, `/v1/sessions/${session.id}/events`, { signal: leave.signal }),
    )
    await post(`/v1/sessions/${session.id}/messages`, { message: "speak" })
    await listener.upTo(({ event }) => event === "delta")
    leave.abort()
    door.open()
    await running.host.idle()
    expect(await saidIn(running.host.store, session.id)).toEqual(["speak", "one two"])
  })

  it("closes while a turn runs, and the next one takes it up", async () => {
    const silent = scriptedProvider([{ text: "half" }, { wait: new Promise(() => undefined) }])
    const first = await start({ providers: new Map([["scripted", silent]]) })
    const created = await call(first, "/v1/sessions", {
      method: "POST",
      body: '{"model":"scripted"}',
    })
    const { session } = (await created.json()) as { session: { id: string } }
    const path = `/v1/sessions/${session.id}/messages`
    await call(first, path, { method: "POST", body: '{"message":"hello"}' })
    await until(async () => (await saidIn(first.host.store, session.id)).at(-1) === "half")
    await first.close()
    const second = await start({
      data: first.host.data,
      lease_ms: 50,
      providers: new Map([["scripted", scriptedProvider([{ text: "whole" }])]]),
    })
    await until(async () => (await saidIn(second.host.store, session.id)).at(-1) === "whole")
  })
})
