import { describe, expect, it } from "vitest"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import type { InboxMessage } from "../../packages/engine/entities/wake.ts"
import { gate, until } from "../session/house.ts"
import { entityHouse, input } from "./house.ts"

const AT = "/_electric/entities/worker/w"

async function working(door = gate()) {
  const messages: InboxMessage[] = []
  const worker = defineEntity({
    type: "worker",
    slashCommands: [{ name: "go" }],
    handler: async ({ wake }) => {
      if (wake.type !== "inbox") return
      messages.push(wake.message as InboxMessage)
      if (wake.message.payload === "wait") await door.wait
    },
  })
  const house = await entityHouse([worker], { extent: "full", fires: true })
  const spawned = await house.ask("put", AT, { json: { args: { a: 1 }, tags: { team: "x" } } })
  return { house, messages, spawned, door }
}

describe("the addresses of Electric's clients", () => {
  it("[EA-010] begin an entity, and tell it and its stream by the same fields", async () => {
    const { house, spawned } = await working()
    expect(spawned.status).toBe(201)
    expect(spawned.body).toMatchObject({
      url: "/worker/w",
      type: "worker",
      streams: { main: "/v1/stream/entities/worker/w" },
      tags: { team: "x" },
      spawn_args: { a: 1 },
      parent: null,
      txid: expect.any(String),
    })
    expect((await house.ask("get", AT)).body.url).toBe("/worker/w")
    expect((await house.ask("get", "/_electric/entities?type=worker")).body).toHaveLength(1)
    const tagged = await house.ask("post", `${AT}/tags/team`, { json: { value: "y" } })
    expect(tagged.body.tags).toEqual({ team: "y" })
    expect((await house.ask("delete", `${AT}/tags/team`)).body.tags).toEqual({})
    expect((await house.ask("put", AT, { json: {} })).body.error.code).toBe("DUPLICATE_URL")
  })

  it("[EA-005] take a send as their clients make it, and answer with a txid or their codes", async () => {
    const { house, messages } = await working()
    const sent = await house.ask("post", `${AT}/send`, {
      json: { ...input("/go"), key: "k", mode: "queued", position: "0001:a0" },
    })
    expect([sent.status, typeof sent.body.txid]).toEqual([200, "string"])
    expect((await house.ask("post", `${AT}/send`, { json: { payload: "hi" } })).status).toBe(200)
    await until(() => messages.length === 2)
    expect(messages.map(({ type, key }) => [type, key])).toEqual([
      ["composer_input", "k"],
      ["message", expect.stringMatching(/^msg_/)],
    ])
    const bad = await house.ask("post", `${AT}/send`, {
      json: { type: "composer_input", payload: { source: 1 } },
    })
    expect([bad.status, bad.body.error]).toEqual([
      422,
      {
        code: "SCHEMA_VALIDATION_FAILED",
        message: expect.any(String),
        details: [{ path: "/source", message: "must be a string" }],
      },
    ])
    const missing = await house.ask("post", "/_electric/entities/worker/x/send", {
      json: input("a"),
    })
    expect([missing.status, missing.body.error.code]).toEqual([404, "NOT_FOUND"])
  })

  it("[EA-023] hold, edit, steer and drop what waits, as their surface does", async () => {
    const { house, messages, door } = await working()
    await house.ask("post", `${AT}/send`, { json: { payload: "wait" } })
    await until(() => messages.length === 1)
    for (const key of ["a", "b", "c"])
      await house.ask("post", `${AT}/send`, {
        json: { ...input(`/go ${key}`), key, mode: "queued" },
      })
    const patch = (key: string, json: object) => house.ask("patch", `${AT}/inbox/${key}`, { json })
    expect((await patch("a", { mode: "paused", status: "pending" })).status).toBe(200)
    const { payload } = input("/go edited")
    expect((await patch("a", { payload, mode: "queued", status: "pending" })).status).toBe(200)
    expect((await patch("c", { mode: "steer", status: "processed" })).status).toBe(200)
    expect((await house.ask("delete", `${AT}/inbox/b`)).status).toBe(200)
    expect((await patch("a", {})).status).toBe(400)
    door.open()
    await until(() => messages.length === 3)
    expect(messages.slice(1).map(({ key, payload: said }) => [key, said])).toEqual([
      ["c", input("/go c").payload],
      ["a", payload],
    ])
    expect((await patch("a", { mode: "paused" })).status).toBe(409)
  })

  it("[EA-003] keep bytes for a message until it is sent, and send them with it", async () => {
    const { house, messages } = await working()
    const form = new FormData()
    form.set("file", new File(["seven sheep"], "notes.txt", { type: "text/plain" }))
    form.set("id", "att")
    form.set("subject", JSON.stringify({ type: "inbox", key: "with-file" }))
    const request = new Request("http://x", { method: "POST", body: form })
    const body = await request.arrayBuffer()
    const headers = {
      "content-type": request.headers.get("content-type"),
      "content-length": String(body.byteLength),
    }
    const attached = await house.ask("post", `${AT}/attachments`, { body, headers })
    expect(attached.status).toBe(201)
    expect(attached.body.attachment).toMatchObject({
      id: "att",
      filename: "notes.txt",
      byteLength: 11,
      subject: { type: "inbox", key: "with-file" },
    })
    await house.ask("post", `${AT}/send`, { json: { payload: "count", key: "with-file" } })
    await until(() => messages.length === 1)
    expect(messages[0]?.attachments).toMatchObject([{ id: "att", name: "notes.txt" }])
    expect((await house.ask("get", `${AT}/attachments/att`)).text).toBe("seven sheep")
    expect((await house.ask("delete", `${AT}/attachments/att`)).status).toBe(200)
    expect((await house.ask("get", `${AT}/attachments/att`)).status).toBe(404)
  })

  it("[EA-010] deliver later what is to be delivered later", async () => {
    const { house, messages } = await working()
    const json = { type: "note", payload: { text: "later" }, afterMs: 30 }
    expect((await house.ask("post", `${AT}/send`, { json })).status).toBe(204)
    await until(() => messages.length === 1)
    expect(messages[0]).toMatchObject({ message_type: "note", payload: { text: "later" } })
  })

  it("[SES-020] fork an entity at a place of its stream", async () => {
    const { house, messages } = await working()
    await house.ask("post", `${AT}/send`, { json: { payload: "first" } })
    await until(() => messages.length === 1)
    const { session_id } = (await house.ask("get", AT)).body
    await until(async () => (await house.host.store.latestTurn(session_id))?.ended_at != null)
    const { headers } = await house.ask("get", "/v1/stream/entities/worker/w")
    await house.ask("post", `${AT}/send`, { json: { payload: "second" } })
    await until(() => messages.length === 2)
    await until(async () => (await house.host.store.latestTurn(session_id))?.ended_at != null)
    const json = {
      instance_id: "fork",
      fork_pointer: { offset: headers.get("stream-next-offset"), sub_offset: 0 },
    }
    const forked = await house.ask("post", `${AT}/fork`, { json })
    expect(forked.status).toBe(201)
    expect(forked.body.root).toMatchObject({ url: "/worker/fork", parent: "/worker/w" })
    const { messages: history } = await house.host.store.history(forked.body.root.session_id, {
      limit: 9,
    })
    expect(history.flatMap(({ parts }) => parts.map(({ data }) => data.text))).toEqual(["first"])
    const { body } = await house.ask("get", "/v1/entities/worker/fork/commands")
    expect(body.commands).toMatchObject([{ name: "go", source: "static" }])
  })

  it("[DAE-001] need the token like everything else", async () => {
    const { house } = await working()
    for (const path of ["/_electric/health", AT])
      expect((await house.ask("get", path, { headers: { authorization: null } })).status).toBe(401)
  })
})
