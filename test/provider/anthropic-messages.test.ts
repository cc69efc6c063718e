import type { IncomingMessage, ServerResponse } from "node:http"
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages"
import { describe, expect, it } from "vitest"
import type { ModelEvent } from "../../src/model/prompt.ts"
import { anthropicMessages, START, step } from "../../src/provider/anthropic-messages.ts"
import { assistant, collect, media, textBlock, user } from "../build.ts"
import {
  callOf,
  ENVELOPE,
  openZeros,
  pictureBlock,
  providerContract,
  show,
  wordsOf,
} from "./contract.ts"
import { listen, readRequest, slowly } from "./loopback.ts"

providerContract("anthropic-messages", async () =>
  anthropicMessages({ api_key: "key", base_url: await listen(answerWith(ANSWER)) }),
)

const provider = anthropicMessages({ api_key: "key" })

describe("anthropic-messages: body", () => {
  async function bodyOf(...messages: readonly Parameters<typeof provider.encode>[0][]) {
    const fragments = messages.map((message) => provider.encode(message))
    return JSON.parse(await show(provider.body(ENVELOPE, fragments)))
  }

  it("[CMP-030] carries text, an image and a document in their order", async () => {
    const document = { type: "document", media: media("plan.pdf", "application/pdf", 5) } as const
    expect(
      await bodyOf(
        user(textBlock('say "hi"\n'), pictureBlock("a.png", 4), document),
        assistant(textBlock("hi")),
        user(textBlock("thanks")),
      ),
    ).toEqual({
      model: "some-model",
      max_tokens: 100,
      system: [{ type: "text", text: "Be kind." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: 'say "hi"\n' },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AAAAAA==" },
            },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "AAAAAAA=" },
              title: "plan.pdf",
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "hi" }] },
        { role: "user", content: [{ type: "text", text: "thanks" }] },
      ],
      stream: true,
      cache_control: { type: "ephemeral" },
    } satisfies MessageCreateParamsStreaming)
  })

  it("leaves out a blank system prompt and blank text, and never sends an empty message", async () => {
    const fragments = [user(textBlock(" "), textBlock("a")), user(), user(textBlock("\n"))]
    const body = provider.body(
      { ...ENVELOPE, system: " " },
      fragments.map((message) => provider.encode(message)),
    )
    expect(JSON.parse(await show(body))).toEqual({
      model: "some-model",
      max_tokens: 100,
      messages: [
        { role: "user", content: [{ type: "text", text: "a" }] },
        { role: "user", content: [{ type: "text", text: "(empty message)" }] },
        { role: "user", content: [{ type: "text", text: "(empty message)" }] },
      ],
      stream: true,
      cache_control: { type: "ephemeral" },
    } satisfies MessageCreateParamsStreaming)
  })

  it("cuts a title to what the API takes", async () => {
    const long = media("x".repeat(600), "application/pdf", 1)
    const body = await bodyOf(user({ type: "document", media: long }))
    expect(body.messages[0].content[0].title).toHaveLength(500)
  })
})

describe("anthropic-messages: stream", () => {
  function plays(...events: readonly object[]): ModelEvent[] {
    let state = START
    return events.flatMap((event) => {
      const result = step(state, { event: "message", data: JSON.stringify(event) })
      state = result.state
      return result.events
    })
  }

  const start = {
    type: "message_start",
    message: {
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 7,
        cache_creation_input_tokens: 3,
        output_tokens: 1,
      },
    },
  }
  const stop = { type: "message_stop" }
  const closing = (stop_reason: string, usage: object) => ({
    type: "message_delta",
    delta: { stop_reason },
    usage,
  })

  it("[SES-002] tells what was said and thought, and usage in five figures that add up", () =>
    expect(
      plays(
        start,
        { type: "content_block_start", index: 0, content_block: { type: "thinking" } },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "thinking_delta", thinking: "hm" },
        },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "signature_delta", signature: "x" },
        },
        { type: "ping" },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "yes" } },
        closing("end_turn", { output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } }),
        stop,
      ),
    ).toEqual([
      { type: "reasoning-delta", text: "hm" },
      { type: "text-delta", text: "yes" },
      {
        type: "usage",
        usage: { input: 10, output: 18, reasoning: 12, cache_read: 7, cache_write: 3 },
      },
      { type: "end", reason: "stop" },
    ]))

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["something_new", "stop"],
  ])("ends for %s with %s", (reason, expected) =>
    expect(plays(closing(reason, { output_tokens: 1 }), stop).at(-1)).toEqual({
      type: "end",
      reason: expected,
    }),
  )

  it("passes on an error of the API in the middle of an answer", () =>
    expect(
      plays(start, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    ).toEqual([
      {
        type: "usage",
        usage: { input: 10, output: 1, reasoning: 0, cache_read: 7, cache_write: 3 },
      },
      { type: "error", code: "overloaded_error", message: "Overloaded", retryable: true },
    ]))

  it("does not mind what it does not know", () =>
    expect(
      plays({ type: "novelty" }, { type: "content_block_delta" }, { type: "message_start" }, [], {
        type: "message_delta",
      }),
    ).toEqual([]))
})

describe("anthropic-messages: exchange", () => {
  async function asks(
    handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
    size = 4,
  ) {
    const base_url = await listen(handler)
    const asked = anthropicMessages({ api_key: "secret-key", base_url: `${base_url}/` })
    return collect(
      asked.stream(callOf(asked, [user(textBlock("hi"), pictureBlock("a.png", size))])),
    )
  }

  it("[CMP-030] sends the body with its length and the API's headers, media streamed", async () => {
    let seen: Awaited<ReturnType<typeof readRequest>> | undefined
    const size = 3 * 1024 * 1024
    const events = await asks(async (request, response) => {
      seen = await readRequest(request)
      answerWith(ANSWER)(request, response)
    }, size)
    expect(wordsOf(events)).toBe("Grüße 😀")
    expect(seen?.url).toBe("/v1/messages")
    expect(seen?.headers).toMatchObject({
      "content-type": "application/json",
      "x-api-key": "secret-key",
      "anthropic-version": "2023-06-01",
      "content-length": String(seen?.body.length),
    })
    const body = JSON.parse(seen?.body.toString() ?? "")
    expect(body.messages[0].content[1].source.data).toBe(Buffer.alloc(size).toString("base64"))
  })

  it.each([
    [400, false],
    [401, false],
    [413, false],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
  ])(
    "makes an error of status %d (retryable: %s) with the API's words",
    async (status, retryable) => {
      const error = { type: "some_error", message: "because" }
      const events = await asks((request, response) => {
        request.resume()
        response.writeHead(status).end(JSON.stringify({ type: "error", error }))
      })
      expect(events).toEqual([{ type: "error", code: "some_error", message: "because", retryable }])
    },
  )

  it("makes an error of a status without sense, and reads only the start of a long one", async () => {
    const events = await asks((request, response) => {
      request.resume()
      response.writeHead(502)
      response.on("error", () => undefined)
      const write = () => {
        while (!response.destroyed && response.write("<html>".repeat(1000)));
      }
      response.on("drain", write)
      write()
    })
    expect(events).toEqual([
      {
        type: "error",
        code: "http-502",
        message: "the API answered with status 502",
        retryable: true,
      },
    ])
  })

  it("follows no redirect", async () => {
    const events = await asks((request, response) => {
      request.resume()
      response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()
    })
    expect(events).toMatchObject([{ type: "error", code: "http-307" }])
  })

  it("makes an error of an answer that breaks off, by an end or by a lost connection", async () => {
    const half = ANSWER.slice(0, 3)
    const ended = await asks(answerWith(half))
    expect(ended.at(-1)).toMatchObject({ type: "error", code: "stream-truncated", retryable: true })
    const lost = await asks((request, response) => {
      request.resume()
      response.writeHead(200)
      response.write(half.join(""), () => response.destroy())
    })
    expect(lost.at(-1)).toMatchObject({ type: "error", code: "connection-lost", retryable: true })
    expect(wordsOf(lost)).toBe("Grü")
  })

  it("makes an error of a host that is not there, without the key in it", async () => {
    const asked = anthropicMessages({ api_key: "secret-key", base_url: "http://127.0.0.1:9" })
    const events = await collect(asked.stream(callOf(asked, [user(textBlock("hi"))])))
    expect(events).toMatchObject([{ type: "error", code: "connection-lost", retryable: true }])
    expect(JSON.stringify(events)).not.toContain("secret-key")
  })

  it("makes an error of a medium that cannot be read", async () => {
    const base_url = await listen((request) => void request.resume())
    const asked = anthropicMessages({ api_key: "key", base_url })
    const open = () => openZeros(media("a", "image/png", 3))
    const call = { ...callOf(asked, [user(pictureBlock("a.png", 100_000))]), open }
    expect(await collect(asked.stream(call))).toMatchObject([
      { type: "error", code: "unreadable-media", retryable: false },
    ])
  })
})

function answerWith(lines: readonly string[]) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" })
    void slowly(response, Buffer.from(lines.join("")), 17)
  }
}

function sse(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

const ANSWER = [
  { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Grü" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ße 😀" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
].map(sse)
