import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("a page of another origin, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  /** A page that is not ours, on another port, and so another origin. */
  async function foreignPage(): Promise<string> {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html")
      response.end("<!doctype html><title>foreign</title><body></body>")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  it("[DAE-001] reads nothing and changes nothing, even with the token in hand", async () => {
    const theatre = await Theatre.open()
    const visitor = await Visitor.come(browser, theatre.link)
    await visitor.send("a secret between us")
    await visitor.sees(visitor.answers, "That is all of it.")
    const [session] = (await theatre.client.sessions.list()).sessions
    const token = /token=(.+)$/.exec(theatre.link)?.[1] ?? ""
    const foreign = await visitor.page.context().newPage()
    await foreign.goto(await foreignPage())
    const tried = await foreign.evaluate(tryEverything, {
      url: theatre.client.url,
      token,
      session: session?.id ?? "",
    })
    expect(tried).toEqual(Object.fromEntries(Object.keys(tried).map((name) => [name, "nothing"])))
    expect(Object.keys(tried)).toHaveLength(8)
    const { messages } = await theatre.client.messages(session?.id ?? "")
    expect(messages).toHaveLength(2)
    expect((await theatre.client.sessions.list()).sessions).toHaveLength(1)
  })
})

/** Runs in the foreign page: what each way of reaching the server brings. */
async function tryEverything(there: { url: string; token: string; session: string }) {
  const { url, token, session } = there
  const list = `${url}/v1/sessions`
  const messages = `${list}/${session}/messages`
  const authorization = `Bearer ${token}`
  const body = JSON.stringify({ source: "from afar" })
  const read = async (at: string, init: RequestInit = {}) => {
    try {
      const response = await fetch(at, init)
      const text = await response.text()
      return text === "" ? "nothing" : `read ${text.slice(0, 80)}`
    } catch {
      return "nothing"
    }
  }
  const framed = () =>
    new Promise<string>((resolve) => {
      const frame = document.createElement("iframe")
      frame.src = url
      frame.addEventListener("load", () => {
        try {
          resolve(frame.contentDocument ? "read the page" : "nothing")
        } catch {
          resolve("nothing")
        }
      })
      document.body.append(frame)
      setTimeout(() => resolve("nothing"), 2_000)
    })
  const streamed = () =>
    new Promise<string>((resolve) => {
      const source = new EventSource(`${list}/${session}/events?token=${token}`)
      source.addEventListener("message", ({ data }) => resolve(`read ${String(data)}`))
      source.addEventListener("open", () => resolve("opened"))
      source.addEventListener("error", () => resolve("nothing"))
    })
  const submitted = () =>
    new Promise<string>((resolve) => {
      const form = document.createElement("form")
      form.method = "post"
      form.enctype = "text/plain"
      form.action = messages
      form.target = "hidden"
      const field = document.createElement("input")
      field.name = body
      form.append(field)
      const frame = document.createElement("iframe")
      frame.name = "hidden"
      document.body.append(frame, form)
      form.submit()
      setTimeout(() => resolve("nothing"), 1_000)
    })
  // What is sent without an answer: the test looks at what became of it.
  navigator.sendBeacon(messages, body)
  return {
    plain: await read(list),
    withToken: await read(list, { headers: { authorization } }),
    simplePost: await read(messages, {
      method: "POST",
      body,
      headers: { "content-type": "text/plain" },
    }),
    jsonPost: await read(messages, {
      method: "POST",
      body,
      headers: { authorization, "content-type": "application/json" },
    }),
    opaque: await fetch(list, { mode: "no-cors" }).then(
      (response) => (response.type === "opaque" ? "nothing" : "read"),
      () => "nothing",
    ),
    framed: await framed(),
    streamed: await streamed(),
    submitted: await submitted(),
  }
}
