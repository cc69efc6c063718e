import { describe, expect, it } from "vitest"
import { z } from "zod"
import { newId } from "../../packages/core/message/id.ts"
import { ROUTES } from "../../packages/server/app.ts"
import type { Route } from "../../packages/server/route.ts"
import { type Door, MISSING, newSession, openDoor, send } from "./house.ts"

const DEEP = 20_000

/** Bodies as text: some are not JSON, some are JSON that nobody asked for. */
const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "nothing at all": "",
  "half an object": '{"parts":',
  "no JSON": "parts=hello",
  "bytes that are no text": new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d]),
  null: "null",
  "a number": "1",
  "a string": '"hello"',
  "a list": "[]",
  "a deep list": "[".repeat(DEEP) + "]".repeat(DEEP),
  "a deep object": '{"metadata":'.repeat(DEEP) + "1" + "}".repeat(DEEP),
  "deep metadata": `{"metadata":${nested(DEEP)},"parts":[{"type":"text","text":"x"}]}`,
  "a deep part": `{"parts":[{"type":"text","text":"x","more":${nested(DEEP)}}]}`,
  "a deep payload": `{"parts":[{"type":"editor-context","kind":"a","emitted_at":1,"payload":{"a":${nested(DEEP)}}}]}`,
  "deep arguments": `{"parts":[{"type":"command","id":"/a","args":{"a":${nested(DEEP)}}}]}`,
  "a deep message to lower": `{"message":{"parts":[{"type":"later","a":${nested(DEEP)}}]}}`,
  "deep nodes": `{"source":"x","nodes":[${nested(DEEP)}]}`,
  "prototype keys": '{"__proto__":{"clear":true},"constructor":{"prototype":{"x":1}}}',
  "the same key twice": '{"title":"a","title":"b"}',
}

function nested(depth: number): string {
  return '{"a":'.repeat(depth) + "null" + "}".repeat(depth)
}

/** Values for every field of every body. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\ud800",
  "\udfff\ud800",
  "a\0b",
  "../../etc/passwd",
  "'; DROP TABLE chat_sessions; --",
  "x".repeat(100_000),
  newId("msg"),
  newId("ses"),
  MISSING.turn,
  [],
  [null],
  [[]],
  {},
  JSON.parse('{"__proto__":{"type":"text"}}'),
  { constructor: 1, toString: 1, hasOwnProperty: 1 },
  { type: "text" },
  { provider_id: "scripted", model_id: "\ud800" },
  { provider_id: "__proto__", model_id: "constructor" },
  "__proto__",
  "constructor/x",
]

const PARTS: readonly Record<string, unknown>[] = [
  { type: "text", text: "x" },
  { type: "file-ref", ref: { kind: "path", path: "a", range: { start: 1, end: 2 } } },
  { type: "file-ref", ref: { kind: "content", content_id: MISSING.content } },
  { type: "file-ref", ref: { kind: "mcp", server: "a", uri: "b" } },
  { type: "file-attachment", name: "a", mime: "b", data: "AAAA", size: 3 },
  { type: "file-attachment", name: "a", mime: "b", content_id: MISSING.content },
  { type: "command", id: "/a", args: {} },
  { type: "mention", target: { kind: "file", path: "a", range: { start: 1, end: 2 } } },
  { type: "editor-context", kind: "a", source: "b", payload: {}, emitted_at: 1 },
  { type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: "a" } },
  { type: "later", text: "x" },
]

const WRITES = ROUTES.filter(({ body }) => body !== undefined)

async function addressesOf(door: Door) {
  const session = await newSession(door)
  const { message } = await send(door, session, "wait", { mode: "paused" })
  return (route: Route) => route.path.replace(":id", session).replace(":message", message.id)
}

/** Whatever was sent, it was the sender's fault or it was fine. */
async function copes(door: Door, label: string, asked: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await asked
  expect([label, status < 500 ? "fine" : [status, ...door.failures]]).toEqual([label, "fine"])
  if (status < 400) return
  expect([label, (body as { error?: { code?: unknown } }).error?.code]).toEqual([
    label,
    expect.any(String),
  ])
}

/** What a body may say; of one that says nothing, something that it may not. */
function fieldsOf({ body }: Route): string[] {
  const schema = z.toJSONSchema(body ?? z.object({}), { io: "input", unrepresentable: "any" })
  const fields = Object.keys(schema.properties ?? {})
  return fields.length === 0 ? ["anything"] : fields
}

describe("a bad body", () => {
  it.each(WRITES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "never makes %s fail on our side",
    async (_, route) => {
      const door = await openDoor({ turns: false })
      const path = (await addressesOf(door))(route)
      for (const [label, body] of Object.entries(BODIES)) {
        const headers = { "content-type": "application/json" }
        await copes(door, label, door.ask(route.method, path, { body, headers }))
      }
    },
  )

  it.each(WRITES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "never makes %s fail on our side, field by field",
    async (_, route) => {
      const door = await openDoor({ turns: false })
      const path = (await addressesOf(door))(route)
      for (const field of fieldsOf(route))
        for (const value of VALUES) {
          const json = { ...baseOf(route), [field]: value }
          const label = `${field}: ${JSON.stringify(value).slice(0, 60)}`
          await copes(door, label, door.ask(route.method, path, { json }))
        }
    },
  )

  it("[DOOR-01] never makes a part fail on our side, field by field", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const session = await newSession(door)
    for (const part of PARTS)
      for (const bad of spoilt(part)) {
        const label = JSON.stringify(bad).slice(0, 100)
        const json = { parts: [bad], mode: "paused" }
        await copes(door, label, door.ask("post", `/v1/sessions/${session}/messages`, { json }))
        const draft = { message: { parts: [bad] }, api: "anthropic-messages" }
        await copes(door, label, door.ask("post", "/v1/lower", { json: draft }))
      }
    await copes(door, "history", door.ask("get", `/v1/sessions/${session}/queue`))
    await copes(door, "export", door.ask("get", "/v1/export"))
  })

  it("[BEY-02] never bricks the session that took it", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const session = await newSession(door)
    for (const part of PARTS)
      for (const bad of spoilt(part).filter((_, at) => at % 5 === 0))
        await door.ask("post", `/v1/sessions/${session}/messages`, { json: { parts: [bad] } })
    await door.host.idle()
    await send(door, session, "still there?")
    await door.host.idle()
    const turns = await door.host.store.turns(session)
    expect(turns.filter(({ state }) => state !== "finished")).toEqual([])
    expect(turns.length).toBeGreaterThan(30)
  })

  it("is refused with another content type, or none", async () => {
    const door = await openDoor({ turns: false })
    const address = await addressesOf(door)
    const types = [null, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
    for (const route of WRITES)
      for (const type of [...types, "application/jsonp", ""]) {
        const headers = { "content-type": type }
        const asked = { body: "{}", headers }
        const { status, body } = await door.ask(route.method, address(route), asked)
        expect([type, status, body.error.code]).toEqual([type, 415, "unsupported_media_type"])
      }
  })

  it("is told every fault at once, with its place", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const { status, body } = await door.ask("post", `/v1/sessions/${session}/messages`, {
      json: { parts: [{ type: "text" }, { type: "mention", target: {} }], mode: "soon" },
    })
    expect(status).toBe(422)
    expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "/mode",
      "/parts/0/text",
      "/parts/1/target/kind",
    ])
  })
})

describe("a bad address", () => {
  const IDS = ["x", MISSING.session, "%00", "..%2f..", "%F0%9F%98%80", "a".repeat(3000), "%zz", "'"]

  it.each(
    ROUTES.filter(({ path }) => path.includes(":")).map((route) => [route.path, route] as const),
  )("never makes %s fail on our side", async (_, route) => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    for (const id of IDS) {
      const json = route.body ? baseOf(route) : undefined
      const known = route.path.replace(":id", session)
      const paths = known.includes(":") ? [route.path, known] : [route.path]
      for (const path of paths) {
        const answer = await door.request(
          route.method,
          path.replace(/:\w+/g, id),
          json ? { json } : {},
        )
        await answer.body?.cancel()
        expect([id, path, Math.trunc(answer.status / 100)]).toEqual([id, path, 4])
      }
    }
  })

  it.each([
    "/v1/sessions?limit=abc",
    "/v1/sessions?limit=-1",
    "/v1/sessions?limit=501",
    "/v1/sessions?limit=1e9",
    "/v1/sessions?archived=maybe",
    "/v1/export?blobs=maybe",
    "/v1/blobs?inline=maybe",
  ])("is refused: %s", async (path) => {
    const door = await openDoor({ turns: false })
    const method = path.startsWith("/v1/blobs") ? "post" : "get"
    expect(await door.ask(method, path)).toMatchObject({ status: 422 })
  })

  it.each(["before=", "before=x:1e99", "before=%00", "before=ses_a:9007199254740993"])(
    "may name no page: ?%s",
    async (query) => {
      const door = await openDoor({ turns: false })
      const session = await newSession(door)
      await copes(door, query, door.ask("get", `/v1/sessions/${session}/messages?${query}`))
      await copes(door, query, door.ask("get", `/v1/sessions?${query}`))
    },
  )
})

function baseOf({ path }: Route): Record<string, unknown> {
  if (path === "/v1/lower") return { message: { parts: [{ type: "text", text: "x" }] } }
  return path.endsWith("/messages") ? { parts: [{ type: "text", text: "x" }] } : {}
}

/** The part with each of its fields, and theirs, replaced by each bad value. */
function spoilt(part: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(part).flatMap(([field, value]) => {
    const inside =
      typeof value === "object" && value !== null ? spoilt(value as Record<string, unknown>) : []
    return [...VALUES, ...inside].map((bad) => ({ ...part, [field]: bad }))
  })
}
