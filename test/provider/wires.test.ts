import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isOffice } from "../../packages/core/model/media-types.ts"
import type { RemoteWire, Wire } from "../../packages/core/wires/define-wire.ts"
import { findModel, MODELS } from "../../packages/core/wires/models.ts"
import { API_LIMITS, findWire, WIRES } from "../../packages/core/wires/wires.ts"
import { defaultModel, providers } from "../../packages/engine/providers/registry.ts"
import { assistant, collect, textBlock, user } from "../build.ts"
import { callOf, ENVELOPE, show, wordsOf } from "./contract.ts"
import { listen, readRequest } from "./loopback.ts"

// Asks every wire of the table for what `defineWire` promises, so that a new one is asked too.

const NAMED = WIRES.map((wire) => [wire.api, wire] as const)
const REMOTE = NAMED.filter((entry): entry is [string, RemoteWire] => entry[1].runs === "remote")
const TOOL = { name: "my.tool", description: "Do it.", parameters: { properties: { path: {} } } }

function setUp({ example }: RemoteWire, url: string) {
  return { ...example.environment, [example.base_url_variable]: url }
}

/** An empty conversation says what the mirror is; the page has no table. */
const NAMED_BY_THE_PAGE = ['apps/web/thread/empty.tsx: "mirror"']

describe("the table of wires", () => {
  it("has every API and every provider once", () => {
    for (const key of ["api", "provider_id"] as const)
      expect(new Set(WIRES.map((wire) => wire[key])).size).toBe(WIRES.length)
    expect(MODELS).toHaveLength(WIRES.flatMap(({ models }) => models).length)
    expect(findWire("telegraph")).toBeUndefined()
  })

  it("is asked by everybody: no product file outside knows an API or a provider by its name", () => {
    const root = join(import.meta.dirname, "../..")
    const names = WIRES.flatMap(({ api, provider_id }) => [`"${api}"`, `"${provider_id}"`])
    const files = globSync("{packages,apps}/**/*.{ts,tsx}", { cwd: root }).filter(
      (path) => !/node_modules|dist\/|^packages\/core\/wires\//.test(path),
    )
    const known = files.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      return names.filter((name) => text.includes(name)).map((name) => `${path}: ${name}`)
    })
    expect(files.length).toBeGreaterThan(500)
    expect([...new Set(known)]).toEqual(NAMED_BY_THE_PAGE)
  })

  it("agrees with the types of office files that lowering knows", () => {
    const taken = WIRES.flatMap(({ limits }) => limits.media.office?.mimes ?? [])
    const files = taken.filter((mime) => !mime.startsWith("text/"))
    expect(files.filter((mime) => !isOffice(mime))).toEqual([])
    expect(files.length).toBeGreaterThan(0)
  })
})

describe.each(NAMED)("the wire %s", (api, wire: Wire) => {
  it("has models of its own, of which the first is the default", () => {
    const { provider_id, models, limits } = wire
    for (const model of models) expect(model).toMatchObject({ provider_id, api })
    expect(findModel({ provider_id, model_id: provider_id })).toBe(models[0])
    expect(findModel({ provider_id, model_id: "of tomorrow" })).toMatchObject({ api })
    expect(API_LIMITS[api]).toBe(limits)
  })

  it("puts what is said, its tools and a fold of it into a body of JSON", async () => {
    const said = [user(textBlock("How are you?")), assistant(textBlock("Well."))]
    const messages = said.map((message) => wire.encode(message, "some-model"))
    const envelope = { ...ENVELOPE, tools: [TOOL] }
    const text = await show(wire.body(envelope, messages))
    const body = JSON.stringify(JSON.parse(text))
    for (const words of ["How are you?", "Well.", "Be kind.", "Do it."])
      expect(body).toContain(words)
    expect(body).toContain(JSON.stringify(wire.encodeTool(TOOL)).slice(1, -1))
    if (wire.fold) expect(await show(wire.body(envelope, [wire.fold(messages)]))).toBe(text)
  })
})

describe.each(REMOTE)("the wire %s over HTTP", (api, wire) => {
  const { example, provider_id } = wire

  it("has a suite of its own", () => {
    const [name] = api.split("/")
    expect(existsSync(join(import.meta.dirname, `${name}.test.ts`))).toBe(true)
  })

  it("is set up by its environment, and by nothing else", () => {
    const environment = setUp(wire, "http://localhost:9/v1")
    expect(providers(environment).get(provider_id)?.api).toBe(api)
    expect(findModel(defaultModel(environment))?.api).toBeDefined()
    expect(wire.setup({})).toEqual([])
    const [connection] = wire.setup(environment)
    expect(connection?.base_url).toBe("http://localhost:9/v1")
  })

  it("answers a call at the address that it was set up with", async () => {
    const asked: { url: string | undefined; body: unknown }[] = []
    const url = await listen(async (request, response) => {
      const { url: path, body } = await readRequest(request)
      asked.push({ url: path, body: JSON.parse(body.toString()) })
      response.writeHead(200, { "content-type": example.answer.type }).end(example.answer.bytes)
    })
    const provider = providers(setUp(wire, url)).get(provider_id)
    if (!provider) throw new Error(`${provider_id} is not set up`)
    const call = callOf(provider, [user(textBlock("hi"))])
    const events = await collect(provider.stream(call))
    expect(wordsOf(events)).toBe("Hello.")
    expect(events.at(-1)).toEqual({ type: "end", reason: "stop" })
    expect(events.filter(({ type }) => type === "usage")).toHaveLength(1)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.body).toEqual(JSON.parse(await show(wire.body(call.envelope, call.messages))))
  })

  it("reads its way of saying no", async () => {
    const { body, facts } = example.refusal
    expect(wire.readRefusal(body)).toEqual(facts)
    const url = await listen(async (request, response) => {
      await readRequest(request)
      response.writeHead(404).end(JSON.stringify(body))
    })
    const provider = providers(setUp(wire, url)).get(provider_id)
    if (!provider) throw new Error(`${provider_id} is not set up`)
    const { code, message } = facts
    expect(await collect(provider.stream(callOf(provider, [user(textBlock("hi"))])))).toEqual([
      expect.objectContaining({ type: "error", code, message, retryable: false }),
    ])
  })
})
