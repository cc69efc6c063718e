// Two nodes on one PostgreSQL and one bucket, and people who do not trust each other or the database's
// other users.

import { createHash, randomUUID } from "node:crypto"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { noPostgres, withPostgres } from "./outside/postgres.ts"
import { type Reply, type Server, startServer, until } from "./outside/product.ts"
import { startS3 } from "./outside/s3.ts"

const NASTY = [
  "'; DROP TABLE chat_sessions; --",
  "$1 $2 ? ?? ::text '||pg_sleep(9)||'",
  "\\' \\x00 \\u0000 %_*[a-z]",
  "nul \u0000 inside",
  "half \ud800 of a pair",
]

describe.skipIf(noPostgres)("two nodes of a shared server", () => {
  const postgres = withPostgres()

  async function startNodes() {
    const store = await postgres().room(`nodes${randomUUID().slice(0, 8)}`)
    const s3 = await startS3()
    const environment = { COMPOSITOR_STORE: store, COMPOSITOR_BLOBS: s3.url, ...s3.environment }
    const [one, other] = await Promise.all([
      startServer({ environment }),
      startServer({ environment }),
    ])
    return { one, other, store }
  }

  it("[DOOR-01] [DOOR-02] take any string for what it is, forged notifications for nothing, and nobody for another", async () => {
    const { one, other, store } = await startNodes()
    const session = await one.session()
    for (const [at, nasty] of NASTY.entries())
      for (const reply of await Promise.all(everywhere(one, session, nasty)))
        expect(reply.status, `${at}: ${reply.text.slice(0, 300)}`).toBeLessThan(500)
    const title = NASTY[0]
    expect((await one.call("PATCH", `/v1/sessions/${session}`, { title })).status).toBe(200)

    await forgeNotifications(store, session)
    const { status, json } = await other.get(`/v1/sessions/${session}`)
    expect({ status, title: json.session.title }).toEqual({ status: 200, title })
    await until(async () => (await other.messages(session)).length > 0, "the other node had them")
    expect(other.log).not.toContain("Error")
    await expectApart(one, other)
  })
})

/** One person is told nothing of another's, by hash, offset, event id or node. */
async function expectApart(one: Server, other: Server) {
  const [ana, ben] = [await addPerson(one, "user:ana"), await addPerson(one, "user:ben")]
  const anas = new Person(one, ana)
  const bens = [new Person(one, ben), new Person(other, ben)]

  const secret = `ana's own words ${randomUUID()}`
  const uploaded = await anas.call("POST", "/v1/blobs?name=a.txt", secret)
  expect(uploaded.status).toBe(201)
  const { content_id } = uploaded.json
  expect(content_id).toBe(`sha256:${createHash("sha256").update(secret).digest("hex")}`)
  const { session } = (await anas.call("POST", "/v1/sessions", {})).json
  const parts = [uploaded.json.part, { type: "text", text: secret }]
  const sent = await anas.call("POST", `/v1/sessions/${session.id}/messages`, { parts })
  expect(sent.status).toBe(201)
  const stream = "/v1/stream/notes"
  expect((await anas.call("PUT", stream, [secret])).status).toBe(201)
  const offset = (await anas.call("GET", `${stream}?offset=-1`)).headers.get("stream-next-offset")

  for (const person of bens) {
    const own = (await person.call("POST", "/v1/sessions", {})).json.session.id
    const key = content_id.replace("sha256:", "")
    const attempts = [
      ["GET", `/v1/sessions/${session.id}`],
      ["GET", `/v1/sessions/${session.id}/events`, undefined, { "last-event-id": "0" }],
      ["GET", `/v1/sessions/${session.id}/blobs/${content_id}`],
      ["GET", `/v1/sessions/${own}/blobs/${content_id}`],
      ["GET", `/v1/sessions/${own}/blobs/${key.slice(0, 2)}%2f${key.slice(2)}`],
      ["GET", `/v1/sessions/${own}/blobs/sha256:..%2f..%2f${key}`],
      ["POST", `/v1/sessions/${own}/messages`, { parts: [uploaded.json.part] }],
      ["GET", `${stream}?offset=${offset}`],
      ["GET", `${stream}?offset=-1`],
      ["GET", `/v1/stream/user:ana/v1/stream/notes?offset=-1`],
      ["GET", `/v1/stream/..%2fuser:ana%2fv1%2fstream%2fnotes?offset=-1`],
      ["PUT", "/v1/stream/mine", undefined, { "stream-forked-from": stream }],
      ["PUT", "/v1/stream/mine", undefined, { "stream-forked-from": `user:ana${stream}` }],
      ["GET", `/v1/stream/sessions/${session.id}?offset=-1`],
      ["GET", `/v1/export?session=${session.id}`],
    ] as const
    for (const [method, path, body, headers] of attempts) {
      const reply = await person.call(method, path, body, headers)
      expect([400, 404, 422], `${method} ${path} ${reply.status}`).toContain(reply.status)
      expect(reply.text).not.toContain("own words")
    }
  }
}

/** The same words wherever words go. */
function everywhere(server: Server, session: string, nasty: string): Promise<Reply>[] {
  const raw = encodeURIComponent(nasty.toWellFormed())
  const at = `/v1/sessions/${session}`
  return [
    server.call("PATCH", at, { title: nasty, metadata: { [nasty]: nasty } }),
    server.send(session, nasty, { metadata: { [nasty]: nasty } }),
    server.send(session, [{ type: "later", name: nasty, [nasty]: nasty }]),
    server.post("/v1/sessions", { agent: nasty }),
    server.call("PUT", `${at}/draft`, { base_revision: 0, draft: { source: nasty } }),
    server.call("PUT", `/v1/memory/${raw}`, { description: nasty, body: nasty }),
    server.get(`/v1/sessions?before=${raw}`),
    server.get(`${at}/messages?before=${raw}`),
    server.get(`/v1/sessions/${raw}`),
    server.get(`${at}/blobs/${raw}`),
    server.call("PUT", `/v1/stream/${raw}`, [nasty]),
    server.call("PUT", `/v1/stream/plain${nasty.length}`, [nasty, { [nasty]: nasty }]),
    server.get(`/v1/stream/${raw}?offset=-1`),
    server.call("PUT", `/v1/entities/chat/${raw}`, { args: { [nasty]: nasty } }),
    server.post("/v1/triggers", { session_id: session, source: { source: "api" }, prompt: nasty }),
    server.post("/v1/principals", { id: nasty, name: nasty, workspaces: [] }),
    server.call("POST", `/v1/blobs?name=${raw}`, nasty),
    server.get(`/v1/audit?principal=${raw}`),
  ]
}

/** Whoever may connect to the database may notify on any channel. */
async function forgeNotifications(store: string, session: string) {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  const streams = [
    "",
    " ",
    "*",
    "x *",
    "x __proto__ constructor",
    "x ".repeat(3900),
    `x ${session}`,
  ]
  for (const payload of streams) await client.query("SELECT pg_notify('compositor', $1)", [payload])
  await client.end()
}

async function addPerson(server: Server, id: string): Promise<string> {
  const workspaces = [server.folders.workspace]
  expect((await server.post("/v1/principals", { id, workspaces })).status).toBe(201)
  const made = await server.post(`/v1/principals/${id}/tokens`, { name: "a token" })
  expect(made.status).toBe(201)
  return made.json.secret
}

class Person {
  readonly #server: Server
  readonly #token: string

  constructor(server: Server, token: string) {
    this.#server = server
    this.#token = token
  }

  call(method: string, path: string, body?: unknown, headers: object = {}): Promise<Reply> {
    const authorization = `Bearer ${this.#token}`
    return this.#server.call(method, path, body, { authorization, ...headers })
  }
}
