import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { ApiError, createClient, type Fetch } from "../../packages/client/client.ts"
import { type FollowEvent, follow, followHost } from "../../packages/client/events.ts"

const FAST = { firstPause: 1, longestPause: 4, silence: 200 }

describe("createClient", () => {
  it("says who it is, and asks for what the route names", async () => {
    const app = new Hono().all("*", async (context) =>
      context.json({
        asked: `${context.req.method} ${new URL(context.req.url).pathname}`,
        query: context.req.query(),
        body: await context.req.text(),
        token: context.req.header("authorization"),
      }),
    )
    const client = clientOf(app)
    const asked = (answer: unknown) => answer as Record<string, unknown>
    expect(asked(await client.messages("ses_1", { limit: 5, before: "c" }))).toEqual({
      asked: "GET /v1/sessions/ses_1/messages",
      query: { limit: "5", before: "c" },
      body: "",
      token: "Bearer secret",
    })
    expect(asked(await client.queue.update("ses_1", "msg_1", { after: null }))).toMatchObject({
      asked: "PATCH /v1/sessions/ses_1/queue/msg_1",
      body: '{"after":null}',
    })
    expect(asked(await client.abort("a/../b"))).toMatchObject({
      asked: "POST /v1/sessions/a%2F..%2Fb/abort",
    })
    const blob = await client.blob("ses_1", `sha256:${"0".repeat(64)}`)
    expect(asked(await blob.json()).asked).toBe(
      `GET /v1/sessions/ses_1/blobs/sha256:${"0".repeat(64)}`,
    )
  })

  it("uploads a blob, bytes and a stream", async () => {
    const app = new Hono().post("/v1/blobs", async (context) =>
      context.json({ name: context.req.query("name"), size: (await context.req.text()).length }),
    )
    const client = clientOf(app)
    const bytes = new TextEncoder().encode("four")
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes)
        controller.close()
      },
    })
    for (const body of [new Blob(["four"]), bytes, stream])
      expect(await client.upload(body, { name: "a b.txt" })).toEqual({ name: "a b.txt", size: 4 })
  })

  it("turns a refusal into an ApiError with the server's words", async () => {
    const details = [{ path: "/parts/0/text", message: "must be a string" }]
    const app = new Hono()
      .get("/v1/info", (context) =>
        context.json(
          { error: { code: "validation_failed", message: "the body is wrong", details } },
          422,
        ),
      )
      .get("/v1/models", (context) => context.text("<h1>Bad gateway</h1>", 502))
    const client = clientOf(app)
    await expect(client.info()).rejects.toMatchObject({
      status: 422,
      code: "validation_failed",
      message: "the body is wrong",
      details,
    })
    await expect(client.models()).rejects.toMatchObject({ status: 502, code: "unexpected" })
  })

  it("says when nobody answers", async () => {
    const client = createClient({
      url: "http://127.0.0.1:9",
      token: "secret",
      fetch: () => Promise.reject(new TypeError("fetch failed")),
    })
    await expect(client.info()).rejects.toBeInstanceOf(ApiError)
    await expect(client.info()).rejects.toMatchObject({ status: 0, code: "unreachable" })
  })
})

describe("follow", () => {
  it("resumes where the connection broke, and opens again after a restart", async () => {
    const seen: (string | undefined)[] = []
    const client = clientOfStreams([
      (request) => {
        seen.push(`after ${new URL(request.url).searchParams.get("after")}`)
        return sse(row(7), delta(7), "event: ping\ndata:\n\n")
      },
      () => {
        throw new TypeError("the server is restarting")
      },
      () => new Response("not yet", { status: 503 }),
      (request) => {
        seen.push(request.headers.get("last-event-id") ?? undefined)
        return sse(row(8))
      },
    ])
    const events = await take(follow(client, "ses_1", { after: 7, timing: FAST }), 8)
    expect(events.map(brief)).toEqual([
      "open",
      "row 7",
      "delta hi",
      "reconnecting",
      "reconnecting",
      "reconnecting",
      "open",
      "row 8",
    ])
    expect(seen).toEqual(["after 7", "7/trn_1/1"])
  })

  it("leaves a connection that fell silent", async () => {
    const client = clientOfStreams([() => silent(row(1)), () => sse(row(2))])
    const events = await take(follow(client, "ses_1", { after: 0, timing: FAST }), 5)
    expect(events.map(brief)).toEqual(["open", "row 1", "reconnecting", "open", "row 2"])
  })

  it("stops at once when told to, also in the middle of a silence", async () => {
    const client = clientOfStreams([() => silent(row(1))])
    const stop = new AbortController()
    const events: FollowEvent[] = []
    const timing = { ...FAST, silence: 60_000 }
    for await (const event of follow(client, "s", { after: 0, signal: stop.signal, timing })) {
      events.push(event)
      if (event.type === "row") setTimeout(() => stop.abort(), 5)
    }
    expect(events.map(brief)).toEqual(["open", "row 1"])
  })

  it("ends with the reset, for the page must be read anew", async () => {
    const client = clientOfStreams([() => sse("event: reset\ndata: {}\n\n", row(1))])
    const events: FollowEvent[] = []
    for await (const event of follow(client, "s", { after: 0, timing: FAST })) events.push(event)
    expect(events.map(brief)).toEqual(["open", "reset"])
  })

  it("throws what trying again would not mend", async () => {
    const error = { error: { code: "not_found", message: "no such session" } }
    const client = clientOfStreams([() => Response.json(error, { status: 404 })])
    await expect(take(follow(client, "s", { after: 0, timing: FAST }), 1)).rejects.toMatchObject({
      status: 404,
      message: "no such session",
    })
  })

  it("tells of every session's changes", async () => {
    const told = (value: object | null) => {
      const data = JSON.stringify({ stream: "ses_1", type: "session", key: "ses_1", value })
      return `event: row\ndata: ${data}\n\n`
    }
    const client = clientOfStreams([
      () => sse(told({ queued: 2 }), told(null), "event: reset\ndata: {}\n\n"),
    ])
    const events = await take(followHost(client, { timing: FAST }), 4)
    expect(events.slice(1)).toEqual([
      { type: "session", id: "ses_1", session: { queued: 2 } },
      { type: "session", id: "ses_1", session: null },
      { type: "reset" },
    ])
  })
})

function clientOf(app: Hono) {
  return createClient({
    url: "http://127.0.0.1:1/",
    token: "secret",
    fetch: (url, init) => app.request(url, init),
  })
}

function clientOfStreams(answers: ((request: Request) => Response)[]) {
  const left = [...answers]
  const fetch: Fetch = (url, init) => left.shift()?.(new Request(url, init)) ?? silent()
  return createClient({ url: "http://127.0.0.1:1", token: "secret", fetch })
}

function sse(...frames: string[]): Response {
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
}

function silent(...frames: string[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const frame of frames) controller.enqueue(new TextEncoder().encode(frame))
    },
  })
  return new Response(body)
}

function rowOf(seq: number) {
  const headers = { operation: "update" as const, txid: "1" }
  return { seq, type: "status", key: "ses_1", value: { state: "idle" }, headers }
}

function row(seq: number): string {
  return `event: row\nid: ${seq}\ndata: ${JSON.stringify(rowOf(seq))}\n\n`
}

function delta(seq: number): string {
  const part = { message_id: "msg_1", part_id: "prt_1", part_index: 0, part_type: "text" }
  const data = { turn_id: "trn_1", ...part, offset: 0, text: "hi" }
  return `event: delta\nid: ${seq}/trn_1/1\ndata: ${JSON.stringify(data)}\n\n`
}

function brief(event: FollowEvent): string {
  switch (event.type) {
    case "row":
      return `row ${event.row.seq}`
    case "delta":
      return `delta ${event.delta.text}`
    case "reset":
      return "reset"
    case "connection":
      return event.state
  }
}

async function take<T>(events: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const event of events) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}
