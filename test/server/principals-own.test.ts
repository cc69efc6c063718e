import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { PRINCIPALS_MAY } from "../../packages/server/access.ts"
import { ROUTES } from "../../packages/server/app.ts"
import { ELECTRIC_ROUTES } from "../../packages/server/routes/electric.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { ask as request, begin, fire, keyOf } from "../store/build.ts"
import {
  addPerson,
  type Ask,
  good,
  openShared,
  type Person,
  type Question,
  type Things,
  thingsOf,
} from "./principals-world.ts"

interface At extends Things {
  readonly ask: Ask
  readonly person: Person
  readonly store: Store
  /** A change of the person's memory that waits, by its id. */
  readonly propose: () => Promise<string>
}
type Asked = readonly [path: string, request?: Question]
type Own = (at: At) => Asked | Promise<Asked>

const INPUT = { type: "composer_input", payload: { source: "hello" } }
const DAILY = { schedule: { kind: "interval", every_ms: 86_400_000 } }
const call = (said: string, json?: object): [string, Own] => [
  `POST /v1/sessions/:id/turns/:turn/calls/:call/${said}`,
  async ({ store, person }) => {
    const path = `${await waitingCall(store, person.id, said)}/${said}`
    return json ? [path, { json }] : [path]
  },
]

/** Each route that changes something, asked by one whose things it is about. */
const OWN: Readonly<Record<string, Own>> = {
  "POST /v1/lower": ({ session }) => [
    "/v1/lower",
    { json: { session_id: session, message: { source: "hello" } } },
  ],
  "POST /v1/sessions": () => ["/v1/sessions", { json: { id: newId("ses"), model: "scripted" } }],
  "PATCH /v1/sessions/:id": ({ session }) => [`/v1/sessions/${session}`, { json: { title: "x" } }],
  "DELETE /v1/sessions/:id": async ({ ask }) => [`/v1/sessions/${await another(ask)}`],
  "POST /v1/sessions/:id/branch": ({ session, fired }) => [
    `/v1/sessions/${session}/branch`,
    { json: { from_message_id: fired } },
  ],
  "POST /v1/sessions/:id/rewind": async ({ ask }) => [
    `/v1/sessions/${await another(ask)}/rewind`,
    { json: { before_message_id: null } },
  ],
  "POST /v1/sessions/:id/unrewind": async ({ ask }) => {
    const at = `/v1/sessions/${await another(ask)}`
    await good(ask, "post", `${at}/rewind`, { json: { before_message_id: null } })
    return [`${at}/unrewind`, { json: {} }]
  },
  "POST /v1/sessions/:id/abort": ({ sidecar }) => [`/v1/sessions/${sidecar}/abort`, { json: {} }],
  "POST /v1/sessions/:id/close": ({ sidecar }) => [`/v1/sessions/${sidecar}/close`, { json: {} }],
  "POST /v1/sessions/:id/bring-back": async ({ ask, sidecar }) => {
    const { messages } = await good(ask, "get", `/v1/sessions/${sidecar}/messages`)
    const json = { message_id: messages.at(-1).id }
    return [`/v1/sessions/${sidecar}/bring-back`, { json }]
  },
  "POST /v1/sessions/:id/messages": ({ session, uploaded }) => [
    `/v1/sessions/${session}/messages`,
    {
      json: {
        id: newId("msg"),
        source: "hello",
        mode: "paused",
        parts: [
          { type: "file-attachment", name: "a.txt", mime: "text/plain", content_id: uploaded },
        ],
      },
    },
  ],
  "DELETE /v1/sessions/:id/messages/:message": async ({ ask }) => {
    const [session, message] = await said(ask)
    return [`/v1/sessions/${session}/messages/${message}`]
  },
  "PATCH /v1/sessions/:id/queue/:message": ({ session, waiting }) => [
    `/v1/sessions/${session}/queue/${waiting}`,
    { json: { source: "changed" } },
  ],
  "DELETE /v1/sessions/:id/queue/:message": async ({ ask, session }) => {
    const json = { message: "never mind", mode: "paused" }
    const { message } = await good(ask, "post", `/v1/sessions/${session}/messages`, { json })
    return [`/v1/sessions/${session}/queue/${message.id}`]
  },
  "PUT /v1/sessions/:id/draft": async ({ ask }) => [
    `/v1/sessions/${await another(ask)}/draft`,
    { json: { base_revision: 0, draft: { source: "hello" } } },
  ],
  "POST /v1/sessions/:id/scopes": ({ session, person }) => [
    `/v1/sessions/${session}/scopes`,
    { json: { path: person.workspace } },
  ],
  "DELETE /v1/sessions/:id/scopes/:scope": async ({ ask, session, person }) => {
    const at = `/v1/sessions/${session}/scopes`
    const { scope } = await good(ask, "post", at, { json: { path: person.workspace } })
    return [`${at}/${scope.id}`]
  },
  "POST /v1/blobs": () => ["/v1/blobs?name=b.txt", { body: "hello" }],
  "POST /v1/parse": ({ session }) => ["/v1/parse", { json: { session, source: "hello @notes" } }],
  "POST /v1/complete": ({ session }) => ["/v1/complete", { json: { session, source: "@no" } }],
  "POST /v1/expand": ({ person }) => [
    "/v1/expand",
    { json: { workspace: person.workspace, source: "hello" } },
  ],
  "PUT /v1/memory/:name": () => [
    "/v1/memory/new",
    { json: { scope: "project", body: "something new" } },
  ],
  "POST /v1/memory-proposals/:id": async ({ propose }) => [
    `/v1/memory-proposals/${await propose()}`,
    { json: { accept: false } },
  ],
  "DELETE /v1/memory/:name": async ({ ask }) => {
    await good(ask, "put", "/v1/memory/old", { json: { scope: "user", body: "something old" } })
    return ["/v1/memory/old?scope=user"]
  },
  "POST /v1/triggers": ({ session }) => [
    "/v1/triggers",
    { json: { session_id: session, source: { source: "api" }, prompt: "x" } },
  ],
  "PATCH /v1/triggers/:trigger": async (at) => [
    `/v1/triggers/${await wakeup(at)}`,
    { json: { enabled: false } },
  ],
  "DELETE /v1/triggers/:trigger": async (at) => [`/v1/triggers/${await wakeup(at)}`],
  "POST /v1/triggers/:trigger/fire": async (at) => [
    `/v1/triggers/${await wakeup(at)}/fire`,
    { json: { payload: "now" } },
  ],
  "PUT /v1/entities/:type/:id": () => [
    "/v1/entities/assistant/second",
    { json: { initial_message: { ...INPUT, mode: "paused" } } },
  ],
  "DELETE /v1/entities/:type/:id": async ({ ask }) => [await spawned(ask, "/v1")],
  "POST /v1/entities/:type/:id/fork": ({ entity }) => [
    `/v1/entities/assistant/${entity}/fork`,
    { json: {} },
  ],
  "POST /v1/entities/:type/:id/send": ({ entity }) => [
    `/v1/entities/assistant/${entity}/send`,
    { json: { ...INPUT, mode: "paused", key: newId("msg") } },
  ],
  "PATCH /v1/entities/:type/:id/inbox/:key": ({ entity, inbox }) => [
    `/v1/entities/assistant/${entity}/inbox/${inbox}`,
    { json: { payload: { source: "changed" } } },
  ],
  "DELETE /v1/entities/:type/:id/inbox/:key": (at) => held(at, "/v1"),
  "PUT /v1/entities/:type/:id/schedules/:name": ({ entity }) => [
    `/v1/entities/assistant/${entity}/schedules/second`,
    { json: DAILY },
  ],
  "DELETE /v1/entities/:type/:id/schedules/:name": async ({ ask, entity }) => {
    const path = `/v1/entities/assistant/${entity}/schedules/third`
    await good(ask, "put", path, { json: DAILY })
    return [path]
  },
  "PUT /_electric/entities/:type/:id": () => ["/_electric/entities/assistant/third", { json: {} }],
  "DELETE /_electric/entities/:type/:id": async ({ ask }) => [await spawned(ask, "/_electric")],
  "POST /_electric/entities/:type/:id/send": ({ entity }) => [
    `/_electric/entities/assistant/${entity}/send`,
    { json: { ...INPUT, mode: "paused" } },
  ],
  "PATCH /_electric/entities/:type/:id/inbox/:key": ({ entity, inbox }) => [
    `/_electric/entities/assistant/${entity}/inbox/${inbox}`,
    { json: { payload: { source: "changed" } } },
  ],
  "DELETE /_electric/entities/:type/:id/inbox/:key": (at) => held(at, "/_electric"),
  "POST /_electric/entities/:type/:id/attachments": ({ entity }) => [
    `/_electric/entities/assistant/${entity}/attachments`,
    { body: form() },
  ],
  "DELETE /_electric/entities/:type/:id/attachments/:attachment": async ({ ask, entity }) => {
    const at = `/_electric/entities/assistant/${entity}/attachments`
    const { attachment } = await good(ask, "post", at, { body: form() })
    return [`${at}/${attachment.id}`]
  },
  "POST /_electric/entities/:type/:id/tags/:tag": ({ entity }) => [
    `/_electric/entities/assistant/${entity}/tags/color`,
    { json: { value: "red" } },
  ],
  "DELETE /_electric/entities/:type/:id/tags/:tag": ({ entity }) => [
    `/_electric/entities/assistant/${entity}/tags/mine`,
  ],
  "POST /_electric/entities/:type/:id/fork": ({ entity }) => [
    `/_electric/entities/assistant/${entity}/fork`,
    { json: {} },
  ],
  ...Object.fromEntries([
    call("approve", {}),
    call("deny", {}),
    call("answer", { answers: [["yes"]] }),
    call("retry"),
    call("skip"),
  ]),
}

/** What a route that only shows something is asked beside what its path says. */
const QUERIES: Readonly<Record<string, (at: At) => string>> = {
  "GET /v1/export": ({ session }) => `?session=${session}`,
  "GET /v1/sessions/:id/switch": () => "?model=mirror/text",
  "GET /v1/commands/export": () => "?to=claude",
  "GET /v1/complete": () => "?source=@no",
  "GET /v1/files/content": () => "?path=notes.txt",
  "GET /v1/files/text": () => "?path=notes.csv",
  "GET /v1/files/inside": () => "?path=notes.zip",
}

/** They ask for another key, or for what only a machine with a server of its own has. */
const ELSEWHERE = new Set([
  "POST /v1/hooks/:trigger",
  "GET /v1/mcp/:server",
  "GET /v1/files/inside",
  "ALL /v1/stream/*",
])

async function another(ask: Ask): Promise<string> {
  return (await good(ask, "post", "/v1/sessions", { json: { model: "scripted" } })).session.id
}

async function said(ask: Ask): Promise<readonly [session: string, message: string]> {
  const session = await another(ask)
  const json = { message: "to be purged", mode: "paused" }
  const sent = await good(ask, "post", `/v1/sessions/${session}/messages`, { json })
  return [session, sent.message.id]
}

async function wakeup({ ask, session }: At): Promise<string> {
  const json = { session_id: session, source: { source: "api" }, prompt: "x" }
  return (await good(ask, "post", "/v1/triggers", { json })).trigger.id
}

async function spawned(ask: Ask, prefix: string): Promise<string> {
  const path = `${prefix}/entities/assistant/gone-${prefix.slice(1)}`
  await good(ask, "put", path, { json: {} })
  return path
}

async function held({ ask, entity }: At, prefix: string): Promise<Asked> {
  const at = `/entities/assistant/${entity}`
  const json = { ...INPUT, mode: "paused", key: `held-${prefix.slice(1)}` }
  await good(ask, "post", `/v1${at}/send`, { json })
  return [`${prefix}${at}/inbox/${json.key}`]
}

function form(): FormData {
  const body = new FormData()
  body.set("file", new File(["mine"], "a.txt"))
  body.set("subject", JSON.stringify({ type: "inbox", key: "next" }))
  return body
}

const WAITS = { approve: "approval", deny: "approval", answer: "answer" } as const

/** A turn of the principal's that waits for one call. */
async function waitingCall(store: Store, principal: string, said: string): Promise<string> {
  const { id } = await begin(store, { principal })
  const { claim } = await fire(store, id, "do it")
  const message_id = await request(store, claim.turn)
  const data = { type: "tool-do", tool_call_id: "one", state: "input-available", input: {} }
  const part = { id: newId("prt"), index: 0, type: data.type, data_json: JSON.stringify(data) }
  const parts = [{ ...part, tool_call_id: "one", tool_state: data.state }]
  const answer = { message_id, metadata: { finish: "tool-call" }, parts }
  await store.endAnswer({ ...keyOf(claim.turn), answer, usage: null })
  const asks = [{ permission: "fs.write", subject: "a" }]
  const kind = WAITS[said as keyof typeof WAITS] ?? "interrupted"
  await store.waitFor({
    ...keyOf(claim.turn),
    waiting: [{ call_id: "one", tool: "do", for: kind, asks }],
  })
  return `/v1/sessions/${id}/turns/${claim.turn.id}/calls/one`
}

function shownAt(at: At, pattern: string): string {
  const own: Readonly<Record<string, string>> = {
    type: "assistant",
    id: pattern.includes("/entities/") ? at.entity : at.session,
    message: at.fired,
    turn: at.turn,
    content: at.content,
    trigger: at.trigger,
    name: at.memory,
    attachment: at.attachment,
  }
  const path = pattern.replace(/^GET /, "").replace(/:(\w+)/g, (_, step: string) => own[step] ?? "")
  return `${path}${QUERIES[pattern]?.(at) ?? ""}`
}

describe("a principal", { timeout: 300_000 }, () => {
  it("has a place in the table for routes that there are, and no others", () => {
    const there = [
      ...ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
      ...ELECTRIC_ROUTES.map(([method, path]) => `${method} ${path}`),
      "ALL /v1/stream/*",
    ]
    expect([...PRINCIPALS_MAY].filter((pattern) => !there.includes(pattern))).toEqual([])
  })

  it("[PRI-005] uses on its own things every route that is open to it", async () => {
    const shared = await openShared()
    const person = await addPerson(shared, "ana")
    await writeFile(join(person.workspace, "notes.csv"), "a,b\n1,2\n")
    const things = await thingsOf(person, "ana")
    const { host } = shared.server
    const propose = async () => {
      const memory = await host.equipment.memories.of(person.workspace, person.id)
      const note = { scope: "user", name: "asked", body: "It is asked for." } as const
      const change = { action: "write", ...note, author: { by: "agent" } } as const
      const answer = await memory.propose(change, "Nobody watched.")
      if (answer.type !== "done") throw new Error(answer.message)
      return answer.value.id
    }
    const at: At = { ...things, person, ask: person.ask, store: host.store, propose }
    await shared.server.host.idle()
    const refused: string[] = []
    for (const pattern of [...PRINCIPALS_MAY].filter((one) => !ELSEWHERE.has(one))) {
      const [method = "", path = ""] = pattern.split(" ")
      const make = OWN[pattern] ?? (method === "GET" ? () => [shownAt(at, pattern)] as const : null)
      if (!make) throw new Error(`${pattern} is not asked: ${path}`)
      const asked = await make(at)
      const { status, text } = await person.ask(method, ...asked)
      if (status >= 300) refused.push(`${pattern} (${asked[0]}): ${status} ${text.slice(0, 200)}`)
    }
    expect(refused).toEqual([])
    expect(shared.failures).toEqual([])
  })

  it("[PRI-002] has streams of its own: made, appended to, forked, read as they grow, closed", async () => {
    const shared = await openShared()
    const { ask } = await addPerson(shared, "ana")
    const text = { "content-type": "text/plain" }
    await good(ask, "put", "/v1/stream/log", { body: "one ", headers: text })
    await good(ask, "post", "/v1/stream/log", { body: "two", headers: text })
    const fork = { ...text, "stream-forked-from": "/v1/stream/log" }
    await good(ask, "put", "/v1/stream/copy", { headers: fork })
    for (const path of ["/v1/stream/log", "/v1/stream/copy"])
      expect((await ask("get", `${path}?offset=-1`)).text).toBe("one two")
    expect((await ask("head", "/v1/stream/log")).status).toBe(200)
    expect((await ask("delete", "/v1/stream/copy")).status).toBe(204)
    expect((await ask("get", "/v1/stream/copy")).status).toBe(404)
  })
})
