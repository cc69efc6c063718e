import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { type AnyDefinition, defineEntity } from "../../packages/engine/entities/definition.ts"
import type { EntityContext } from "../../packages/engine/entities/context.ts"
import { skillsLoader } from "../../packages/engine/entities/skills-loader.ts"
import { temporaryFolder } from "../build.ts"
import { openDoor } from "../server/house.ts"
import { gate, until } from "../session/house.ts"
import { type EntityHouse, entityHouse, input, LOADER, writeSkills } from "./house.ts"

type Handler = (ctx: EntityContext) => Promise<void>

/** An entity whose handler is the test's own, and what it answered when it was done. */
async function handled(handler: Handler, more: Partial<AnyDefinition> = {}) {
  const faults: unknown[] = []
  const definition = defineEntity({
    type: "own",
    ...more,
    handler: (ctx) =>
      handler(ctx as unknown as EntityContext).catch((error: unknown) => {
        faults.push(error)
        throw error
      }),
  })
  const house = await entityHouse([definition], { script: [{ text: "the answer" }] })
  const id = await house.spawn("/own/a")
  await settled(house, id)
  return { house, id, faults }
}

function settled({ host }: Pick<EntityHouse, "host">, id: string) {
  return until(async () => {
    const turn = await host.store.latestTurn(id)
    return turn?.ended_at !== null && (await host.store.queuedCount(id)) === 0
  })
}

async function commandsOf({ host }: Pick<EntityHouse, "host">, id: string) {
  const rows = await host.store.slashCommands(id)
  return rows.map(({ name, source, description }) => [name, source, description])
}

const onInbox =
  (handler: Handler): Handler =>
  async (ctx) => {
    if (ctx.wake.type === "inbox") await handler(ctx)
  }

describe("slash commands", () => {
  it("[EA-011][EA-012] are there when the entity is, and follow its definition", async () => {
    const data = join(await temporaryFolder(), "data")
    const one = defineEntity({ type: "own", slashCommands: [{ name: "old" }, { name: "both" }] })
    const first = await entityHouse([one], { data })
    const id = await first.spawn("/own/a")
    expect(await commandsOf(first, id)).toEqual([
      ["both", "static", undefined],
      ["old", "static", undefined],
    ])
    await settled(first, id)
    await first.host.close()
    const two = defineEntity({
      type: "own",
      slashCommands: [{ name: "both", description: "changed" }, { name: "new" }],
    })
    const second = await entityHouse([two], { data })
    await until(async () => (await commandsOf(second, id))[0]?.[2] === "changed")
    expect(await commandsOf(second, id)).toEqual([
      ["both", "static", "changed"],
      ["new", "static", undefined],
    ])
  })

  it("[EA-013] learnt ones hide declared ones until they are forgotten; the last owner wins", async () => {
    const seen: (string | undefined)[] = []
    const { house, id } = await handled(
      onInbox(async ({ slashCommands }) => {
        const note = () => seen.push(slashCommands.get("go")?.description)
        await slashCommands.register({ name: "go", description: "by the handler" })
        note()
        await slashCommands.register({ name: "go", description: "by another" }, { owner: "other" })
        note()
        await slashCommands.unregister("go")
        note()
        await slashCommands.replaceOwned("handler", [])
        note()
        await slashCommands.unregister("go")
        note()
      }),
      { slashCommands: [{ name: "go", description: "declared" }] },
    )
    await house.send("/own/a", input("hello"))
    await settled(house, id)
    expect(seen).toEqual(["by the handler", "by another", "by the handler", "declared", "declared"])
    const events = await house.host.store.events(id, 0, 1000)
    const told = events.filter(({ type }) => type === "slash_command")
    expect(told.map(({ headers, value }) => [headers.operation, value?.description])).toEqual([
      ["insert", "declared"],
      ["update", "by the handler"],
      ["update", "by another"],
      ["update", "by the handler"],
      ["delete", undefined],
      ["insert", "declared"],
    ])
  })

  it("[EA-014] 20 unchanged skills over 100 wakes tell nothing after the first, in under 1 ms at the median", async () => {
    const workspace = join(await temporaryFolder(), "workspace")
    await writeSkills(
      workspace,
      Array.from({ length: 20 }, (_, at) => `skill-${at}`),
    )
    const times: number[] = []
    const timed = defineEntity({
      type: "timed",
      handler: async (ctx) => {
        const began = performance.now()
        await skillsLoader(ctx)
        times.push(performance.now() - began)
      },
    })
    const house = await entityHouse([timed], { workspace })
    const id = await house.spawn("/timed/a")
    await settled(house, id)
    const commands = async () =>
      (await house.host.store.events(id, 0, 100_000)).filter(({ type }) => type === "slash_command")
    expect(await commands()).toHaveLength(20)
    for (let wake = 0; wake < 100; wake++) {
      await house.send("/timed/a", { type: "message", payload: `wake ${wake}` })
      await settled(house, id)
    }
    expect(times).toHaveLength(101)
    expect(await commands()).toHaveLength(20)
    const idle = times.slice(1).toSorted((one, other) => one - other)
    expect(idle[50]).toBeLessThan(1)
  })

  it("[EA-033] a command that fails is an error of the turn, which everyone sees", async () => {
    const { house, id } = await handled(
      onInbox(async () => {
        throw new Error("/deploy needs a target")
      }),
      { slashCommands: [{ name: "deploy" }] },
    )
    await house.send("/own/a", input("/deploy"))
    await settled(house, id)
    const turn = await house.host.store.latestTurn(id)
    expect(turn).toMatchObject({ state: "error", error: { message: "/deploy needs a target" } })
  })
})

describe("context", () => {
  it("[EA-030] reaches the model with its provenance kept beside it, and can be removed", async () => {
    const listed: unknown[] = []
    const { house, id } = await handled(
      onInbox(async (ctx) => {
        const metadata = { source: "composer_input", command: "search", query: "sheep" }
        await ctx.insertContext({
          type: "note",
          title: "gone",
          content: "never seen",
          metadata: {},
        })
        await ctx.insertContext({ type: "search_result", title: "Sheep", content: "old", metadata })
        await ctx.insertContext({
          type: "search_result",
          title: "Sheep",
          content: "seven",
          metadata,
        })
        expect(await ctx.removeContext({ type: "note", title: "gone" })).toBe(true)
        listed.push(...(await ctx.listContext()))
        await ctx.agent()
      }),
    )
    await house.send("/own/a", { type: "message", payload: "count" })
    await settled(house, id)
    expect(listed).toMatchObject([
      { type: "search_result", title: "Sheep", content: "seven", metadata: { query: "sheep" } },
    ])
    const said = JSON.stringify(house.model.calls[0]?.prompt)
    expect(said).toContain("seven")
    expect(said).not.toMatch(/never seen|old/)
    const { messages } = await house.host.store.history(id, { limit: 9 })
    const part = messages
      .flatMap(({ parts }) => parts)
      .find(({ type }) => type === "editor-context")
    expect(part?.data.context).toMatchObject({
      type: "search_result",
      metadata: { command: "search" },
    })
  })

  it("[EA-031][CMP-062] the built-in assistant publishes skills and loads them by their commands", async () => {
    const workspace = join(await temporaryFolder(), "workspace")
    await writeSkills(workspace, ["alpha"])
    const house = await entityHouse([defineEntity({ type: "assistant" })], {
      workspace,
      script: [{ text: "ok" }],
    })
    const id = await house.spawn("/assistant/a")
    await settled(house, id)
    expect(await commandsOf(house, id)).toEqual([["alpha", "dynamic", "What alpha is for."]])
    expect(house.model.calls).toHaveLength(0)
    await house.send("/assistant/a", input("/alpha one"))
    await settled(house, id)
    const { messages } = await house.host.store.history(id, { limit: 9 })
    const skills = messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === "skill-content")
    expect(skills).toHaveLength(1)
    expect(JSON.stringify(house.model.calls[0]?.prompt)).not.toContain("/alpha")
  })
})

describe("a handler", () => {
  it("[EA-035] that died does again what it did, and it is done once", async () => {
    const data = join(await temporaryFolder(), "data")
    const door = gate()
    let runs = 0
    const counting = (stuck: boolean) =>
      defineEntity({
        type: "own",
        slashCommands: [{ name: "go" }],
        state: {
          counts: { schema: z.object({ id: z.string(), n: z.number() }), primaryKey: "id" },
        },
        handler: async (ctx) => {
          if (ctx.wake.type !== "inbox") return
          runs++
          const { counts } = ctx.db.collections
          await counts.upsert({ id: "a", n: ((await counts.get("a"))?.n ?? 0) + 1 })
          await ctx.insertContext({ type: "note", title: "t", content: `run ${runs}` })
          await ctx.send("/sink/s", { type: "message", payload: `from run ${runs}` })
          await ctx.spawn("/sink/child", { initialMessage: { type: "message", payload: "born" } })
          const answer = await ctx.agent()
          await counts.upsert({ id: answer.text, n: 1 })
          if (stuck) await door.wait
        },
      })
    const heard: unknown[] = []
    const sink = defineEntity({
      type: "sink",
      handler: async ({ wake }) => {
        if (wake.type === "inbox") heard.push(wake.message.payload)
      },
    })
    const script = [{ text: "said" }]
    const first = await entityHouse([counting(true), sink], { data, script })
    await first.spawn("/sink/s")
    const id = await first.spawn("/own/a")
    await first.send("/own/a", input("/go"))
    await until(async () => (await first.host.store.entityRows(id, "counts")).length === 2)
    await first.host.close()
    const second = await entityHouse([counting(false), sink], { data, script, lease_ms: 50 })
    await settled(second, id)
    expect(runs).toBe(2)
    const counts = await second.host.store.entityRows(id, "counts")
    expect(counts.map(({ value }) => value)).toEqual([
      { id: "a", n: 1 },
      { id: "said", n: 1 },
    ])
    expect(heard.map(String).toSorted()).toEqual(["born", "from run 1"])
    expect(second.model.calls).toHaveLength(0)
    const { messages } = await second.host.store.history(id, { limit: 99 })
    const texts = messages.flatMap(({ parts }) =>
      parts.map(({ data: part }) => JSON.stringify(part)),
    )
    expect(texts.filter((text) => text.includes("run 1"))).toHaveLength(1)
    expect(texts.filter((text) => text.includes("run 2"))).toHaveLength(0)
    door.open()
  })

  it("[EA-013] keeps typed rows that readers see, and refuses one that does not fit", async () => {
    const { house, id, faults } = await handled(
      onInbox(async (ctx) => {
        const todos = ctx.db.collections.todos as never as {
          insert(row: object): Promise<void>
          update(key: string, change: (row: object) => object): Promise<void>
          delete(key: string): Promise<void>
        }
        await todos.insert({ id: "1", text: "write" })
        await todos.update("1", (row) => ({ ...row, text: "write" }))
        await todos.update("1", (row) => ({ ...row, text: "read" }))
        await todos.insert({ id: "2", text: "gone" })
        await todos.delete("2")
        await todos.insert({ id: "3", text: 7 })
      }),
      {
        state: {
          todos: {
            type: "todo",
            schema: z.object({ id: z.string(), text: z.string() }),
            primaryKey: "id",
          },
        },
      },
    )
    await house.send("/own/a", input("go"))
    await settled(house, id)
    expect(String(faults[0])).toContain("the row does not fit todos: /text")
    const events = (await house.host.store.events(id, 0, 999)).filter(({ type }) => type === "todo")
    expect(events.map(({ headers, key }) => `${headers.operation} ${key}`)).toEqual([
      "insert 1",
      "update 1",
      "insert 2",
      "delete 2",
    ])
  })

  it("[EA-020] is woken when an entity that it observes is done, and when its rows change", async () => {
    const wakes: unknown[] = []
    const watcher = defineEntity({
      type: "watcher",
      handler: async (ctx) => {
        if (ctx.wake.type === "spawn") {
          await ctx.observe("/worker/a")
          const { entity } = await ctx.observe("/worker/b", { collections: ["state"] })
          expect(entity.url).toBe("/worker/b")
        }
        if (ctx.wake.type === "observation")
          wakes.push([ctx.wake.entity.id, ctx.wake.changes.map(({ type }) => type)])
      },
    })
    const row = { schema: z.object({ id: z.string() }), primaryKey: "id" }
    const worker = defineEntity({
      type: "worker",
      state: { state: row, other: row },
      handler: async (ctx) => {
        if (ctx.wake.type !== "inbox") return
        await ctx.db.collections.other.upsert({ id: "1" })
        if (ctx.wake.message.payload === "change")
          await ctx.db.collections.state.insert({ id: "1" })
      },
    })
    const house = await entityHouse([watcher, worker])
    const ids = [await house.spawn("/worker/a"), await house.spawn("/worker/b")]
    for (const id of ids) await settled(house, id)
    const id = await house.spawn("/watcher/w")
    await settled(house, id)
    await house.send("/worker/a", { type: "message", payload: "work" })
    await until(() => wakes.length === 1)
    await house.send("/worker/b", { type: "message", payload: "nothing" })
    await house.send("/worker/b", { type: "message", payload: "change" })
    await until(() => wakes.length === 2)
    expect(wakes).toEqual([
      ["a", ["turn-finished"]],
      ["b", ["state"]],
    ])
  })

  it("[EA-020] is woken by the clock with what it was to be told", async () => {
    const wakes: unknown[] = []
    const definition = defineEntity({
      type: "own",
      handler: async (ctx) => {
        if (ctx.wake.type === "spawn")
          await ctx.schedule("soon", {
            schedule: { kind: "at", at: Date.now() + 50 },
            payload: { remember: "milk" },
          })
        if (ctx.wake.type === "schedule") wakes.push([ctx.wake.schedule, ctx.wake.payload])
      },
    })
    const house = await entityHouse([definition], { extent: "full", fires: true })
    await house.spawn("/own/a")
    await until(() => wakes.length === 1)
    expect(wakes).toEqual([["soon", { remember: "milk" }]])
  })

  it("[EA-020] has memory, scratch and the workspace's catalog at hand", async () => {
    const seen: unknown[] = []
    const { house, id } = await handled(
      onInbox(async (ctx) => {
        seen.push((await ctx.scratchDir()).includes(ctx.entity.session_id))
        seen.push(Array.isArray(await (await ctx.memory()).list()))
        const { parts } = await ctx.resolve()
        seen.push(parts.map(({ part }) => part.type))
      }),
    )
    await house.send("/own/a", input("/search sheep"))
    await settled(house, id)
    expect(seen).toEqual([true, true, ["command", "text"]])
  })

  it("runs for a session that names its type, without being spawned", async () => {
    const wakes: string[] = []
    const definition = defineEntity({
      type: "own",
      handler: async ({ wake, entity }) => {
        wakes.push(`${wake.type} ${entity.id}`)
      },
    })
    const door = await openDoor({ entities: [definition] })
    const { body } = await door.ask("post", "/v1/sessions", { json: { agent: "own" } })
    await door.ask("post", `/v1/sessions/${body.session.id}/messages`, { json: { message: "hi" } })
    await until(() => wakes.length === 1)
    expect(wakes).toEqual([`inbox ${body.session.id}`])
  })
})

describe("entities", () => {
  it("are listed, forked with what they keep, and killed", async () => {
    const house = await entityHouse([LOADER], { script: [{ text: "ok" }] })
    const id = await house.spawn("/loader/a")
    await settled(house, id)
    await house.send("/loader/a", input("hello"))
    await settled(house, id)
    const again = await house.ask("put", "/v1/entities/loader/a", { json: {} })
    expect(again.status).toBe(409)
    const forked = await house.ask("post", "/v1/entities/loader/a/fork", { json: { id: "b" } })
    expect(forked.body.entity).toMatchObject({ url: "/loader/b", parent: "/loader/a" })
    await house.send("/loader/b", input("more"))
    await settled(house, forked.body.entity.session_id)
    const said = JSON.stringify(house.model.calls.at(-1)?.prompt)
    expect(said).toContain("hello")
    expect(said).toContain("more")
    await house.ask("delete", "/v1/entities/loader/a")
    const { body } = await house.ask("get", "/v1/entities?type=loader")
    expect(body.entities.map(({ url, status }: Record<string, string>) => [url, status])).toEqual([
      ["/loader/a", "killed"],
      ["/loader/b", "idle"],
    ])
  })

  it("[DEC-17] are gone with their session, and their name is free", async () => {
    const house = await entityHouse([LOADER], { script: [{ text: "ok" }] })
    const id = await house.spawn("/loader/a")
    await settled(house, id)
    await house.send("/loader/a", { ...input("hello"), key: "k" })
    await settled(house, id)
    expect((await house.ask("delete", `/v1/sessions/${id}`)).status).toBe(200)
    for (const path of ["/v1/entities/loader/a", "/v1/stream/entities/loader/a"])
      expect((await house.ask("get", path)).status).toBe(404)
    expect(await house.host.store.entityRows(id, "$inbox_keys")).toEqual([])
    await house.spawn("/loader/a")
  })
})
