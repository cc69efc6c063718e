import type { IncomingMessage, ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import type { ModelFault } from "../../packages/core/model/prompt.ts"
import { anthropicMessages } from "../../packages/core/wires/anthropic-messages.ts"
import { geminiGenerateContent } from "../../packages/core/wires/gemini-generatecontent.ts"
import { blame } from "../../packages/engine/providers/refused-media.ts"
import { retryAfter } from "../../packages/engine/providers/fault.ts"
import { collect, media, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { callOf, ENVELOPE, openZeros, pictureBlock } from "./contract.ts"
import { listen } from "./loopback.ts"

describe("an exchange", () => {
  async function asks(handler: (request: IncomingMessage, response: ServerResponse) => void) {
    const asked = connect(anthropicMessages, {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: await listen(handler),
    })
    return collect(asked.stream(callOf(asked, [user(textBlock("hi"))])))
  }

  it("passes on the API's words", async () => {
    const error = { type: "some_error", message: "because" }
    const events = await asks((request, response) => {
      request.resume()
      response.writeHead(418).end(JSON.stringify({ type: "error", error }))
    })
    expect(events).toEqual([
      { type: "error", code: "some_error", message: "because", retryable: false },
    ])
  })

  it("reads only the start of a refusal that does not end", async () => {
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
    expect(events).toMatchObject([{ type: "error", code: "http-502", retryable: true }])
  })

  it("follows no redirect", async () => {
    const events = await asks((request, response) => {
      request.resume()
      response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()
    })
    expect(events).toMatchObject([{ type: "error", code: "http-307" }])
  })

  it("makes an error of a medium that cannot be read", async () => {
    const base_url = await listen((request) => void request.resume())
    const asked = connect(anthropicMessages, {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: base_url,
    })
    const open = () => openZeros(media("a", "image/png", 3))
    const call = { ...callOf(asked, [user(pictureBlock("a.png", 100_000))]), open }
    expect(await collect(asked.stream(call))).toMatchObject([
      { type: "error", code: "unreadable-media", retryable: false },
    ])
  })
})

describe("blame", () => {
  const provider = connect(anthropicMessages, { ANTHROPIC_API_KEY: "key" })
  const [one, two] = [pictureBlock("a.png", 3), pictureBlock("b.png", 3)]
  const messages = [user(textBlock("messages.0.content.1"), one), user(two, textBlock("image"))]
  const body = provider.body(
    ENVELOPE,
    messages.map((message) => provider.encode(message)),
  )
  const ids = ["a.png", "b.png"].map((name) => media(name, "image/png", 3).content_id)

  function blames(fault: Partial<ModelFault>, expected: readonly string[] | undefined) {
    return () =>
      expect(
        blame(body, { type: "error", code: "bad", message: "", retryable: false, ...fault }),
      ).toEqual(expected)
  }

  it(
    "[BEY-02] finds the medium at a path",
    blames({ path: "messages.1.content.0" }, [ids[1] ?? ""]),
  )
  it(
    "finds it in the words of a message",
    blames({ message: "messages.0.content.1.image.source: Invalid image" }, [ids[0] ?? ""]),
  )
  it("finds all media of a message", blames({ path: "messages.1" }, [ids[1] ?? ""]))
  it("does not blame a medium for words", blames({ path: "messages.1.content.1.text" }, undefined))
  it(
    "blames nobody by name where only media are spoken of",
    blames({ message: "Could not process image" }, []),
  )
  it("blames media for a request that is too large", blames({ code: "http-413" }, []))
  it("does not take a path that leads nowhere", blames({ path: "tools.7.name" }, undefined))
  it(
    "does not blame media for what is not about them",
    blames({ message: "max_tokens: must be positive" }, undefined),
  )
  it(
    "does not blame media for a key that is wrong",
    blames({ code: "authentication_error", message: "no access to files" }, undefined),
  )
  it(
    "does not blame anyone for what may pass",
    blames({ message: "image service is down", retryable: true }, undefined),
  )
})

describe("retryAfter", () => {
  const now = Date.parse("2026-11-15T00:00:00Z")
  const google = { error: { details: [{ "@type": "x" }, { retryDelay: "34.5s" }] } }

  it.each([
    [{ "retry-after-ms": "120" }, undefined, 120],
    [{ "retry-after": "3" }, undefined, 3000],
    [{ "retry-after": "Sun, 15 Nov 2026 00:00:05 GMT" }, undefined, 5000],
    [{ "retry-after": "Sun, 15 Nov 2020 00:00:05 GMT" }, undefined, 0],
    [{ "retry-after": "99999999" }, undefined, 600_000],
    [{}, google, 34_500],
    [{ "retry-after": "soon" }, undefined, undefined],
    [{}, undefined, undefined],
  ])("reads %j and %j", (headers, body, expected) =>
    expect(retryAfter(headers, geminiGenerateContent.readRefusal(body ?? {}), now)).toBe(expected),
  )
})
