import { describe, expect, it } from "vitest"
import { z } from "zod"
import { type AnyDefinition, defineEntity } from "../../packages/engine/entities/definition.ts"
import type { HandlerWake } from "../../packages/engine/entities/wake.ts"
import { newSession } from "../server/house.ts"
import { until } from "../session/house.ts"
import { write } from "../skill/workspace.ts"
import { type EntityHouse, entityHouse, input } from "./house.ts"

const SOURCE = "/review 1 with /deploy prod"

/** An entity that registers `/deploy` when it begins, and notes what wakes it. */
function noting(more: Partial<AnyDefinition> = {}) {
  const wakes: HandlerWake[] = []
  const definition = defineEntity({
    type: "noting",
    slashCommands: [
      {
        name: "review",
        description: "Look at it.",
        arguments: [{ name: "number", type: "number", required: true }],
      },
    ],
    ...more,
    handler: async (ctx) => {
      wakes.push(ctx.wake)
      if (ctx.wake.type === "spawn") await ctx.slashCommands.register({ name: "deploy" })
      else await ctx.agent()
    },
  })
  const inbox = () => wakes.filter((wake) => wake.type === "inbox").map(({ message }) => message)
  return { definition, wakes, inbox }
}

async function spawned(more: Partial<AnyDefinition> = {}) {
  const { definition, wakes, inbox } = noting(more)
  const house = await entityHouse([definition], { script: () => [{ text: "ok" }] })
  const id = await house.spawn("/noting/a")
  await until(() => wakes.length === 1)
  await house.host.idle()
  const post = (json: object, headers = {}) =>
    house.ask("post", `/v1/sessions/${id}/messages`, { json, headers })
  return { house, id, inbox, post }
}

async function lastUser({ host }: Pick<EntityHouse, "host">, id: string) {
  await host.idle()
  const { messages } = await host.store.history(id, { limit: 9 })
  return messages.findLast(({ role }) => role === "user")
}

describe("an entity behind its session's own door", () => {
  it("[EA-012][EA-041] hears commands that it registered as what a send would bring", async () => {
    const { house, id, inbox, post } = await spawned()
    const { status, body } = await post({ source: SOURCE })
    expect([status, body.warnings]).toEqual([201, []])
    await until(() => inbox().length === 1)
    const said = await lastUser(house, id)
    expect(said?.parts.map(({ type, data }) => [type, data.outcome ?? data.text])).toEqual([
      ["command", "handler"],
      ["text", "1 with"],
      ["command", "handler"],
      ["text", "prod"],
    ])
    const asked = JSON.stringify(house.model.calls.at(-1)?.prompt)
    expect(asked).toContain("1 with")
    expect(asked).not.toMatch(/\/(review|deploy)/)

    await house.send("/noting/a", { ...input(SOURCE), mode: "immediate" })
    await until(() => inbox().length === 2)
    const [door, sent] = inbox().map((message) => ({ ...message, key: "", timestamp: "" }))
    expect(door).toEqual(sent)
    expect(door).toMatchObject({ from: "user:local", mode: "immediate" })
    expect(inbox()[0]?.key).toBe(body.message.id)
  })

  it("[BEY-01] gives each of its commands a receipt", async () => {
    const { house, id, post } = await spawned()
    await post({ source: "/deploy prod" })
    await house.host.idle()
    const turn = await house.host.store.latestTurn(id)
    const { body } = await house.ask("get", `/v1/sessions/${id}/turns/${turn?.id}/receipts`)
    const outcomes = body.receipts.map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes.slice(-2)).toEqual(["resolved-out", "inlined"])
  })

  it("[EA-012][EA-040] offers, parses, previews and sends the same words", async () => {
    const { house, id } = await spawned()
    const where = `session=${id}`
    const listed = await house.ask("get", `/v1/commands?${where}`)
    expect(listed.body.commands.map(({ name }: { name: string }) => name)).toEqual([
      "deploy",
      "review",
    ])
    const offered = await house.ask("get", `/v1/complete?${where}&source=/dep`)
    expect(offered.body.items.map(({ label }: { label: string }) => label)).toEqual(["deploy"])
    const hinted = await house.ask("get", `/v1/complete?${where}&source=/review%20`)
    expect(hinted.body.hint).toBe("number")
    const json = { session: id, source: "go on and /deploy prod" }
    const parsed = await house.ask("post", "/v1/parse", { json })
    expect(parsed.body.nodes).toMatchObject([{ kind: "slash_command", name: "deploy" }])
    const expanded = await house.ask("post", "/v1/expand", { json })
    expect(expanded.body.parts[1]).toMatchObject({ id: "/deploy", outcome: "handler" })
    const lowered = await house.ask("post", "/v1/lower", {
      json: { session_id: id, message: { source: json.source } },
    })
    expect(JSON.stringify(lowered.body.body)).not.toContain("/deploy")
  })

  it("[EA-013] knows a command no longer once it is unregistered", async () => {
    const { definition, wakes } = noting({})
    const handler: AnyDefinition["handler"] = async (ctx) => {
      if (ctx.wake.type === "inbox") await ctx.slashCommands.unregister("deploy")
      else await definition.handler?.(ctx)
    }
    const house = await entityHouse([{ ...definition, handler }])
    const id = await house.spawn("/noting/a")
    await until(() => wakes.length === 1)
    const json = { source: "and /deploy" }
    for (const types of [["text", "command"], ["text"]]) {
      const { body } = await house.ask("post", `/v1/sessions/${id}/messages`, { json })
      expect(body.message.parts.map(({ type }: { type: string }) => type)).toEqual(types)
      await house.host.idle()
    }
  })

  it("[EA-011] takes arguments as they come: what is declared of them is a hint", async () => {
    const { inbox, post } = await spawned()
    expect((await post({ source: "/review all of them" })).status).toBe(201)
    expect((await post({ source: "/review" })).status).toBe(201)
    await until(() => inbox().length === 2)
  })

  it("[EA-023] is told the new words of a message that is edited while it waits", async () => {
    const { house, id, inbox, post } = await spawned()
    const { body } = await post({ source: "/review 1", mode: "paused" })
    const at = `/v1/sessions/${id}/queue/${body.message.id}`
    const edited = await house.ask("patch", at, { json: { source: "now /deploy prod" } })
    expect(edited.body.message.parts.map(({ type }: { type: string }) => type)).toEqual([
      "text",
      "command",
      "text",
    ])
    await house.ask("patch", at, { json: { state: "queued" } })
    await until(() => inbox().length === 1)
    expect(inbox()[0]).toMatchObject({
      message_type: "composer_input",
      payload: { source: "now /deploy prod", nodes: [{ kind: "slash_command" }] },
      from: "user:local",
    })
  })

  it("[EA-021] hears an edit without a source as plain words, not as what was typed before", async () => {
    const { house, id, inbox, post } = await spawned()
    const { body } = await post({ source: "/review 1", mode: "paused" })
    const at = `/v1/sessions/${id}/queue/${body.message.id}`
    const parts = [{ type: "text", text: "never mind" }]
    const edited = await house.ask("patch", at, { json: { parts, state: "queued" } })
    expect(edited.body.message.metadata.composer_input).toBeUndefined()
    await until(() => inbox().length === 1)
    expect(inbox()[0]).toMatchObject({ message_type: "message", payload: { text: "never mind" } })
  })

  it("[EA-034] refuses plain words where the inbox is closed to them, and checks declared ones", async () => {
    const closed = await spawned({ inbox_closed: true })
    const refused = await closed.post({ message: "hello" })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "/message"])
    expect((await closed.post({ source: "hello" })).status).toBe(201)
    const short = z.object({ text: z.string().max(3) })
    const strict = await spawned({ inbox: { message: short }, inbox_closed: true })
    expect((await strict.post({ message: "hello" })).status).toBe(422)
    expect((await strict.post({ message: "hi" })).status).toBe(201)
    await until(() => strict.inbox().length === 1)
    expect(strict.inbox()[0]?.payload).toEqual({ text: "hi" })
  })

  it("[decision 15] reads what was typed itself, and leaves the buttons of a surface to the house", async () => {
    const { house, id, inbox, post } = await spawned({ inbox_closed: true })
    const typed = await post({ source: "/rewind 1" })
    expect([typed.status, typed.body.warnings, typed.body.message.metadata.action]).toEqual([
      201,
      [],
      undefined,
    ])
    await until(() => inbox().length === 1)
    await house.host.idle()
    const parts = [{ type: "command", id: "/rewind", args: { raw: typed.body.message.id } }]
    const pressed = await post({ parts })
    expect(pressed.body.message.metadata.action).toMatchObject({ type: "rewind-to" })
    await house.host.idle()
    const { messages } = await house.host.store.history(id, { limit: 9 })
    expect(messages.map(({ id: one }) => one)).not.toContain(typed.body.message.id)
    expect(inbox()).toHaveLength(1)
  })

  it("[EA-010] takes nothing more once it was killed", async () => {
    const { house, post } = await spawned()
    await house.ask("delete", "/v1/entities/noting/a")
    expect((await post({ source: "hello" })).status).toBe(409)
  })

  it("[EA-012] offers what its type declares in a session that names the type", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await newSession(house, { agent: "noting" })
    const json = { source: "see /review 7" }
    const { body } = await house.ask("post", `/v1/sessions/${id}/messages`, { json })
    expect(body.message.parts[1].data).toMatchObject({ id: "/review", outcome: "handler" })
    await until(() => inbox().length === 1)
  })

  it("[decision 15] puts its own commands before the workspace's where submit resolves them", async () => {
    const { definition } = noting({ resolve: "submit" })
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    await write(house.workspace, {
      ".agents/commands/review.md": "A template.",
      ".agents/commands/more.md": "More.",
    })
    const id = await house.spawn("/noting/a")
    const { body } = await house.ask("get", `/v1/commands?session=${id}`)
    const kinds = new Map(
      body.commands.map(({ name, command }: { name: string; command: { kind: string } }) => [
        name,
        command.kind,
      ]),
    )
    expect([kinds.get("review"), kinds.get("more"), kinds.get("compact")]).toEqual([
      "entity",
      "template",
      "action",
    ])
    const because = body.hidden.map(({ because }: { because: string }) => because)
    expect(because).toContain("the entity has a command /review of its own")
  })
})
