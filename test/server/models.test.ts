import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fileRef, text } from "../build.ts"
import { listen } from "../provider/loopback.ts"
import { writeConfig } from "../session/config.ts"
import { type Door, newSession, openDoor, send } from "./house.ts"

const CATALOG = JSON.stringify({
  anthropic: {
    models: {
      one: {
        id: "claude-sonnet-5-5",
        name: "Claude Sonnet 5.5",
        modalities: { input: ["text", "image"], output: ["text"] },
        limit: { context: 1_000_000, output: 64_000 },
        tool_call: true,
      },
    },
  },
})

interface Listed {
  readonly model_id: string
  readonly context_tokens: number
  readonly input: readonly string[]
  readonly layers: readonly string[]
  readonly revision: string
}

async function sonnet(door: Door): Promise<Listed | undefined> {
  const { body } = await door.ask("get", "/v1/models")
  return (body.models as Listed[]).find(({ model_id }) => model_id === "claude-sonnet-5-5")
}

describe("GET /v1/models", () => {
  it("[BIN-020] tells what is known of each model, by whom, and under which revision", async () => {
    const data = await writeConfig({
      models: [{ provider_id: "anthropic", model_id: "claude-*", context_tokens: 50_000 }],
    })
    const door = await openDoor({ turns: false, data })
    const known = await sonnet(door)
    expect(known).toMatchObject({ api: "anthropic-messages", context_tokens: 50_000 })
    expect(known?.layers).toEqual([expect.stringMatching(/^config-/)])
    expect(known?.revision).toContain(known?.layers[0])
    expect((await door.ask("get", "/v1/models")).body.refreshed).toBeNull()
  })
})

describe("POST /v1/models/refresh", () => {
  it("[BIN-022] asks the catalog and the configured servers, and models change at once", async () => {
    const COMPOSITOR_MODELS_URL = await listen((_, response) => {
      response.writeHead(200, { etag: '"1"' }).end(CATALOG)
    })
    const OLLAMA_HOST = await listen((_, response) => void response.writeHead(500).end())
    const door = await openDoor({
      turns: false,
      environment: { COMPOSITOR_MODELS_URL, OLLAMA_HOST },
    })
    expect((await sonnet(door))?.context_tokens).toBe(200_000)
    const { status, body } = await door.ask("post", "/v1/models/refresh")
    expect([status, body.catalog]).toEqual([200, { type: "updated", reason: null }])
    expect(body.probed).toEqual([
      { provider_id: "ollama", models: 0, error: expect.stringContaining("status 500") },
    ])
    expect(body.refreshed).toMatchObject({ url: COMPOSITOR_MODELS_URL, etag: '"1"' })
    expect(await sonnet(door)).toMatchObject({
      context_tokens: 1_000_000,
      input: ["text", "image"],
    })
  })

  it("says in a sentence that there is no network, and what was known stays known", async () => {
    const door = await openDoor({
      turns: false,
      environment: { COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json" },
    })
    const before = await sonnet(door)
    const { status, body } = await door.ask("post", "/v1/models/refresh")
    expect([status, body.catalog.type]).toEqual([200, "failed"])
    expect(body.catalog.reason).toContain("http://127.0.0.1:9/api.json could not be read")
    expect(await sonnet(door)).toEqual(before)
  })

  it("makes no turn wait while a catalog does not answer", async () => {
    const COMPOSITOR_MODELS_URL = await listen(() => undefined)
    const door = await openDoor({
      environment: { COMPOSITOR_MODELS_URL },
      fresh_models: true,
      script: [{ text: "here" }],
    })
    const session = await newSession(door)
    await send(door, session, "hello?")
    await door.host.idle()
    const { body } = await door.ask("get", `/v1/sessions/${session}/turns`)
    expect(body.turns[0].state).toBe("finished")
  })
})

describe("a dry run", () => {
  async function lowered(door: Door, more: object) {
    const parts = [text("look"), fileRef("a.txt")]
    return (await door.ask("post", "/v1/lower", { json: { message: { parts }, ...more } })).body
  }

  it("[BEY-12] steps files down until the message is within its budget of tokens", async () => {
    const door = await openDoor({ turns: false })
    await writeFile(join(door.workspace, "a.txt"), "a line of text\n".repeat(1000))
    const whole = await lowered(door, {})
    const bounded = await lowered(door, { policy: { budget_tokens: 500 } })
    expect(whole.tokens).toBeGreaterThan(3000)
    expect(bounded.tokens).toBeLessThanOrEqual(500)
    expect(bounded.receipts[1].reason).not.toBe(whole.receipts[1].reason)
    expect(bounded.receipts[0]).toEqual(whole.receipts[0])
  })

  it("tells how full the context would be, with what the session holds already", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    await writeFile(join(door.workspace, "a.txt"), "one\n")
    const session = await newSession(door)
    const { context } = await lowered(door, { session_id: session })
    expect(context).toMatchObject({ limit_tokens: 200_000, exact: false })
    await send(door, session, "word ".repeat(1000))
    await door.host.idle()
    const later = await lowered(door, { session_id: session })
    expect(later.context.used_tokens).toBeGreaterThan(context.used_tokens + 1000)
  })
})
