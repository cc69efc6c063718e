import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { MAX_PARTS } from "../../packages/core/message/limits.ts"
import { png } from "../build.ts"
import { gate, newestOf } from "../session/house.ts"
import { waitingIn } from "../store/build.ts"
import { type Door, newSession, openDoor, send } from "./house.ts"

function post(door: Door, session: string, json: object) {
  return door.ask("post", `/v1/sessions/${session}/messages`, { json })
}

describe("sending", () => {
  it("[QUE-003] the same message twice gives the first answer again", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const session = await newSession(door)
    const json = { id: newId("msg"), parts: [{ type: "text", text: "once", a: 1, b: 2 }] }
    const first = await post(door, session, json)
    expect(first.body).toMatchObject({ replayed: false, turn: { message_id: json.id } })
    await door.host.idle()
    // The same payload, whatever the order of its keys.
    const parts = [{ b: 2, a: 1, text: "once", type: "text" }]
    const again = await post(door, session, { ...json, parts })
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ replayed: true, turn: null, message: { id: json.id } })
    expect(door.model.calls).toHaveLength(1)
    const other = await post(door, session, { ...json, parts: [{ type: "text", text: "twice" }] })
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"])
  })

  it("[CMP-120] stamps the version of the message's shape", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const { message } = await send(door, session, "hello", { metadata: { agent: "me" } })
    expect(message.metadata).toMatchObject({ schema_version: 1, agent: "me" })
  })

  it("[CMP-121] keeps a part that this version does not know", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const part = { type: "later-kind", text: "readable", deep: { a: [1, null] } }
    const { body } = await post(door, session, { parts: [part] })
    expect(body.message.parts[0]).toMatchObject({ type: "later-kind", data: part })
    const { body: queue } = await door.ask("get", `/v1/sessions/${session}/queue`)
    expect(queue.queue[0].parts[0].data).toEqual(part)
  })

  it("[decision 9] keeps small bytes in the part and others in the blob store", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const attach = async (bytes: Uint8Array, name: string) => {
      const data = Buffer.from(bytes).toString("base64")
      const part = { type: "file-attachment", name, mime: "application/x-lie", data }
      return (await post(door, session, { parts: [part] })).body.message.parts[0].data
    }
    const small = await attach(png(), "a.png")
    expect(small).toMatchObject({ mime: "image/png", data: expect.any(String) })
    const large = await attach(Buffer.alloc(70_000, "x"), "a.txt")
    expect(large).toMatchObject({ mime: "text/plain", size: 70_000 })
    expect(large).not.toHaveProperty("data")
    const opaque = await attach(Buffer.from([0, 1, 2, 255]), "a.bin")
    expect(opaque).not.toHaveProperty("data")
    for (const { content_id, size } of [small, large, opaque])
      expect(await door.host.blobs.size(content_id)).toBe(size)
  })

  it("[UX-002] says at once that a message waits", async () => {
    const door = await openDoor({ script: [{ wait: gate().wait }] })
    const session = await newSession(door)
    await send(door, session, "one")
    const { message, turn } = await send(door, session, "two")
    expect([message.state, turn]).toEqual(["queued", null])
    const { body } = await door.ask("get", `/v1/sessions/${session}`)
    expect(body).toMatchObject({ queued: 1, status: { state: "busy" } })
    const aborted = await door.ask("post", `/v1/sessions/${session}/abort`, {
      json: { clear: true },
    })
    expect(aborted.body).toMatchObject({ aborted: { state: "aborted" }, cancelled: [message.id] })
  })

  it("[EA-022] refuses what was meant for a turn that is over", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const session = await newSession(door)
    const { turn } = await send(door, session, "one")
    await door.host.idle()
    const late = await post(door, session, { message: "two", expected_turn_id: turn.id })
    expect(late.status).toBe(409)
  })

  it("[EA-023] edits, moves, pauses and cancels what waits", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const ids: string[] = []
    for (const text of ["a", "b", "c"]) ids.push((await send(door, session, text)).message.id)
    const patch = (at: number, json: object) =>
      door.ask("patch", `/v1/sessions/${session}/queue/${ids[at]}`, { json })
    await patch(2, { after: null })
    await patch(0, { parts: [{ type: "text", text: "A" }], state: "paused" })
    expect(await waitingIn(door.host.store, session)).toEqual(["c", "A", "b"])
    const { body } = await door.ask("delete", `/v1/sessions/${session}/queue/${ids[1]}`)
    expect(body.message.state).toBe("cancelled")
    expect((await patch(1, { state: "queued" })).status).toBe(409)
    expect(await waitingIn(door.host.store, session)).toEqual(["c", "A"])
  })
})

describe("a message in its other forms", () => {
  it("[ATT-007] is text with files by their paths", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    await writeFile(join(door.workspace, "a.png"), png())
    await mkdir(join(door.workspace, "notes"))
    await writeFile(join(door.workspace, "notes", "b.txt"), "some notes")
    const session = await newSession(door)
    const { status, body } = await post(door, session, {
      message: "look at these",
      attachments: [
        { path: "a.png", mime: "image/jpeg" },
        { path: `file://${join(door.workspace, "notes/b.txt")}`, filename: "notes.txt" },
      ],
    })
    expect(status).toBe(201)
    expect(body.message.parts.map(({ data }: { data: object }) => data)).toMatchObject([
      { type: "text", text: "look at these" },
      { type: "file-attachment", name: "a.png", mime: "image/png" },
      { type: "file-attachment", name: "notes.txt", mime: "text/plain" },
    ])
    await door.host.idle()
    expect(newestOf(door.model.calls[0])).toEqual([
      "look at these",
      "<image/png>",
      expect.stringContaining("some notes"),
    ])
  })

  it.each([
    ["no path", {}, "/attachments/1/path"],
    ["an empty path", { path: "" }, "/attachments/1/path"],
    ["a path outside", { path: "../secret" }, "/attachments/1/path"],
    ["another place on the disk", { path: "/etc/passwd" }, "/attachments/1/path"],
    ["a link that leads outside", { path: "link" }, "/attachments/1/path"],
    ["a file that is not there", { path: "missing.txt" }, "/attachments/1/path"],
    ["a folder", { path: "folder" }, "/attachments/1/path"],
    ["an empty name", { path: "a.txt", filename: "" }, "/attachments/1/filename"],
    ["something we do not know", { path: "a.txt", url: "x" }, "/attachments/1"],
  ])("[ATT-009] names the file that is %s, and sends nothing", async (_, file, path) => {
    const door = await openDoor({ turns: false })
    await writeFile(join(door.workspace, "a.txt"), "fine")
    await mkdir(join(door.workspace, "folder"))
    await symlink("/etc/passwd", join(door.workspace, "link"))
    const session = await newSession(door)
    const { status, body } = await post(door, session, {
      message: "look",
      attachments: [{ path: "a.txt" }, file],
    })
    expect([status, body.error.details[0].path]).toEqual([422, path])
    expect(await door.host.store.queuedCount(session)).toBe(0)
  })

  it("[ATT-009] refuses more files than the limit, and files where there is no workspace", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const attachments = Array.from({ length: MAX_PARTS + 1 }, () => ({ path: "a.txt" }))
    const many = await post(door, session, { message: "look", attachments })
    expect([many.status, many.body.error.details[0].path]).toEqual([422, "/attachments"])
    const nowhere = await newSession(door, { workspace_root: null })
    const { status, body } = await post(door, nowhere, {
      message: "look",
      attachments: [{ path: "a.txt" }],
    })
    expect([status, body.error.details[0].path]).toEqual([422, "/attachments/0/path"])
  })

  it("[EA-001] [EA-041] is a source with nodes, which become parts", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const source = "see a.ts now"
    const nodes = [{ kind: "file", path: "a.ts", start: 4, end: 8, raw: "a.ts" }]
    const { status, body } = await post(door, session, { source, nodes })
    expect(status).toBe(201)
    expect(body.message.parts.map(({ data }: { data: object }) => data)).toEqual([
      { type: "text", text: "see " },
      { type: "file-ref", ref: { kind: "path", path: "a.ts" } },
      { type: "text", text: " now" },
    ])
    expect(body.message.metadata.composer_input).toEqual({ source, nodes })
  })

  it.each([
    ["a node outside its source", { kind: "text", start: 0, end: 99, raw: "zz" }],
    ["a span that says something else", { kind: "text", start: 0, end: 1, raw: "y" }],
    ["a range that is none", { kind: "file", path: "a", range: "all", start: 0, end: 1, raw: "x" }],
    [
      "arguments that are none",
      { kind: "slash_command", name: "a", args: 1, start: 0, end: 1, raw: "x" },
    ],
    ["a path that is none", { kind: "file", path: "a\0b", start: 0, end: 1, raw: "x" }],
  ])("[EA-005] is refused with %s", async (_, node) => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const { status, body } = await post(door, session, { source: "x", nodes: [node] })
    expect([status, body.error.details[0].path]).toEqual([422, expect.stringMatching(/^\/nodes/)])
    expect(await door.host.store.queuedCount(session)).toBe(0)
  })

  it("is one of them, not two and not none", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const text = [{ type: "text", text: "x" }]
    for (const json of [{}, { message: "" }, { source: " " }, { parts: text, message: "x" }])
      expect([json, (await post(door, session, json)).status]).toEqual([json, 422])
  })
})
