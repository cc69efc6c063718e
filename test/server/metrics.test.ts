import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { scriptedProvider, type Script } from "../../packages/engine/providers/scripted.ts"
import { type Running, type ServeOptions, serve } from "../../packages/server/serve.ts"
import { Limits, readLimits } from "../../packages/server/limits.ts"
import { removeSecrets, newLog } from "../../packages/engine/telemetry/log.ts"
import { Metrics } from "../../packages/engine/telemetry/metrics.ts"
import { readTraceparent } from "../../packages/engine/telemetry/span.ts"
import { temporaryFolder } from "../build.ts"
import { gate, until } from "../session/house.ts"
import { Listener } from "./house.ts"

async function start(more: Partial<ServeOptions> = {}, script: Script = [{ text: "ok" }]) {
  const data = join(await temporaryFolder(), "data")
  const model = scriptedProvider(script)
  const providers = new Map([[model.id, model]])
  const environment = { COMPOSITOR_MODEL: "scripted" }
  const running = await serve({ workspace: null, environment, providers, ...more, data })
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

async function newSession(running: Running): Promise<string> {
  const body = JSON.stringify({ model: "scripted" })
  const answer = await call(running, "/v1/sessions", { method: "POST", body })
  return ((await answer.json()) as { session: { id: string } }).session.id
}

function say(
  running: Running,
  session: string,
  text: string,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify({ parts: [{ type: "text", text }] })
  return call(running, `/v1/sessions/${session}/messages`, { method: "POST", body, headers })
}

async function figures(running: Running): Promise<Map<string, number>> {
  const text = await (await call(running, "/metrics")).text()
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ")
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe("the figures of a server", () => {
  it("[OPS-02] count requests by their pattern, turns by their end, tokens, bytes and memory", async () => {
    const running = await start()
    const session = await newSession(running)
    await say(running, session, "hello")
    await running.host.idle()
    await call(running, "/v1/blobs?name=a", { method: "POST", body: "12345" })
    await call(running, "/v1/sessions/ses_nobody")
    const told = await figures(running)
    const requests = (route: string, method: string, status: number) =>
      told.get(
        `compositor_http_requests_total{route="${route}",method="${method}",status="${status}"}`,
      )
    expect(requests("/v1/sessions", "POST", 201)).toBe(1)
    expect(requests("/v1/sessions/:id", "GET", 404)).toBe(1)
    expect(told.get('compositor_turns_total{state="finished"}')).toBe(1)
    expect(told.get('compositor_blob_bytes_total{direction="in"}')).toBe(5)
    expect(told.get('compositor_store_write_seconds_count{operation="append"}')).toBe(1)
    expect(told.get("compositor_queue_sessions")).toBe(0)
    expect(told.get('compositor_memory_bytes{kind="rss"}')).toBeGreaterThan(1e7)
    expect([...told.keys()].filter((key) => key.includes(session))).toEqual([])
    expect([...told.values()].every(Number.isFinite)).toBe(true)
  })

  it("[OPS-02] are for whoever has the server's token or their own, and for no page", async () => {
    const running = await start({ metrics_token: "only-for-the-figures" })
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${running.url}/metrics`, { headers })).status
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: "Bearer wrong" })).toBe(401)
    expect(await ask({ authorization: "Bearer only-for-the-figures" })).toBe(200)
    expect(await ask({ authorization: `Bearer ${running.token}` })).toBe(200)
    const page = { authorization: `Bearer ${running.token}`, origin: running.url }
    expect(await ask(page)).toBe(403)
    const other = await fetch(`${running.url}/v1/info`, {
      headers: { authorization: "Bearer only-for-the-figures" },
    })
    expect(other.status).toBe(401)
  })

  it("[OPS-02] know how many streams are open", async () => {
    const running = await start()
    const session = await newSession(running)
    const listener = new Listener(await call(running, `/v1/sessions/${session}/events`))
    await listener.next()
    expect((await figures(running)).get("compositor_open_streams")).toBe(1)
    await listener.leave()
    await until(async () => (await figures(running)).get("compositor_open_streams") === 0)
  })

  it("[OPS-02] have few labels, whatever is counted, and are printed as Prometheus reads them", async () => {
    const metrics = new Metrics()
    const counter = metrics.counter("a_total", "A.", ["x"])
    for (let count = 0; count < 5000; count++) counter.add(1, `v${count}`)
    const odd = metrics.gauge("b", "B.", ["y"])
    odd.set(1, 'a"b\\c\nd')
    const lines = (await metrics.text()).split("\n")
    expect(lines.filter((line) => line.startsWith("a_total{"))).toHaveLength(1001)
    expect(lines).toContain('a_total{x="other"} 4000')
    expect(lines).toContain('b{y="a\\"b\\\\c\\nd"} 1')
    const seconds = metrics.histogram("c_seconds", "C.")
    for (const value of [0.0005, 0.02, 100]) seconds.observe(value)
    const text = await metrics.text()
    expect(text).toContain('c_seconds_bucket{le="0.001"} 1\n')
    expect(text).toContain('c_seconds_bucket{le="60"} 2\nc_seconds_bucket{le="+Inf"} 3\n')
    expect(text).toContain("c_seconds_sum 100.0205\nc_seconds_count 3\n")
  })
})

describe("a server that is watched", () => {
  it("[OPS-01] says that it lives and is ready, by whatever name it is called", async () => {
    const running = await start()
    for (const [path, said] of [
      ["/healthz", "ok\n"],
      ["/readyz", "ready\n"],
    ]) {
      const answer = await fetch(`${running.url}${path}`, { headers: { host: "10.0.0.7:4747" } })
      expect([answer.status, await answer.text()]).toEqual([200, said])
    }
  })

  it("[OPS-01] leaves when its turns are done: nothing new begins, and readers are sent on", async () => {
    const release = gate()
    const running = await start({}, [{ wait: release.wait }, { text: "one" }])
    const session = await newSession(running)
    await say(running, session, "first")
    await say(running, session, "second")
    const listener = new Listener(await call(running, `/v1/sessions/${session}/events`))
    await listener.next()
    const left = running.leave(20_000)
    await until(async () => (await fetch(`${running.url}/readyz`)).status === 503)
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
    const other = await newSession(running)
    expect((await say(running, other, "kept, not begun")).status).toBeLessThan(300)
    release.open()
    const ended = listener.upTo(() => false).catch((error: Error) => error.message)
    expect(await ended).toBe("the stream ended")
    await left
    const again = await serve({
      workspace: null,
      environment: {},
      data: running.host.data,
      turns: false,
    })
    onTestFinished(() => again.close())
    const turns = await again.host.store.turns(session)
    expect(turns.map(({ state }) => state)).toEqual(["finished"])
    expect((await again.host.store.claimable()).toSorted()).toEqual([session, other].toSorted())
  })

  it("[OPS-01] leaves in time although a turn does not end", async () => {
    const release = gate()
    const running = await start({}, [{ wait: release.wait }, { text: "never" }])
    await say(running, await newSession(running), "first")
    const began = performance.now()
    await running.leave(300)
    expect(performance.now() - began).toBeLessThan(5000)
    release.open()
  })
})

describe("limits", () => {
  it("[OPS-03] give back with time what was spent", () => {
    let now = 0
    const limits = new Limits({ requests_per_second: 5, messages_per_minute: 2 }, () => now)
    const spend = () => limits.spend("requests", "user:ana")
    expect(Array.from({ length: 10 }, spend)).toEqual(Array.from({ length: 10 }, () => 0))
    expect(spend()).toBe(1)
    expect(limits.spend("requests", "user:ben")).toBe(0)
    now += 200
    expect([spend(), spend()]).toEqual([0, 1])
    expect([1, 2, 3].map(() => limits.spend("messages", "user:ana"))).toEqual([0, 0, 30])
    expect(limits.spend("uploads", "user:ana", { amount: 1e12 })).toBe(0)
    const own = { upload_bytes_per_day: 1000 }
    expect(limits.spend("uploads", "user:ana", { amount: 600, own })).toBe(0)
    expect(limits.spend("uploads", "user:ana", { amount: 600, own })).toBe(17_280)
  })

  it("[OPS-03] are read from one line, and a wrong one is refused", () => {
    expect(readLimits("requests=50/s, messages=60/m,uploads=5g/d")).toEqual({
      requests_per_second: 50,
      messages_per_minute: 60,
      upload_bytes_per_day: 5 * 1024 ** 3,
    })
    expect(readLimits("")).toEqual({})
    for (const text of ["requests=50", "requests=5/m", "clicks=5/s", "messages=x/m"])
      expect(() => readLimits(text)).toThrow(text)
  })

  it("[OPS-03] answer 429 with the time to wait, for requests, messages and uploads", async () => {
    const limits = "requests=200/s,messages=2/m,uploads=1000/d"
    const running = await start({ limits })
    const session = await newSession(running)
    const statuses = []
    for (let count = 0; count < 3; count++)
      statuses.push((await say(running, session, `${count}`)).status)
    expect(statuses.map((status) => status < 300)).toEqual([true, true, false])
    const refused = await say(running, session, "once more")
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([
      429,
      expect.closeTo(30, -1),
    ])
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } })
    const upload = (size: number) =>
      call(running, "/v1/blobs?name=a", { method: "POST", body: "x".repeat(size) })
    expect((await upload(900)).status).toBe(201)
    expect((await upload(900)).status).toBe(429)
    const told = await figures(running)
    expect(told.get('compositor_rate_limited_total{limit="messages"}')).toBe(2)
    expect(told.get('compositor_rate_limited_total{limit="uploads"}')).toBe(1)
  })
})

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

/** Where spans are sent to. */
async function collector() {
  const spans: WireSpan[] = []
  const bodies: string[] = []
  const server = createServer((asked, answer) => {
    let body = ""
    asked.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk
    })
    asked.on("end", () => {
      bodies.push(body)
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const one of scopeSpans) spans.push(...one.spans)
      answer.end("{}")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { spans, bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe("spans", () => {
  it("[DBG-006] tell of a message from its request to its answer, and not what was said", async () => {
    const { spans, bodies, url } = await collector()
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url, COMPOSITOR_MODEL: "scripted" }
    const running = await start({ environment }, [{ text: "a secret answer" }])
    const session = await newSession(running)
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`
    await say(running, session, "a private question", { traceparent })
    await running.host.idle()
    await running.close()
    const ours = spans.filter(({ traceId }) => traceId === trace)
    const named = (name: string) => ours.find((one) => one.name === name)
    const parents = (name: string): string[] => {
      const one = named(name)
      const parent = ours.find(({ spanId }) => spanId === one?.parentSpanId)
      return parent ? [parent.name, ...parents(parent.name)] : []
    }
    expect(named("http.request")?.parentSpanId).toBe("00f067aa0ba902b7")
    expect(parents("submit")).toEqual(["http.request"])
    expect(parents("persist")).toEqual(["submit", "http.request"])
    expect(parents("queue.wait")).toEqual(["session.run", "http.request"])
    expect(parents("lower")).toEqual(["session.turn", "session.run", "http.request"])
    expect(parents("provider.call")).toEqual(["session.turn", "session.run", "http.request"])
    for (const one of ours)
      expect(BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano)).toBe(true)
    expect(bodies.join("")).not.toMatch(/secret answer|private question/)
  })

  it("[DBG-006] tell of what was allowed and which tool ran", async () => {
    const { spans, url } = await collector()
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url, COMPOSITOR_MODEL: "scripted" }
    const call = { id: "c1", name: "glob", input: { pattern: "*" } }
    const script: Script = ({ prompt }) =>
      JSON.stringify(prompt).includes("tool-result") ? [{ text: "done" }] : [{ call }]
    const running = await start({ environment, workspace: await temporaryFolder() }, script)
    await say(running, await newSession(running), "look")
    await running.host.idle()
    await running.close()
    const parent = (name: string) => {
      const one = spans.find((span) => span.name === name)
      return spans.find(({ spanId }) => spanId === one?.parentSpanId)?.name
    }
    expect([parent("permission.evaluate"), parent("tool.call")]).toEqual([
      "session.turn",
      "session.turn",
    ])
  })

  it("[DBG-006] are dropped and counted when nobody takes them, and hold nothing up", async () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
    const running = await start({ environment })
    for (let count = 0; count < 20; count++) await call(running, "/v1/info")
    await until(
      async () => ((await figures(running)).get('compositor_spans{outcome="dropped"}') ?? 0) >= 20,
    )
    expect((await figures(running)).get('compositor_spans{outcome="sent"}')).toBe(0)
  })

  it.each([
    ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true],
    ["01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", true],
    ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false],
    ["ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false],
    ["00-00000000000000000000000000000000-00f067aa0ba902b7-01", false],
    ["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false],
    ["00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false],
    ["", false],
  ])("[DBG-006] belong to whoever sends %j", (header, known) => {
    expect(readTraceparent(header) !== undefined).toBe(known)
  })
})

describe("records", () => {
  it("[OPS-04] are lines of JSON with ids, and without what was said", async () => {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const running = await start({ records: { format: "json", level: "info", write } })
    const session = await newSession(running)
    const answer = await say(running, session, "a private question", { "x-request-id": "req-7" })
    expect(answer.headers.get("x-request-id")).toBe("req-7")
    await running.host.idle()
    const records = lines.map((line) => JSON.parse(line))
    expect(records).toContainEqual(
      expect.objectContaining({
        level: "info",
        message: "request",
        request_id: "req-7",
        route: "/v1/sessions/:id/messages",
        session_id: session,
      }),
    )
    expect(records).toContainEqual(
      expect.objectContaining({ message: "turn ended", session_id: session, state: "finished" }),
    )
    expect(lines.join("")).not.toMatch(/private question/)
    expect(lines.join("")).not.toContain(running.token)
    expect(lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n"))).toBe(
      true,
    )
  })

  it("[OPS-04] leave out what looks like a key, and what is below their level", () => {
    const lines: string[] = []
    const log = newLog({ format: "text", level: "warn", write: (line) => void lines.push(line) })
    log("info", "nothing")
    log("warn", "failed", { session_id: "ses_1", code: undefined })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/ warn failed session_id=ses_1\n$/)
    for (const [text, instead] of [
      ["Authorization: Bearer abcdefghijkl", /^Authorization: …|Bearer …/],
      ["GET /x?token=abcdefgh&a=1", /token=…&a=1/],
      ["postgres://me:hunter22@db/x", /me:…@db/],
      ["key sk-abcdefghijklmnop1234 was refused", /key … was refused/],
    ] as const)
      expect(removeSecrets(text)).toMatch(instead)
  })
})
