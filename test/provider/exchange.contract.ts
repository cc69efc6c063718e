import type { IncomingMessage, ServerResponse } from "node:http"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ModelEvent, ModelUsage, Seal } from "../../packages/core/model/prompt.ts"
import type { ProviderCall, Provider } from "../../packages/engine/providers/provider.ts"
import { collect, textBlock, user } from "../build.ts"
import { callOf, pictureBlock, providerContract, wordsOf } from "./contract.ts"
import { envelope } from "./corpus.ts"
import { listen, readRequest, slowly } from "./loopback.ts"

/** Answers of one API as it sends them, piece by piece. */
export interface Recording {
  readonly type: string
  /** "Grüße 😀". */
  readonly words: readonly Piece[]
  readonly usage: ModelUsage
  /** "hm, hm" thought, then "yes" said. */
  readonly thoughts: readonly Piece[]
  readonly seal: Seal | null
  /** `read_image({ path: "a.png" })` and `my.tool({ n: 1 })` at once. */
  readonly calls: readonly Piece[]
  readonly ids: readonly [unknown, unknown]
  /** "Grü" said, then a fault that may pass. */
  readonly fault: readonly Piece[]
  readonly code: string
  /** The body of a refusal that points at the second medium of the first message. */
  readonly refusal: object
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

type Piece = string | Uint8Array

/** What every provider that asks over a network promises beside `providerContract`: it tells what
 *  was said, thought and called in order; a fault is the last event, says whether it may pass, and
 *  names the media that it is about. */
export function exchangeContract(
  name: string,
  make: (base_url: string) => Provider,
  recording: Recording,
) {
  const answering = async (pieces: readonly Piece[]) =>
    make(await listen(answer(recording.type, pieces)))

  providerContract(name, () => answering(recording.words))

  describe(`exchange: ${name}`, () => {
    async function tells(
      provider: Provider,
      more: Partial<ProviderCall> = {},
    ): Promise<ModelEvent[]> {
      const message = user(textBlock("hi"), pictureBlock("a.png", 3), pictureBlock("b.png", 3))
      const call = { ...callOf(provider, [message]), envelope: envelope("some-model"), ...more }
      return collect(provider.stream(call))
    }

    it("[SES-002] tells what was said, and usage in five figures", async () => {
      const events = await tells(await answering(recording.words))
      expect(wordsOf(events)).toBe("Grüße 😀")
      expect(events.slice(-2)).toEqual([
        { type: "usage", usage: recording.usage },
        { type: "end", reason: "stop" },
      ])
    })

    it("tells what was thought, and the seal that takes it back", async () => {
      const events = await tells(await answering(recording.thoughts))
      expect(joined(events, "reasoning-delta")).toBe("hm, hm")
      expect(wordsOf(events)).toBe("yes")
      const at = events.findIndex(({ type }) => type === "reasoning-end")
      expect(events[at]).toEqual({ type: "reasoning-end", seal: recording.seal })
      expect(at).toBeLessThan(events.findIndex(({ type }) => type === "text-delta"))
      expect(events.at(-1)).toEqual({ type: "end", reason: "stop" })
    })

    it("tells calls made at once, by the names that we know", async () => {
      const events = await tells(await answering(recording.calls))
      const [first, second] = recording.ids
      expect(events.filter(({ type }) => type === "tool-call-start")).toEqual([
        { type: "tool-call-start", id: first, name: "read_image" },
        { type: "tool-call-start", id: second, name: "my.tool" },
      ])
      expect(events.filter(({ type }) => type === "tool-call-end")).toMatchObject([
        { id: first, name: "read_image", input: { path: "a.png" } },
        { id: second, name: "my.tool", input: { n: 1 } },
      ])
      expect(inputOf(events, 0)).toEqual({ path: "a.png" })
      expect(inputOf(events, 1)).toEqual({ n: 1 })
      expect(events.at(-1)).toEqual({ type: "end", reason: "tool-call" })
    })

    it("passes on a fault in the middle of an answer", async () => {
      const events = await tells(await answering(recording.fault))
      expect(wordsOf(events)).toBe("Grü")
      expect(events.at(-1)).toMatchObject({ type: "error", code: recording.code, retryable: true })
      expect(events.filter(({ type }) => type === "error")).toHaveLength(1)
    })

    it("makes an error of an answer that breaks off, by an end or by a lost connection", async () => {
      const half = recording.fault.slice(0, -1)
      const ended = await tells(await answering(half))
      expect(ended.at(-1)).toMatchObject({ code: "stream-truncated", retryable: true })
      const lost = await tells(
        make(
          await listen((request, response) => {
            request.resume()
            response.writeHead(200, { "content-type": recording.type })
            response.write(Buffer.concat(half.map(bytesOf)), () => response.destroy())
          }),
        ),
      )
      expect(lost.at(-1)).toMatchObject({ code: "connection-lost", retryable: true })
      expect([wordsOf(ended), wordsOf(lost)]).toEqual(["Grü", "Grü"])
    })

    it("[SES-062] stops in the middle of an answer", async () => {
      const url = await listen((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": recording.type })
        response.write(Buffer.concat(recording.fault.slice(0, -1).map(bytesOf)))
      })
      const controller = new AbortController()
      const provider = make(url)
      const events: ModelEvent[] = []
      const call = { ...callOf(provider, [user(textBlock("hi"))]), signal: controller.signal }
      for await (const event of provider.stream(call)) {
        events.push(event)
        if (event.type === "text-delta") controller.abort()
      }
      expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted", retryable: false })
    })

    it.each([
      [400, false],
      [401, false],
      [403, false],
      [404, false],
      [408, true],
      [429, true],
      [500, true],
      [502, true],
      [503, true],
      [529, true],
    ])("makes an error of status %d (retryable: %s)", async (status, retryable) => {
      const events = await tells(make(await listen(refuse(status, "<html>"))))
      const message = `the API answered with status ${status}`
      expect(events).toEqual([{ type: "error", code: `http-${status}`, message, retryable }])
    })

    it("waits as long as the API asks for", async () => {
      const soon = await tells(make(await listen(refuse(429, "", { "retry-after": "7" }))))
      expect(soon.at(-1)).toMatchObject({ retryable: true, retry_after_ms: 7000 })
    })

    it("[BEY-02] names the medium that a refusal points at", async () => {
      const body = JSON.stringify(recording.refusal)
      const provider = make(await listen(refuse(400, body)))
      const [fault] = await tells(provider)
      const { media } = pictureBlock("b.png", 3) as { media: { content_id: string } }
      expect(fault).toMatchObject({ retryable: false, implicates_media: [media.content_id] })
      const blind = await tells(provider, { messages: [provider.encode(user(textBlock("hi")))] })
      expect(blind[0]).not.toHaveProperty("implicates_media")
    })

    it("[CMP-030] asks with its headers, its path and the length of its body", async () => {
      let seen: Awaited<ReturnType<typeof readRequest>> | undefined
      const provider = make(
        `${await listen(async (request, response) => {
          seen = await readRequest(request)
          answer(recording.type, recording.words)(request, response)
        })}/`,
      )
      await collect(provider.stream(callOf(provider, [user(pictureBlock("a.png", 100_000))])))
      expect(seen?.url).toBe(recording.path)
      expect(seen?.headers).toMatchObject({
        ...recording.headers,
        "content-type": "application/json",
        "content-length": String(seen?.body.length),
      })
      expect(seen?.body.toString()).toContain(Buffer.alloc(99_999).toString("base64"))
    })

    it("makes an error of a host that is not there", async () => {
      const events = await tells(make("http://127.0.0.1:9"))
      expect(events).toMatchObject([{ type: "error", code: "connection-lost", retryable: true }])
      expect(JSON.stringify(events)).not.toContain("secret")
    })
  })
}

/** A step that is given anything says nothing wrong: it never throws, and gives at most one last
 *  event. */
export function stepIsTotal<State>(
  start: State,
  step: (state: State, data: string) => { state: State; events: readonly ModelEvent[] },
  words: readonly string[],
) {
  it("does not mind what it does not know", () => {
    const key = fc.constantFrom(...words)
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: "small" },
        fc.oneof(key, fc.integer(), fc.constant(null), fc.boolean()),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(key, tie("json"), { maxKeys: 6 }),
      ),
    })).json
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (events) => {
        let state = start
        for (const event of events) {
          const result = step(state, JSON.stringify(event))
          state = result.state
          for (const { type } of result.events) expect(type).toBeTypeOf("string")
        }
      }),
    )
    expect(step(start, "not JSON").events).toEqual([])
  })
}

function answer(type: string, pieces: readonly Piece[]) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    response.writeHead(200, { "content-type": type })
    void slowly(response, Buffer.concat(pieces.map(bytesOf)), 37)
  }
}

function refuse(status: number, body: string, headers: Record<string, string> = {}) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    response.writeHead(status, headers).end(body)
  }
}

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece
}

function joined(events: readonly ModelEvent[], type: "reasoning-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("")
}

function inputOf(events: readonly ModelEvent[], at: number): unknown {
  const starts = events.flatMap((event) => (event.type === "tool-call-start" ? event.id : []))
  const pieces = events.flatMap((event) =>
    event.type === "tool-call-delta" && event.id === starts[at] ? event.text : [],
  )
  return JSON.parse(pieces.join("") || "{}")
}

/** Server-sent events as an API writes them. */
export function sse(...events: readonly object[]): string[] {
  return events.map((event) => {
    const name = "type" in event ? `event: ${String(event.type)}\n` : ""
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
}
