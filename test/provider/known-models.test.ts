import { readdir, readFile, writeFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { KnownModels } from "../../packages/engine/providers/known-models.ts"
import { readCatalog } from "../../packages/engine/providers/models-dev.ts"
import { temporaryFolder } from "../build.ts"
import { listen } from "./loopback.ts"

const ENTRY = {
  id: "claude-sonnet-5-5",
  name: "Claude Sonnet 5.5",
  attachment: true,
  reasoning: true,
  reasoning_options: [{ type: "effort", values: ["low", "high"] }],
  tool_call: true,
  modalities: { input: ["text", "image", "pdf", "smell"], output: ["text"] },
  limit: { context: 1_000_000, output: 128_000 },
  cost: { input: 2, output: 10 },
}

function catalog(...models: readonly object[]): string {
  const listed = Object.fromEntries(models.map((model, index) => [String(index), model]))
  return JSON.stringify({ anthropic: { id: "anthropic", models: listed }, nobody: { models: {} } })
}

describe("readCatalog", () => {
  const facts = (...models: readonly object[]) => readCatalog(catalog(ENTRY, ...models)).slice(1)

  it("reads what concerns us of a model", () =>
    expect(readCatalog(catalog(ENTRY))).toEqual([
      {
        provider_id: "anthropic",
        model_id: "claude-sonnet-5-5",
        name: "Claude Sonnet 5.5",
        input: ["text", "image", "pdf"],
        context_tokens: 1_000_000,
        output_tokens: 128_000,
        tools: true,
        thinking: ["effort"],
        price: { input: 2, output: 10 },
      },
    ]))

  it("leaves out what it cannot use: other outputs, the deprecated, the damaged", () =>
    expect(
      facts(
        { ...ENTRY, modalities: { input: ["text"], output: ["image"] } },
        { ...ENTRY, status: "deprecated" },
        { ...ENTRY, id: 7 },
        { ...ENTRY, modalities: undefined },
        { ...ENTRY, limit: { context: -1, output: 1 } },
      ),
    ).toEqual([]))

  it("takes a limit of nothing for a gap, and tools in either form", () => {
    const [model] = facts({
      ...ENTRY,
      tool_call: { supported: false },
      limit: { context: 0, output: 0 },
      reasoning: false,
    })
    expect(model).toMatchObject({ tools: false, thinking: [] })
    expect(model).not.toHaveProperty("context_tokens", expect.anything())
  })

  it("refuses what is not the catalog", () => {
    expect(() => readCatalog("<html>")).toThrow()
    expect(() => readCatalog("[]")).toThrow()
    expect(() => readCatalog('{ "anthropic": { "models": {} } }')).toThrow("no model in it")
  })
})

describe("KnownModels", () => {
  const sonnet = { provider_id: "anthropic", model_id: "claude-sonnet-5-5" }
  const DAY = 24 * 60 * 60 * 1000

  /** A folder, a catalog that can be changed, and a clock. */
  async function world(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const file = join(await temporaryFolder(), "cache", "models.json")
    let asked = 0
    const url = await listen((request, response) => {
      asked += 1
      answer(request, response)
    })
    const clock = { now: 1_000_000 }
    const open = () => KnownModels.open({ file, url, now: () => clock.now })
    return { file, clock, open, asked: () => asked }
  }

  function served(text: string, etag: string) {
    return (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers["if-none-match"] === etag) response.writeHead(304).end()
      else response.writeHead(200, { etag }).end(text)
    }
  }

  it("[BIN-022] is refreshed from the catalog, and keeps it for the next start", async () => {
    const { open, file, clock } = await world(served(catalog(ENTRY), '"one"'))
    const models = await open()
    expect(models.find(sonnet)?.context_tokens).toBe(200_000)
    expect(models.refreshed).toBeNull()
    const before = models.find(sonnet)
    expect((await models.refresh()).type).toBe("updated")
    expect(models.find(sonnet)?.context_tokens).toBe(1_000_000)
    expect(models.refreshed).toMatchObject({ etag: '"one"', fetched_at: clock.now })
    const after = models.find(sonnet)
    expect(before && after && models.capabilities(after).revision).toContain("/refreshed-")
    expect((await open()).find(sonnet)).toEqual(after)
    expect(await readdir(join(file, ".."))).toEqual(["models.json"])
  })

  it("asks once a day, by the tag of what it has", async () => {
    const { open, clock, asked } = await world(served(catalog(ENTRY), '"one"'))
    const models = await open()
    await models.refreshIfDue()
    await models.refreshIfDue()
    expect(asked()).toBe(1)
    clock.now += DAY
    expect((await models.refresh(false)).type).toBe("unchanged")
    expect(models.refreshed).toMatchObject({ fetched_at: 1_000_000, checked_at: clock.now })
    expect((await models.refresh(false)).type).toBe("recent")
    expect((await (await open()).refresh(false)).type).toBe("recent")
    expect(asked()).toBe(2)
  })

  it("keeps what it has when there is no network, nonsense, or too much", async () => {
    let answer = served(catalog(ENTRY), '"one"')
    const { open, clock, asked, file } = await world((request, response) =>
      answer(request, response),
    )
    const models = await open()
    await models.refresh()
    const kept = await readFile(file, "utf8")
    for (const failing of [
      (request: IncomingMessage) => void request.socket.destroy(),
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(500).end(),
      (_: IncomingMessage, response: ServerResponse) => void response.end("<html>"),
      (_: IncomingMessage, response: ServerResponse) =>
        void response.end("x".repeat(33 * 1024 * 1024)),
    ]) {
      answer = failing
      const outcome = await models.refresh()
      expect(outcome).toMatchObject({
        type: "failed",
        reason: expect.stringContaining("could not be"),
      })
    }
    expect(models.find(sonnet)?.context_tokens).toBe(1_000_000)
    expect(await readFile(file, "utf8")).toBe(kept)
    clock.now += DAY
    const before = asked()
    await models.refresh()
    await models.refreshIfDue()
    expect(asked()).toBe(before + 1)
  })

  it("does not mind a file that is damaged", async () => {
    const { open, file } = await world(served(catalog(ENTRY), '"one"'))
    await (await open()).refresh()
    for (const text of ["", "{", '{"version":2}', '{"version":1,"models":7}']) {
      await writeFile(file, text)
      expect((await open()).find(sonnet)?.context_tokens).toBe(200_000)
    }
  })

  it("refreshes one at a time, and answers meanwhile", async () => {
    const { open, asked } = await world(served(catalog(ENTRY), '"one"'))
    const models = await open()
    const both = [models.refresh(), models.refresh()]
    expect(models.find(sonnet)?.context_tokens).toBe(200_000)
    await Promise.all(both)
    expect(asked()).toBe(1)
  })

  it("knows the embedded models where there is no folder", async () => {
    const models = new KnownModels()
    expect((await models.refresh()).type).toBe("failed")
    await models.refreshIfDue()
    expect(models.models.length).toBeGreaterThan(10)
  })
})
