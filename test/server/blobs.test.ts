import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { computeContentId } from "../../packages/files/blobs/blobs.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { collect, losingOnce, png } from "../build.ts"
import { type Door, MISSING, newSession, openDoor, send } from "./house.ts"

function upload(door: Door, bytes: Uint8Array, name = "a.bin", query = "") {
  const body = new Uint8Array(bytes)
  return door.ask("post", `/v1/blobs?name=${encodeURIComponent(name)}${query}`, { body })
}

async function attached(door: Door, bytes: Uint8Array, name?: string) {
  const session = await newSession(door)
  const { body } = await upload(door, bytes, name)
  await send(door, session, "", { parts: [body.part] })
  return { session, content: body.content_id as string, path: pathOf(session, body.content_id) }
}

function pathOf(session: string, content: string) {
  return `/v1/sessions/${session}/blobs/${content}`
}

describe("an upload", () => {
  it("[CMP-098] is named by its bytes and described by what they are", async () => {
    const door = await openDoor({ turns: false })
    const bytes = png(3, 2)
    const { status, body } = await upload(door, bytes, "no-image.txt")
    const known = { content_id: computeContentId(bytes), size: bytes.length, mime: "image/png" }
    // It is a header and nothing behind it.
    const about = { ...known, condition: "damaged" }
    expect(status).toBe(201)
    expect(body).toEqual({
      ...about,
      name: "no-image.txt",
      part: { type: "file-attachment", ...about, name: "no-image.txt" },
    })
  })

  it("[CMP-031] carries the bytes of a small file that a model reads, when it is asked to", async () => {
    const door = await openDoor({ turns: false })
    const small = await upload(door, Buffer.from("hello"), "a.txt", "&inline=true")
    expect(small.body.part.data).toBe(Buffer.from("hello").toString("base64"))
    for (const [bytes, name] of [
      [randomBytes(100), "a.psd"],
      [Buffer.alloc(70_000, "x"), "a.txt"],
    ] as const)
      expect((await upload(door, bytes, name, "&inline=true")).body.part).not.toHaveProperty("data")
  })

  it("[OPS-07] is refused when another node removed the same bytes while it came in, and taken again", async () => {
    const observe = { store: (store: Store) => store, blobs: losingOnce }
    const door = await openDoor({ turns: false, observe })
    const bytes = randomBytes(100)
    const { status, body } = await upload(door, bytes)
    expect([status, body.error.code]).toEqual([409, "conflict"])
    expect((await upload(door, bytes)).status).toBe(201)
    expect(await door.host.blobs.isKept(computeContentId(bytes))).toBe(true)
  })

  it("may be empty, and may have a name in any script", async () => {
    const door = await openDoor({ turns: false })
    const { status, body } = await upload(door, new Uint8Array(), "猫/🐈.txt")
    expect([status, body.size, body.name]).toEqual([201, 0, "猫/🐈.txt"])
  })

  it("is refused when it is declared too large, before a byte of it is read", async () => {
    const door = await openDoor({ turns: false })
    const headers = { "content-length": String(4 * 1024 ** 3) }
    const { status, headers: answered } = await door.ask("post", "/v1/blobs", { headers })
    expect([status, answered.get("connection")]).toEqual([413, "close"])
  })

  it("leaves nothing when its sender breaks off", async () => {
    const door = await openDoor({ turns: false })
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1000)),
      pull: (controller) => controller.error(new Error("the line is dead")),
    })
    const { status } = await door.ask("post", "/v1/blobs", { body })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await collect(door.host.blobs.list())).toEqual([])
    expect(await door.host.store.knownBlobs()).toEqual([])
  })
})

describe("a download", () => {
  it("gives the bytes back", async () => {
    const door = await openDoor({ turns: false })
    const bytes = randomBytes(600_000)
    const { path } = await attached(door, bytes)
    const response = await door.request("get", path)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-length")).toBe(String(bytes.length))
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it.each([
    ["bytes=0-9", 206, 0, 10],
    ["bytes=10-", 206, 10, 100],
    ["bytes=-10", 206, 90, 100],
    ["bytes=95-200", 206, 95, 100],
    ["bytes=-1000", 206, 0, 100],
    ["bytes=0-0", 206, 0, 1],
    ["bytes=100-", 416, 0, 0],
    ["bytes=5-2", 416, 0, 0],
    ["bytes=-0", 416, 0, 0],
    [`bytes=${"9".repeat(400)}-`, 416, 0, 0],
    ["bytes=0-1,4-5", 200, 0, 100],
    ["bytes=a-b", 200, 0, 100],
    ["bytes=-", 200, 0, 100],
    ["lines=1-2", 200, 0, 100],
  ])("answers the range %s", async (range, status, start, end) => {
    const door = await openDoor({ turns: false })
    const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => at))
    const { path } = await attached(door, bytes)
    const response = await door.request("get", path, { headers: { range } })
    const got = Buffer.from(await response.arrayBuffer())
    expect([response.status, [...got]]).toEqual([status, [...bytes.subarray(start, end)]])
    if (status === 206)
      expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/100`)
    if (status === 416) expect(response.headers.get("content-range")).toBe("bytes */100")
  })

  it("shows pictures in place, and hands out everything else as a file that cannot act", async () => {
    const door = await openDoor({ turns: false })
    const cases = [
      [png(), "a.png", "image/png", "inline"],
      [
        Buffer.from("<script>alert(1)</script>"),
        "a.html",
        "application/octet-stream",
        "attachment",
      ],
      [
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        "a.svg",
        "application/octet-stream",
        "attachment",
      ],
    ] as const
    for (const [bytes, name, type, disposition] of cases) {
      const { path } = await attached(door, bytes, name)
      const { headers } = await door.ask("get", path)
      expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
        type,
        disposition,
      ])
      expect(headers.get("content-security-policy")).toContain("sandbox")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
    }
  })

  it("[D6] [DOOR-02] is the same 404 for a file of another session as for one that never was", async () => {
    const door = await openDoor({ turns: false })
    const { content } = await attached(door, Buffer.from("mine"))
    const [other, uploaded] = [await newSession(door), await upload(door, Buffer.from("nobody's"))]
    const probe = async (session: string, id: string) => {
      const { status, text, headers } = await door.ask("get", pathOf(session, id))
      const said = text.replaceAll(id, "ID").replaceAll(session, "SESSION")
      return [status, said, [...headers.keys()].toSorted().join()]
    }
    const never = await probe(other, MISSING.content)
    expect(never[0]).toBe(404)
    for (const id of [content, uploaded.body.content_id, "sha256:x", "..%2f..%2ftoken"])
      expect((await probe(other, id)).with(1, "")).toEqual(never.with(1, ""))
    expect(await probe(other, content)).toEqual(never)
    expect(await probe(MISSING.session, content)).toEqual(never)
  })

  it("[SES-021] goes along the path: a branch reads what it inherits", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const { session, content } = await attached(door, Buffer.from("shared"))
    await door.host.idle()
    const { body } = await door.ask("post", `/v1/sessions/${session}/branch`, { json: {} })
    const { status, text } = await door.ask("get", pathOf(body.session.id, content))
    expect([status, text]).toEqual([200, "shared"])
    await door.ask("delete", `/v1/sessions/${session}`)
    expect((await door.ask("get", pathOf(session, content))).status).toBe(404)
    expect((await door.ask("get", pathOf(body.session.id, content))).status).toBe(200)
    await door.ask("delete", `/v1/sessions/${body.session.id}`)
    expect(await door.host.blobs.size(content)).toBeUndefined()
  })
})
