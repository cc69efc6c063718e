import { MaterializedState } from "@durable-streams/state"
import { createStateSchema, createStreamDB } from "@durable-streams/state/db"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import {
  readStream,
  type RowEvent,
  type StreamBatch,
  StreamRows,
} from "../../packages/client/stream.ts"
import { type AnyDefinition, defineEntity } from "../../packages/engine/entities/definition.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { parseOffset } from "../../packages/engine/streams/offset.ts"
import { temporaryFolder } from "../build.ts"
import { input } from "../entity/house.ts"
import { until } from "../session/house.ts"

const Command = z.object({
  op: z.enum(["register", "unregister", "replace"]),
  name: z.string(),
  description: z.string(),
})

/** Changes its own commands as it is told to. */
const PUPPET = defineEntity({
  type: "puppet",
  slashCommands: [
    { name: "alpha", description: "declared" },
    { name: "beta", arguments: [{ name: "count", type: "number", required: true }] },
  ],
  inbox: { command: Command },
  state: { notes: { schema: z.object({ id: z.string(), text: z.string() }), primaryKey: "id" } },
  handler: async (ctx) => {
    if (ctx.wake.type !== "inbox" || ctx.wake.message.message_type !== "command") return
    const { op, name, description } = ctx.wake.message.payload
    if (op === "register") await ctx.slashCommands.register({ name, description })
    if (op === "unregister") await ctx.slashCommands.unregister(name)
    if (op === "replace") await ctx.slashCommands.replaceOwned("loader", [{ name, description }])
    await ctx.db.collections.notes.upsert({ id: name, text: description })
  },
})

async function serving(entities: readonly AnyDefinition[] = [PUPPET]): Promise<Running> {
  const model = scriptedProvider([{ text: "o" }, { text: "k", delay_ms: 120 }])
  const running = await serve({
    data: await temporaryFolder(),
    workspace: null,
    environment: {},
    extent: "bare",
    entities,
    providers: new Map([[model.id, model]]),
  })
  onTestFinished(() => running.close())
  return running
}

async function ask({ url, token }: Running, method: string, path: string, json?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  return { response, text: await response.text() }
}

async function askJson(running: Running, method: string, path: string, json?: unknown) {
  const { response, text } = await ask(running, method, path, json)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** An unmodified StreamDB over an entity's stream. */
async function database(running: Running, path: string) {
  const db = createStreamDB({
    streamOptions: {
      url: `${running.url}${path}`,
      contentType: "application/json",
      headers: { authorization: `Bearer ${running.token}` },
    },
    state: createStateSchema({
      slashCommands: { schema: z.looseObject({}), type: "slash_command", primaryKey: "key" },
      inbox: { schema: z.looseObject({}), type: "inbox", primaryKey: "key" },
      notes: { schema: z.looseObject({}), type: "notes", primaryKey: "id" },
    }),
  })
  onTestFinished(() => db.close())
  await db.preload()
  return db
}

async function allOf(running: Running, path: string): Promise<StreamBatch[]> {
  const { url, token } = running
  const batches: StreamBatch[] = []
  for await (const batch of readStream({ url, token, path, live: false })) batches.push(batch)
  return batches
}

type Rows = Iterable<Readonly<Record<string, unknown>>>

/** By key, without what a reader adds. */
function plain(rows: Rows) {
  const all = [...rows].map(
    (row): Readonly<Record<string, unknown>> =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !/^(?:_seq|\$.*)$/.test(name))),
  )
  return all.toSorted((one, other) =>
    String(one.key ?? one.id) < String(other.key ?? other.id) ? -1 : 1,
  )
}

describe("rows as Durable Streams", () => {
  it("[EA-012][EA-015] shows an unmodified StreamDB what can be typed and what was sent, as it changes", async () => {
    const running = await serving()
    await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const db = await database(running, "/v1/stream/entities/puppet/one")
    const { slashCommands, inbox } = db.collections
    expect([...slashCommands.keys()].toSorted()).toEqual(["alpha", "beta"])
    const register = { op: "register", name: "alpha", description: "learnt" }
    const { txid, key } = await askJson(running, "POST", "/v1/entities/puppet/one/send", {
      type: "command",
      payload: register,
    })
    await db.utils.awaitTxId(txid)
    expect(inbox.get(key)).toMatchObject({ key, message_type: "command", payload: register })
    await until(() => slashCommands.get("alpha")?.source === "dynamic")
    expect(slashCommands.get("alpha")).toMatchObject({
      name: "alpha",
      description: "learnt",
      owner: "handler",
      dynamic_layers: [{ name: "alpha", description: "learnt", owner: "handler" }],
    })
    const off = { op: "unregister", name: "alpha", description: "" }
    await askJson(running, "POST", "/v1/entities/puppet/one/send", {
      type: "command",
      payload: off,
    })
    await until(() => slashCommands.get("alpha")?.source === "static")
    expect(slashCommands.get("alpha")).toMatchObject({ description: "declared" })
    await until(() => [...inbox.values()].every(({ status }) => status === "processed"))
  })

  it("[EA-015] is read alike by StreamDB, MaterializedState and our reader, whatever happened", async () => {
    const running = await serving()
    const step = fc.oneof(
      fc.record({
        op: fc.constantFrom("register", "unregister", "replace"),
        name: fc.constantFrom("alpha", "beta", "gamma", "delta"),
        description: fc.constantFrom("one", "two", "three"),
      }),
      fc.record({
        source: fc.string({ maxLength: 20 }),
        mode: fc.constantFrom("queued", "paused"),
      }),
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const id = `run-${++run}`
        const path = `/v1/stream/entities/puppet/${id}`
        await askJson(running, "PUT", `/v1/entities/puppet/${id}`, {})
        const db = await database(running, path)
        let txid = ""
        const held: string[] = []
        for (const one of steps) {
          const body =
            "op" in one
              ? { type: "command", payload: one, mode: "immediate" }
              : { type: "composer_input", payload: { source: one.source }, mode: one.mode }
          const sent = await askJson(running, "POST", `/v1/entities/puppet/${id}/send`, body)
          txid = sent.txid
          if (body.mode === "paused") held.push(sent.key)
        }
        // Some of what is held is dropped, the rest let go.
        for (const [at, key] of held.entries())
          txid = (
            await (at % 2 === 0
              ? askJson(running, "DELETE", `/v1/entities/puppet/${id}/inbox/${key}`)
              : askJson(running, "PATCH", `/v1/entities/puppet/${id}/inbox/${key}`, {
                  mode: "queued",
                }))
          ).txid
        const { session_id } = (await askJson(running, "GET", `/v1/entities/puppet/${id}`)).entity
        await until(async () => {
          const turn = await running.host.store.latestTurn(session_id)
          return turn?.ended_at !== null && (await running.host.store.queuedCount(session_id)) === 0
        })
        await db.utils.awaitTxId(txid)
        const batches = await allOf(running, path)
        const { next_seq } = await running.host.store.head(session_id)
        expect(parseOffset(batches.at(-1)?.offset ?? "")).toBe(next_seq)
        const state = new MaterializedState()
        const rows = new StreamRows()
        for (const { items } of batches) {
          state.applyBatch(items as Parameters<MaterializedState["applyBatch"]>[0])
          rows.apply(items)
        }
        const named = {
          slash_command: db.collections.slashCommands,
          inbox: db.collections.inbox,
          notes: db.collections.notes,
        }
        for (const [type, collection] of Object.entries(named)) {
          const expected = plain(state.getType(type).values() as unknown as Rows)
          await expect.poll(() => plain(collection.values() as Rows)).toEqual(expected)
          expect(plain(rows.rows(type))).toEqual(expected)
        }
        const commands = await running.host.store.slashCommands(session_id)
        expect(plain(rows.rows("slash_command"))).toEqual(plain(commands as unknown as Rows))
        const events = batches.flatMap(({ items }) => items as RowEvent[])
        expect(events.every(({ headers }) => OPERATIONS.includes(headers.operation))).toBe(true)
        db.close()
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  it("[PER-014] tells a session's own rows alike to both, and a turn's words on a stream of its own", async () => {
    const running = await serving()
    const { session } = await askJson(running, "POST", "/v1/sessions", { model: "scripted" })
    const path = `/v1/stream/sessions/${session.id}`
    const collection = (type: string) => ({ schema: z.looseObject({}), type, primaryKey: "id" })
    const types = ["session", "message", "part", "turn", "status"]
    const db = createStreamDB({
      streamOptions: {
        url: `${running.url}${path}`,
        contentType: "application/json",
        headers: { authorization: `Bearer ${running.token}` },
      },
      state: createStateSchema(Object.fromEntries(types.map((type) => [type, collection(type)]))),
    })
    onTestFinished(() => db.close())
    await db.preload()
    for (const message of ["one", "two"])
      await askJson(running, "POST", `/v1/sessions/${session.id}/messages`, { message })
    await running.host.idle()
    const state = new MaterializedState()
    for (const { items } of await allOf(running, path))
      state.applyBatch(items as Parameters<MaterializedState["applyBatch"]>[0])
    for (const type of types) {
      const expected = [...state.getType(type)].map(([id, row]) => ({ ...(row as object), id }))
      const rows = () => plain(db.collections[type]?.values() as unknown as Rows)
      await expect.poll(rows).toEqual(plain(expected as Rows))
    }
    const [turn] = await running.host.store.turns(session.id)
    const [batch] = await allOf(running, `/v1/stream/turns/${turn?.id}`)
    expect(batch?.closed).toBe(true)
    const deltas = (batch?.items ?? []) as RowEvent[]
    expect(deltas[0]).toMatchObject({ type: "delta", value: { text: "o", offset: 0 } })
  })

  it("stamps offset and txid on every event, and pairs data with control", async () => {
    const running = await serving()
    await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const batches = await allOf(running, "/v1/stream/entities/puppet/one")
    const events = batches.flatMap(({ items }) => items as RowEvent[])
    for (const [at, { headers }] of events.entries()) {
      expect(headers.offset).toMatch(/^\d{16}_\d{16}$/)
      expect(parseOffset(headers.offset ?? "")).toBe(at + 1)
      expect(headers.txid).toMatch(/./)
    }
    const { url, token } = running
    const response = await fetch(`${url}/v1/stream/entities/puppet/one?offset=-1&live=sse`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()
    const names = new TextDecoder().decode(value).match(/(?<=^event: ).*/gm) ?? []
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((_, at) => at % 2 === 0).every((name) => name === "data")).toBe(true)
    expect(names.filter((_, at) => at % 2 === 1).every((name) => name === "control")).toBe(true)
  })

  it("gives the same tag only to the same bytes, and 304 for what did not change", async () => {
    const running = await serving()
    const { entity } = await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const path = `/v1/stream/sessions/${entity.session_id}`
    await until(
      async () => (await running.host.store.latestTurn(entity.session_id))?.ended_at != null,
    )
    const first = await ask(running, "GET", path)
    const tag = first.response.headers.get("etag") ?? ""
    expect(first.response.headers.get("cache-control")).toBe("private, no-cache")
    const again = await fetch(`${running.url}${path}`, {
      headers: { authorization: `Bearer ${running.token}`, "if-none-match": tag },
    })
    expect(again.status).toBe(304)
    const sent = { ...input("hello"), mode: "paused" }
    const { key } = await askJson(running, "POST", "/v1/entities/puppet/one/send", sent)
    const told = await ask(
      running,
      "GET",
      `${path}?offset=${first.response.headers.get("stream-next-offset")}`,
    )
    await askJson(running, "PATCH", `/v1/entities/puppet/one/inbox/${key}`, { position: "zzz" })
    const later = await ask(
      running,
      "GET",
      `${path}?offset=${first.response.headers.get("stream-next-offset")}`,
    )
    expect(told.response.headers.get("etag")).not.toBe(later.response.headers.get("etag"))
  })

  it("may only be read there", async () => {
    const running = await serving()
    const { entity } = await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const path = `/v1/stream/sessions/${entity.session_id}`
    for (const method of ["PUT", "POST", "DELETE"])
      expect((await ask(running, method, path)).response.status).toBe(405)
    const head = await ask(running, "HEAD", path)
    expect(head.response.headers.get("content-type")).toBe("application/json")
    expect((await ask(running, "GET", "/v1/stream/sessions/ses_nobody")).response.status).toBe(404)
    expect((await ask(running, "HEAD", "/v1/stream/entities/puppet/nobody")).response.status).toBe(
      404,
    )
  })

  it("tells a reader to forget what it has when the stream began anew", async () => {
    const running = await serving()
    const { entity } = await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const { session_id } = entity
    const { key } = await askJson(running, "POST", "/v1/entities/puppet/one/send", input("secret"))
    await until(async () => (await running.host.store.queuedCount(session_id)) === 0)
    await until(async () => (await running.host.store.latestTurn(session_id))?.ended_at != null)
    const path = `/v1/stream/entities/puppet/one`
    const before = (await allOf(running, path)).at(-1)?.offset ?? ""
    await running.host.purgeMessage(session_id, key)
    const rest = await ask(running, "GET", `${path}?offset=0000000000000000_0000000000000001`)
    const [first] = JSON.parse(rest.text)
    expect(first.headers.control).toBe("reset")
    expect(rest.text).not.toContain("secret")
    const anew = new StreamRows()
    anew.apply(JSON.parse(rest.text))
    expect(anew.rows("slash_command").map(({ name }) => name)).toEqual(["alpha", "beta"])
    expect(anew.rows("entity")).toHaveLength(1)
    expect((await allOf(running, path)).at(-1)?.offset ?? "").not.toBe(before)
  })

  it("is closed when its entity is killed, and every reader hears it", async () => {
    const running = await serving()
    await askJson(running, "PUT", "/v1/entities/puppet/one", {})
    const { url, token } = running
    const path = "/v1/stream/entities/puppet/one"
    const heard: StreamBatch[] = []
    const reading = (async () => {
      for await (const batch of readStream({ url, token, path })) heard.push(batch)
    })()
    await until(() => heard.length > 0)
    await askJson(running, "DELETE", "/v1/entities/puppet/one")
    await reading
    expect(heard.at(-1)?.closed).toBe(true)
    const rows = new StreamRows()
    for (const { items } of heard) rows.apply(items)
    expect(rows.rows("entity")[0]?.killed_at).toBeTypeOf("number")
    const refused = await ask(running, "POST", "/v1/entities/puppet/one/send", input("hello"))
    expect(refused.response.status).toBe(409)
  })

  it("goes on over a server that was away", async () => {
    const data = await temporaryFolder()
    const options = {
      data,
      workspace: null,
      environment: {},
      extent: "bare",
      entities: [PUPPET],
    } as const
    const first = await serve(options)
    await askJson(first, "PUT", "/v1/entities/puppet/one", {})
    const port = Number(new URL(first.url).port)
    const stop = new AbortController()
    const rows = new StreamRows()
    const { url, token } = first
    const path = "/v1/stream/entities/puppet/one"
    const reading = (async () => {
      for await (const { items } of readStream({
        url,
        token,
        path,
        signal: stop.signal,
        pause_ms: 20,
      }))
        rows.apply(items)
    })().catch(() => undefined)
    await until(() => rows.rows("slash_command").length === 2)
    await first.close()
    const second = await serve({ ...options, port })
    onTestFinished(() => second.close())
    const sent = { type: "command", payload: { op: "register", name: "omega", description: "!" } }
    await askJson(second, "POST", "/v1/entities/puppet/one/send", sent)
    await until(() => rows.get("slash_command", "omega") !== undefined)
    stop.abort()
    await reading
  })
})

const OPERATIONS = ["insert", "update", "delete"]
