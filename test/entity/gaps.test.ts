import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { type AnyDefinition, defineEntity } from "../../packages/engine/entities/definition.ts"
import type { HandlerWake, InboxMessage, InboxWake } from "../../packages/engine/entities/wake.ts"
import { newId } from "../../packages/core/message/id.ts"
import type { RecordedCall } from "../../packages/engine/providers/scripted.ts"
import { temporaryFolder } from "../build.ts"
import { gate, until } from "../session/house.ts"
import { type EntityHouse, entityHouse, input, LOADER, writeSkills } from "./house.ts"

const REVIEW = "/review 1 with /worktree two"

/** Everything that a request says, in one text. */
function allOf(call: RecordedCall | undefined): string {
  return JSON.stringify(call?.prompt ?? null)
}

/** An entity that notes its wakes and answers by the model where it is told to. */
function noting(more: Partial<AnyDefinition> = {}) {
  const wakes: HandlerWake[] = []
  const steered: InboxWake[] = []
  const definition = defineEntity({
    type: "noting",
    slashCommands: [{ name: "review" }, { name: "worktree" }],
    ...more,
    handler: async (ctx) => {
      wakes.push(ctx.wake)
      if (ctx.wake.type === "inbox") await ctx.agent({ steered: (wake) => void steered.push(wake) })
    },
  })
  const inbox = () => wakes.filter((wake) => wake.type === "inbox").map(({ message }) => message)
  return { definition, wakes, steered, inbox }
}

async function busyHouse(definition: AnyDefinition) {
  const door = gate()
  const house = await entityHouse([definition], {
    script: () => [{ wait: door.wait }, { text: "ok" }],
  })
  const id = await house.spawn("/noting/a")
  await house.send("/noting/a", { type: "message", payload: "first" })
  await until(() => house.model.calls.length === 1)
  return { house, door, id }
}

function settled({ host }: Pick<EntityHouse, "host">, id: string) {
  return until(async () => {
    const turn = await host.store.latestTurn(id)
    return turn?.ended_at !== null && (await host.store.queuedCount(id)) === 0
  })
}

describe("what others left open", () => {
  it("1 [EA-041] shows the model no literal of a command, and all that was said with it", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await house.spawn("/noting/a")
    await house.send("/noting/a", input(REVIEW))
    await until(() => inbox().length === 1 && house.model.calls.length === 1)
    await settled(house, id)
    const said = allOf(house.model.calls[0])
    expect(said).not.toContain("/review")
    expect(said).not.toContain("/worktree")
    expect(said).toContain("1 with")
    expect(said).toContain("two")
    const [message] = (await house.host.store.history(id, { limit: 9 })).messages.slice(-2)
    expect(message?.metadata.composer_input).toMatchObject({ source: REVIEW })
    expect(message?.parts.map(({ type, data }) => [type, data.outcome ?? data.text])).toEqual([
      ["command", "handler"],
      ["text", "1 with"],
      ["command", "handler"],
      ["text", "two"],
    ])
  })

  it("2 [EA-023] keeps type and nodes of a message that is edited while it waits", async () => {
    const { definition, inbox } = noting()
    const { house, door, id } = await busyHouse(definition)
    const { key } = await house.send("/noting/a", { ...input("/review 1"), key: "mine" })
    const edited = input(REVIEW)
    const answer = await house.ask("patch", `/v1/entities/noting/a/inbox/${key}`, {
      json: { payload: edited.payload },
    })
    expect(answer.status).toBe(200)
    door.open()
    await settled(house, id)
    expect(inbox()).toHaveLength(2)
    expect(inbox()[1]).toMatchObject({ key: "mine", message_type: "composer_input", ...edited })
    expect(allOf(house.model.calls.at(-1))).not.toContain("/review")
  })

  it("3 [EA-023] checks an edit like a send, and refuses it once the message fired", async () => {
    const { definition, inbox } = noting()
    const { house, door, id } = await busyHouse(definition)
    const { key } = await house.send("/noting/a", { ...input("/review 1"), mode: "queued" })
    const at = (message: string) => `/v1/entities/noting/a/inbox/${message}`
    const bad = await house.ask("patch", at(key), { json: { payload: { source: 5 } } })
    expect([bad.status, bad.body.error.details]).toEqual([
      422,
      [{ path: "/payload/source", message: "must be a string" }],
    ])
    const unknown = await house.ask("patch", at(newId("msg")), { json: { mode: "paused" } })
    expect(unknown.status).toBe(404)
    door.open()
    await settled(house, id)
    const late = await house.ask("patch", at(key), { json: { payload: input("/x").payload } })
    expect(late.status).toBe(409)
    expect((await house.ask("delete", at(key))).status).toBe(409)
    expect(inbox()).toHaveLength(2)
  })

  it("4 [EA-022] brings a steered message to the running loop", async () => {
    const { definition, inbox, steered } = noting()
    const { house, door, id } = await busyHouse(definition)
    await house.send("/noting/a", { ...input("/review now"), mode: "steer" })
    door.open()
    await settled(house, id)
    expect(inbox()).toHaveLength(1)
    expect(steered).toHaveLength(1)
    expect(house.model.calls).toHaveLength(2)
    expect(allOf(house.model.calls[1])).toContain("now")
  })

  it("5 [EA-021] keeps type, nodes and key of what is steered, in a loop or by itself", async () => {
    const { definition, inbox, steered } = noting()
    const { house, door, id } = await busyHouse(definition)
    const sent = { ...input(REVIEW), mode: "steer", key: "steered" }
    await house.send("/noting/a", sent)
    door.open()
    await settled(house, id)
    const told = { key: "steered", message_type: "composer_input", payload: sent.payload }
    expect(steered[0]?.message).toMatchObject({ ...told, mode: "steer" })
    await house.send("/noting/a", { ...sent, key: "alone" })
    await settled(house, id)
    expect(inbox().at(-1)).toMatchObject({ ...told, key: "alone" })
  })

  it("6 [EA-021] makes two wakes of two messages that arrive together, in order", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await house.spawn("/noting/a")
    await settled(house, id)
    const sources = ["/review 1", "/review 2", "/review 3"]
    const sent = sources.map((source, at) =>
      house.send("/noting/a", { ...input(source), key: `k${at}` }),
    )
    await Promise.all(sent)
    await until(() => inbox().length === 3)
    await settled(house, id)
    expect(inbox().map(({ key, payload }) => [key, sourceOf(payload)])).toEqual([
      ["k0", "/review 1"],
      ["k1", "/review 2"],
      ["k2", "/review 3"],
    ])
  })

  it("7 [EA-014] writes no event for skills that are published already", async () => {
    const { house, id } = await loaderHouse(skillNames(20))
    const commands = async () =>
      (await house.host.store.events(id, 0, 100_000)).filter(({ type }) => type === "slash_command")
    await settled(house, id)
    expect(await commands()).toHaveLength(20)
    for (let wake = 0; wake < 10; wake++) await house.send("/loader/a", input(`hello ${wake}`))
    await settled(house, id)
    expect(await commands()).toHaveLength(20)
  })

  it("8 [EA-031] loads the skill behind every command of a message, each with its arguments", async () => {
    const { house, id } = await loaderHouse(["alpha", "beta"])
    await settled(house, id)
    await house.send("/loader/a", input("/alpha one two /beta three"))
    await settled(house, id)
    const said = allOf(house.model.calls[0])
    for (const [name, words] of [
      ["alpha", "one two"],
      ["beta", "three"],
    ] as const) {
      expect(said).toContain(`This is ${name}`)
      expect(said).toContain(`Arguments: ${words}`)
    }
    expect(said).not.toContain("/alpha")
  })

  it("9 [EA-031] loads a skill again for other arguments, and not for the same", async () => {
    const { house, id } = await loaderHouse(["alpha"])
    await settled(house, id)
    for (const source of ["/alpha one", "/alpha two", "/alpha one"]) {
      await house.send("/loader/a", input(source))
      await settled(house, id)
    }
    const { messages } = await house.host.store.history(id, { limit: 99 })
    const skills = messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === "skill-content").map(({ data }) => data.arguments),
    )
    expect(skills).toEqual(["one", "two"])
  })

  it("10 [EA-004] carries a command's arguments as they were given, beside what was typed", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await house.spawn("/noting/a")
    const source = "/review /worktree"
    const node = { kind: "slash_command", start: 0, end: 7, raw: "/review", name: "review" }
    // The surface says that what looks like a command is an argument: it makes no node of it.
    const payload = { source, nodes: [{ ...node, args: { branch: "/worktree" } }] }
    await house.send("/noting/a", { type: "composer_input", payload })
    await until(() => inbox().length === 1)
    await settled(house, id)
    expect(inbox()[0]?.payload).toEqual(payload)
    const [message] = (await house.host.store.history(id, { limit: 9 })).messages.slice(-2)
    const commands = message?.parts.filter(({ type }) => type === "command")
    expect(commands?.map(({ data }) => data.args)).toEqual([
      { branch: "/worktree", raw: "/worktree" },
    ])
  })

  it("13 [EA-003] puts an attachment where its node stands, in the commit of its message", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await house.spawn("/noting/a")
    const uploaded = await house.ask("post", "/v1/blobs?name=notes.txt", { body: "seven" })
    const { content_id, mime } = uploaded.body
    const nodes = [{ kind: "attachment", start: 4, end: 10, raw: "[file]", id: "att-1" }]
    const message = {
      type: "composer_input",
      payload: { source: "see [file] first", nodes },
      attachments: [{ id: "att-1", content_id, name: "notes.txt", mime }],
    }
    const refused = await house.ask("post", "/v1/entities/noting/a/send", {
      json: { ...message, attachments: [{ ...message.attachments[0], content_id: MISSING }] },
    })
    expect(refused.status).toBe(422)
    await house.send("/noting/a", message)
    await until(() => inbox().length === 1)
    await settled(house, id)
    expect(inbox()[0]).toMatchObject({ payload: message.payload, attachments: message.attachments })
    const { messages } = await house.host.store.history(id, { limit: 9 })
    const sent = messages.filter(({ metadata }) => metadata.inbox !== undefined)
    expect(sent.map(({ parts }) => parts.map(({ data }) => data.text ?? data.name))).toEqual([
      ["see ", "notes.txt", " first"],
    ])
  })

  it("14 [EA-041] shows the model every attachment that it can read, not pictures alone", async () => {
    const { definition, inbox } = noting()
    const house = await entityHouse([definition], { script: [{ text: "ok" }] })
    const id = await house.spawn("/noting/a")
    const uploaded = await house.ask("post", "/v1/blobs?name=notes.txt", { body: "seven sheep" })
    const { content_id, mime } = uploaded.body
    await house.send("/noting/a", {
      type: "message",
      payload: "count",
      attachments: [{ id: "a", content_id, name: "notes.txt", mime }],
    })
    await until(() => inbox().length === 1)
    await settled(house, id)
    expect(allOf(house.model.calls[0])).toContain("seven sheep")
  })

  it("15 [EA-005] says what is wrong where every reader of an error looks", async () => {
    const { definition } = noting({ inbox: { rpc: z.object({ method: z.string() }) } })
    const house = await entityHouse([definition])
    await house.spawn("/noting/a")
    const { status, body } = await house.ask("post", "/v1/entities/noting/a/send", {
      json: { type: "rpc", payload: { method: 7 } },
    })
    expect(status).toBe(422)
    expect(body.error.message).toContain("/payload/method")
    expect(body.error.details).toEqual([
      { path: "/payload/method", message: expect.stringContaining("expected string") },
    ])
  })
})

const MISSING = `sha256:${"0".repeat(64)}`

function sourceOf(payload: InboxMessage["payload"]): string {
  return String((payload as { source?: unknown }).source)
}

function skillNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `skill-${at + 1}`)
}

async function loaderHouse(names: readonly string[]) {
  const workspace = join(await temporaryFolder(), "workspace")
  await writeSkills(workspace, names)
  const house = await entityHouse([LOADER], { workspace, script: [{ text: "ok" }] })
  return { house, id: await house.spawn("/loader/a") }
}
