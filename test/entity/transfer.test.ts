import { describe, expect, it } from "vitest"
import { z } from "zod"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import type { HandlerWake } from "../../packages/engine/entities/wake.ts"
import { type Door, openDoor } from "../server/house.ts"
import { until } from "../session/house.ts"
import { allEvents } from "../store/build.ts"
import { entityHouse, input } from "./house.ts"

/** An entity that keeps notes, registers a command, observes another and inserts context. */
function keeper() {
  const wakes: HandlerWake[] = []
  const note = z.object({ id: z.string(), text: z.string() })
  const definition = defineEntity({
    type: "keeper",
    slashCommands: [{ name: "note", description: "Keep it." }],
    state: { notes: { schema: note, primaryKey: "id" } },
    handler: async (ctx) => {
      wakes.push(ctx.wake)
      if (ctx.wake.type === "spawn") {
        await ctx.slashCommands.register({ name: "forget" })
        if (ctx.entity.id === "watcher")
          await ctx.observe("/keeper/desk", { collections: ["notes"] })
      }
      if (ctx.wake.type !== "inbox") return
      await ctx.insertContext({ type: "hint", title: "be brief", content: "Be brief." })
      const id = `a "quoted" key ${wakes.length}`
      await ctx.db.collections.notes.insert({ id, text: JSON.stringify(ctx.wake.message.payload) })
    },
  })
  return { definition, wakes }
}

async function keptFolder() {
  const { definition, wakes } = keeper()
  const house = await entityHouse([definition])
  const desk = await house.spawn("/keeper/desk", { size: 3 })
  const watcher = await house.spawn("/keeper/watcher")
  await until(() => wakes.length === 2)
  await house.send("/keeper/desk", { ...input("/note milk"), key: "first" })
  await until(() => wakes.filter(({ type }) => type === "observation").length === 1)
  await house.host.idle()
  const daily = { schedule: { kind: "interval", every_ms: 86_400_000 } }
  await house.ask("put", "/v1/entities/keeper/desk/schedules/daily", { json: daily })
  await house.send("/keeper/desk", { ...input("/note eggs"), key: "waits", mode: "paused" })
  return { house, definition, desk, watcher }
}

async function exportOf(door: Door, query = ""): Promise<string> {
  const { status, text } = await door.ask("get", `/v1/export${query}`)
  expect(status).toBe(200)
  return text
}

function importInto(door: Door, body: string) {
  return door.ask("post", "/v1/import", { body })
}

describe("a folder with entities", () => {
  it("[DBG-002] is the same to the byte after export, import and export", async () => {
    const { house, definition, desk, watcher } = await keptFolder()
    const first = await exportOf(house)
    const there = await entityHouse([definition], { turns: false })
    const { status, body } = await importInto(there, first)
    expect([status, body.renamed]).toEqual([200, []])
    expect((await exportOf(there)) === first).toBe(true)
    for (const path of ["", "/inbox", "/commands"]) {
      const at = `/v1/entities/keeper/desk${path}`
      expect((await there.ask("get", at)).body).toEqual((await house.ask("get", at)).body)
    }
    const rows = (door: Door) => door.host.store.entityRows(desk, "notes")
    expect(await rows(there)).toEqual(await rows(house))
    expect(await there.host.store.effects(desk, await wakeOf(house, desk))).not.toEqual([])
    expect(await there.host.store.observationsOf(desk)).toMatchObject([
      { observer: watcher, collections: ["notes"] },
    ])
  })

  it("[EA-012] is read from its stream as it was, and wakes nobody by having come", async () => {
    const { house, definition, desk, watcher } = await keptFolder()
    const { definition: _, wakes } = keeper()
    const handler: typeof definition.handler = async ({ wake }) => void wakes.push(wake)
    const there = await entityHouse([{ ...definition, handler }])
    await importInto(there, await exportOf(house))
    const told = (await allEvents(there.host.store, desk)).map(({ type, key }) => `${type} ${key}`)
    expect(told).toEqual(
      expect.arrayContaining([
        `entity ${desk}`,
        "slash_command note",
        "slash_command forget",
        'notes a "quoted" key 3',
        "schedule daily",
      ]),
    )
    expect(told.join()).not.toContain("inbox_key")
    await there.host.idle()
    expect(wakes).toEqual([])
    expect(await there.host.store.queuedCount(watcher)).toBe(0)
  })

  it("[EA-010] takes the same key for the same message, there too", async () => {
    const { house, definition } = await keptFolder()
    const there = await entityHouse([definition], { turns: false })
    await importInto(there, await exportOf(house))
    const again = { ...input("/note milk"), key: "first" }
    const [one, two] = [
      await house.send("/keeper/desk", again),
      await there.send("/keeper/desk", again),
    ]
    expect(two.key).toBe(one.key)
    const { session_id } = (await there.ask("get", "/v1/entities/keeper/desk")).body.entity
    const { messages } = await there.host.store.history(session_id, { limit: 99 })
    expect(messages.filter(({ metadata }) => metadata.composer_input).length).toBe(1)
  })

  it("[SES-020] gives a forked entity alone, with what it keeps", async () => {
    const { house, definition } = await keptFolder()
    const { body } = await house.ask("post", "/v1/entities/keeper/desk/fork", {
      json: { id: "copy" },
    })
    const there = await entityHouse([definition], { turns: false })
    const { session_id } = body.entity
    const imported = await importInto(there, await exportOf(house, `?session=${session_id}`))
    expect(imported.status).toBe(200)
    const rows = await there.host.store.entityRows(session_id, "notes")
    expect(rows).toEqual(await house.host.store.entityRows(session_id, "notes"))
    expect((await there.ask("get", "/v1/entities/keeper/copy")).status).toBe(200)
  })

  it("gives an entity whose name is taken another, and says so", async () => {
    const { house, definition, desk } = await keptFolder()
    const there = await entityHouse([definition], { turns: false })
    await there.spawn("/keeper/desk")
    const { status, body } = await importInto(there, await exportOf(house))
    const name = `/keeper/desk-${desk.slice(-6)}`
    expect([status, body.renamed]).toEqual([200, [name]])
    expect((await there.ask("get", `/v1/entities${name}`)).body.entity.session_id).toBe(desk)
  })

  it("is imported from a file that was written before entities were", async () => {
    const { house, definition, desk } = await keptFolder()
    const NEW = /^\{"type":"(entity|entity_row|entity_effect|slash_command|observation)"/
    const lines = (await exportOf(house)).split("\n")
    const old = lines.filter((line) => !NEW.test(line)).join("\n")
    expect(old.length).toBeLessThan(lines.join("\n").length)
    const there = await entityHouse([definition], { turns: false })
    expect((await importInto(there, old)).status).toBe(200)
    expect((await there.host.store.session(desk))?.agent).toBe("keeper")
  })

  it.each([
    ["a name that is none", { name: "../up" }],
    ["tags that are none", { tags_json: "[1]" }],
    ["a stranger's column", { more: 1 }],
  ])("with %s is refused by its line, and leaves nothing half", async (_, change) => {
    const { house } = await keptFolder()
    const lines = (await exportOf(house)).split("\n")
    const at = lines.findIndex((line) => line.startsWith('{"type":"entity"'))
    const { type, data } = JSON.parse(lines[at] ?? "")
    const broken = lines.with(at, JSON.stringify({ type, data: { ...data, ...change } }))
    const there = await openDoor({ turns: false })
    const { status, body } = await importInto(there, broken.join("\n"))
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(`^line ${at + 1}:`)])
    expect(await there.host.store.sessions({ limit: 9 })).toEqual([])
  })
})

async function wakeOf({ host }: Door, session_id: string): Promise<string> {
  const { messages } = await host.store.history(session_id, { limit: 99 })
  return messages.findLast(({ metadata }) => metadata.composer_input)?.id ?? ""
}
