import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { ROUTES } from "../../packages/server/app.ts"
import type { Route } from "../../packages/server/route.ts"
import { png } from "../build.ts"
import { ask, begin, fire, keyOf } from "../store/build.ts"
import { ENTITY_CASES, knownEntity } from "./entity-cases.ts"
import { FILE_CASES, knownFiles } from "./file-cases.ts"
import { type Door, MISSING, newSession, openDoor, type Request, send } from "./house.ts"

/** What is in the folder when a route is asked. */
interface World extends Door {
  readonly session: string
  readonly fired: string
  readonly waiting: string
  readonly turn: string
  readonly content: string
  /** Where a turn waits for a person, up to its calls. */
  readonly calls: string
  /** A branch beside it, and the note that it begins with; and a session that was rewound. */
  readonly sidecar: string
  readonly note: string
  readonly rewound: string
  /** A webhook, whose key is `KEY`. */
  readonly trigger: string
  /** A memory that was proposed. */
  readonly proposal: string
  /** A folder that the session was given. */
  readonly scope: string
  /** By which user:ana comes in. */
  readonly principal_token: string
}

const KEY = "the-key-of-a-webhook"

async function world(): Promise<World> {
  // Nobody listens there: no test asks the public catalog.
  const environment = { COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json" }
  const door = await openDoor({ script: [{ text: "ok" }], environment })
  const session = await newSession(door)
  const image = { type: "file-attachment", name: "a.png", mime: "image/png" }
  const sent = await send(door, session, "hello", {
    parts: [{ ...image, data: png().toString("base64") }],
  })
  await door.host.idle()
  await knownEntity(door)
  await knownFiles(door)
  const waiting = await send(door, session, "later", { mode: "paused" })
  return {
    ...door,
    session,
    fired: sent.message.id,
    waiting: waiting.message.id,
    turn: sent.turn.id,
    content: sent.message.parts[0].data.content_id,
    calls: await waitingCalls(door),
    ...(await sidecarOf(door, session)),
    rewound: await rewound(door),
    trigger: await remembered(door, session),
    proposal: await proposed(door),
    scope: await given(door, session),
    principal_token: await principalToken(door),
  }
}

async function given({ host }: Door, session_id: string): Promise<string> {
  const scope = await host.scopes.mint(session_id, "/")
  if ("type" in scope) throw new Error(scope.reason)
  return scope.id
}

/** A memory named `known`, and a webhook. */
async function remembered({ host }: Door, session_id: string): Promise<string> {
  const { memories, triggers } = host.equipment
  const memory = await memories.of(host.workspace)
  const note = { scope: "project", name: "known", body: "It is known." } as const
  await memory.write({ ...note, author: { by: "user" } })
  const source = { source: "webhook", key: { kind: "bearer", token: KEY } } as const
  return (await triggers.add({ session_id, source, prompt: "{{body}}" })).trigger.id
}

async function proposed({ host }: Door): Promise<string> {
  const memory = await host.equipment.memories.of(host.workspace)
  const note = { scope: "project", name: "asked", body: "It is asked for." } as const
  const change = { action: "write", ...note, author: { by: "agent" } } as const
  const answer = await memory.propose(change, "Nobody watched.")
  return answer.type === "done" ? answer.value.id : answer.message
}

async function principalToken({ host: { principals } }: Door): Promise<string> {
  await principals.add({ id: "user:ana", workspaces: [] })
  const about = { name: "first", expires_at: null }
  return (await principals.addToken("user:ana", about)).token.id
}

async function sidecarOf(door: Door, session: string) {
  const json = { metadata: { ephemeral: true } }
  const { body } = await door.ask("post", `/v1/sessions/${session}/branch`, { json })
  const { messages } = await door.host.store.history(body.session.id, { limit: 1 })
  return { sidecar: body.session.id as string, note: messages[0]?.id ?? "" }
}

async function rewound({ host: { store } }: Door): Promise<string> {
  const { id } = await begin(store)
  await store.rewind({ session_id: id, before_message_id: null })
  return id
}

const WAITS = [
  ["approve", "approval"],
  ["deny", "approval"],
  ["answer", "answer"],
  ["retry", "interrupted"],
  ["skip", "interrupted"],
] as const

/** A turn that waits for one call of each kind; each is named after what is said to it. */
async function waitingCalls({ host: { store } }: Door): Promise<string> {
  const { id } = await begin(store)
  const { claim } = await fire(store, id, "do it")
  const message_id = await ask(store, claim.turn)
  const parts = WAITS.map(([tool_call_id], index) => {
    const data = { type: "tool-do", tool_call_id, state: "input-available", input: {} }
    const about = { id: newId("prt"), index, type: data.type, data_json: JSON.stringify(data) }
    return { ...about, tool_call_id, tool_state: data.state }
  })
  const answer = { message_id, metadata: { finish: "tool-call" }, parts }
  await store.endAnswer({ ...keyOf(claim.turn), answer, usage: null })
  const asks = [{ permission: "fs.write", subject: "a" }]
  const waiting = WAITS.map(([call_id, kind]) => ({ call_id, tool: "do", for: kind, asks }))
  await store.waitFor({ ...keyOf(claim.turn), waiting })
  return `/v1/sessions/${id}/turns/${claim.turn.id}/calls`
}

type Case = readonly [path: string, request?: Request]
type Cases = (at: World) => { good: Case; bad: readonly [...Case, status: number] }

const UNAUTHORIZED = { headers: { authorization: null } }
const NOT_ONE = `/v1/sessions/${MISSING.session}`

/** Each route, asked rightly and wrongly. */
const CASES: Readonly<Record<string, Cases>> = {
  ...ENTITY_CASES,
  ...FILE_CASES,
  "get /v1/info": () => ({ good: ["/v1/info"], bad: ["/v1/info", UNAUTHORIZED, 401] }),
  "get /v1/models": () => ({ good: ["/v1/models"], bad: ["/v1/models", UNAUTHORIZED, 401] }),
  "post /v1/models/refresh": () => ({
    good: ["/v1/models/refresh"],
    bad: ["/v1/models/refresh", UNAUTHORIZED, 401],
  }),
  "get /v1/sessions/:id/switch": ({ session }) => ({
    good: [`/v1/sessions/${session}/switch?model=mirror/text`],
    bad: [`${NOT_ONE}/switch?model=mirror`, {}, 404],
  }),
  "post /v1/sessions/:id/rewind": ({ session, fired }) => ({
    good: [`/v1/sessions/${session}/rewind`, { json: { before_message_id: fired } }],
    bad: [`/v1/sessions/${session}/rewind`, { json: { before_message_id: MISSING.message } }, 404],
  }),
  "post /v1/sessions/:id/unrewind": ({ session, rewound }) => ({
    good: [`/v1/sessions/${rewound}/unrewind`, { json: {} }],
    bad: [`/v1/sessions/${session}/unrewind`, { json: {} }, 409],
  }),
  "post /v1/sessions/:id/close": ({ session, sidecar }) => ({
    good: [`/v1/sessions/${sidecar}/close`, { json: { as: "promote" } }],
    bad: [`/v1/sessions/${session}/close`, { json: {} }, 409],
  }),
  "post /v1/sessions/:id/bring-back": ({ sidecar, note }) => ({
    good: [`/v1/sessions/${sidecar}/bring-back`, { json: { message_id: note } }],
    bad: [`/v1/sessions/${sidecar}/bring-back`, { json: { message_id: MISSING.message } }, 404],
  }),
  "get /v1/diff-lowering": ({ session }) => ({
    good: [`/v1/diff-lowering?since=1&session=${session}`],
    bad: ["/v1/diff-lowering?since=yesterday", {}, 422],
  }),
  "post /v1/lower": () => ({
    good: ["/v1/lower", { json: { message: { parts: [{ type: "text", text: "hi" }] } } }],
    bad: ["/v1/lower", { json: { message: { parts: [] } } }, 422],
  }),
  "get /v1/commands": () => ({
    good: ["/v1/commands"],
    bad: [`/v1/commands?session=${MISSING.session}`, {}, 404],
  }),
  "get /v1/commands/doctor": () => ({
    good: ["/v1/commands/doctor"],
    bad: ["/v1/commands/doctor?session=none", {}, 422],
  }),
  "get /v1/commands/export": () => ({
    good: ["/v1/commands/export?to=claude"],
    bad: ["/v1/commands/export?to=nobody", {}, 422],
  }),
  "get /v1/trust": () => ({
    good: ["/v1/trust"],
    bad: [`/v1/trust?session=${MISSING.session}`, {}, 404],
  }),
  "post /v1/trust": () => ({
    good: ["/v1/trust", { json: { path: "/nowhere", trusted: false } }],
    bad: ["/v1/trust", { json: { path: "/nowhere" } }, 422],
  }),
  "post /v1/parse": () => ({
    good: ["/v1/parse", { json: { source: "/help @a.txt" } }],
    bad: ["/v1/parse", { json: { source: 1 } }, 422],
  }),
  "get /v1/complete": () => ({
    good: ["/v1/complete?source=%2Fhe"],
    bad: ["/v1/complete", {}, 422],
  }),
  "post /v1/complete": () => ({
    good: ["/v1/complete", { json: { source: "/help re", cursor: 8 } }],
    bad: ["/v1/complete", { json: { source: "/he", limit: 0 } }, 422],
  }),
  "post /v1/expand": () => ({
    good: ["/v1/expand", { json: { source: "/search things" } }],
    bad: ["/v1/expand", { json: { source: "/search" } }, 422],
  }),
  "get /v1/sessions/:id/draft": ({ session }) => ({
    good: [`/v1/sessions/${session}/draft`],
    bad: [`${NOT_ONE}/draft`, {}, 404],
  }),
  "put /v1/sessions/:id/draft": ({ session }) => ({
    good: [
      `/v1/sessions/${session}/draft`,
      { method: "PUT", json: { base_revision: 0, draft: { source: "half" } } },
    ],
    bad: [`/v1/sessions/${session}/draft`, { method: "PUT", json: { base_revision: 0 } }, 422],
  }),
  "get /v1/sessions/:id/draft/stash": ({ session }) => ({
    good: [`/v1/sessions/${session}/draft/stash`],
    bad: [`${NOT_ONE}/draft/stash`, {}, 404],
  }),
  "get /v1/sessions/:id/inspect": ({ session, fired }) => ({
    good: [`/v1/sessions/${session}/inspect?message=${fired}`],
    bad: [`/v1/sessions/${session}/inspect?message=${MISSING.message}`, {}, 404],
  }),
  "get /v1/export": () => ({
    good: ["/v1/export"],
    bad: [`/v1/export?session=${MISSING.session}`, {}, 404],
  }),
  "post /v1/import": () => ({
    good: ["/v1/import", { body: "\n" }],
    bad: ["/v1/import", { body: "not JSON\n" }, 422],
  }),
  "post /v1/vacuum": () => ({ good: ["/v1/vacuum"], bad: ["/v1/vacuum", UNAUTHORIZED, 401] }),
  "get /v1/sessions": () => ({
    good: ["/v1/sessions?limit=5&archived=true"],
    bad: ["/v1/sessions?limit=0", {}, 422],
  }),
  "post /v1/sessions": () => ({
    good: ["/v1/sessions", { json: { title: "Plans", model: "scripted" } }],
    bad: ["/v1/sessions", { json: { model: "nobody/nothing" } }, 422],
  }),
  "get /v1/sessions/:id": ({ session }) => ({
    good: [`/v1/sessions/${session}`],
    bad: [NOT_ONE, {}, 404],
  }),
  "patch /v1/sessions/:id": ({ session }) => ({
    good: [`/v1/sessions/${session}`, { json: { title: "Plans", archived: true } }],
    bad: [`/v1/sessions/${session}`, { json: { titel: "Plans" } }, 422],
  }),
  "delete /v1/sessions/:id": ({ session }) => ({
    good: [`/v1/sessions/${session}?cascade=true`],
    bad: [NOT_ONE, {}, 404],
  }),
  "post /v1/sessions/:id/branch": ({ session, fired }) => ({
    good: [`/v1/sessions/${session}/branch`, { json: { from_message_id: fired } }],
    bad: [`/v1/sessions/${session}/branch`, { json: { from_message_id: MISSING.message } }, 404],
  }),
  "get /v1/sessions/:id/status": ({ session }) => ({
    good: [`/v1/sessions/${session}/status`],
    bad: [`${NOT_ONE}/status`, {}, 404],
  }),
  "post /v1/sessions/:id/abort": ({ session }) => ({
    good: [`/v1/sessions/${session}/abort`, { json: {} }],
    bad: [`/v1/sessions/${session}/abort`, { json: { clear: "yes" } }, 422],
  }),
  "post /v1/sessions/:id/messages": ({ session }) => ({
    good: [`/v1/sessions/${session}/messages`, { json: { message: "hello" } }],
    bad: [`${NOT_ONE}/messages`, { json: { parts: [{ type: "text", text: "hello" }] } }, 404],
  }),
  "get /v1/sessions/:id/messages": ({ session }) => ({
    good: [`/v1/sessions/${session}/messages?limit=1`],
    bad: [`/v1/sessions/${session}/messages?before=nowhere`, {}, 422],
  }),
  "delete /v1/sessions/:id/messages/:message": ({ session, fired }) => ({
    good: [`/v1/sessions/${session}/messages/${fired}`],
    bad: [`/v1/sessions/${session}/messages/${MISSING.message}`, {}, 404],
  }),
  "get /v1/sessions/:id/queue": ({ session }) => ({
    good: [`/v1/sessions/${session}/queue`],
    bad: [`${NOT_ONE}/queue`, {}, 404],
  }),
  "patch /v1/sessions/:id/queue/:message": ({ session, waiting, fired }) => ({
    good: [`/v1/sessions/${session}/queue/${waiting}`, { json: { state: "editing" } }],
    bad: [`/v1/sessions/${session}/queue/${fired}`, { json: { state: "editing" } }, 409],
  }),
  "delete /v1/sessions/:id/queue/:message": ({ session, waiting, fired }) => ({
    good: [`/v1/sessions/${session}/queue/${waiting}`],
    bad: [`/v1/sessions/${session}/queue/${fired}`, {}, 409],
  }),
  "get /v1/sessions/:id/turns": ({ session, fired }) => ({
    good: [`/v1/sessions/${session}/turns?message=${fired}`],
    bad: [`${NOT_ONE}/turns`, {}, 404],
  }),
  "get /v1/sessions/:id/turns/:turn": ({ session, turn }) => ({
    good: [`/v1/sessions/${session}/turns/${turn}`],
    bad: [`/v1/sessions/${session}/turns/${MISSING.turn}`, {}, 404],
  }),
  "get /v1/sessions/:id/turns/:turn/receipts": ({ session, turn }) => ({
    good: [`/v1/sessions/${session}/turns/${turn}/receipts`],
    bad: [`/v1/sessions/${session}/turns/${MISSING.turn}/receipts`, {}, 404],
  }),
  "post /v1/sessions/:id/turns/:turn/calls/:call/approve": ({ calls }) => ({
    good: [`${calls}/approve/approve`, { json: { always: true } }],
    bad: [`${calls}/answer/approve`, { json: {} }, 409],
  }),
  "post /v1/sessions/:id/turns/:turn/calls/:call/deny": ({ calls }) => ({
    good: [`${calls}/deny/deny`, { json: { reason: "no" } }],
    bad: [`${calls}/retry/deny`, { json: {} }, 409],
  }),
  "post /v1/sessions/:id/turns/:turn/calls/:call/answer": ({ calls }) => ({
    good: [`${calls}/answer/answer`, { json: { answers: [["yes"]] } }],
    bad: [`${calls}/answer/answer`, { json: { answers: "yes" } }, 422],
  }),
  "post /v1/sessions/:id/turns/:turn/calls/:call/retry": ({ calls }) => ({
    good: [`${calls}/retry/retry`],
    bad: [`${calls}/approve/retry`, {}, 409],
  }),
  "post /v1/sessions/:id/turns/:turn/calls/:call/skip": ({ calls, session }) => ({
    good: [`${calls}/skip/skip`],
    bad: [`/v1/sessions/${session}/turns/${MISSING.turn}/calls/skip/skip`, {}, 404],
  }),
  "get /v1/sessions/:id/events": ({ session }) => ({
    good: [`/v1/sessions/${session}/events`],
    bad: [`/v1/sessions/${session}/events`, { headers: { "last-event-id": "yesterday" } }, 422],
  }),
  "get /v1/events": () => ({ good: ["/v1/events"], bad: ["/v1/events", UNAUTHORIZED, 401] }),
  "post /v1/blobs": () => ({
    good: ["/v1/blobs?name=a.txt", { body: "hello" }],
    bad: ["/v1/blobs?name=", { body: "hello" }, 422],
  }),
  "post /v1/sessions/:id/scopes": ({ session }) => ({
    good: [`/v1/sessions/${session}/scopes`, { json: { path: "/" } }],
    bad: [`/v1/sessions/${session}/scopes`, { json: { path: "/no/such/folder" } }, 422],
  }),
  "get /v1/sessions/:id/scopes": ({ session }) => ({
    good: [`/v1/sessions/${session}/scopes`],
    bad: [`/v1/sessions/${session}/scopes`, UNAUTHORIZED, 401],
  }),
  "delete /v1/sessions/:id/scopes/:scope": ({ session, scope }) => ({
    good: [`/v1/sessions/${session}/scopes/${scope}`],
    bad: [`/v1/sessions/${session}/scopes/dir_x`, {}, 404],
  }),
  "get /v1/memory": () => ({
    good: ["/v1/memory?scope=project"],
    bad: ["/v1/memory?scope=ours", {}, 422],
  }),
  "get /v1/memory/:name": () => ({
    good: ["/v1/memory/known?scope=project"],
    bad: ["/v1/memory/unknown", {}, 404],
  }),
  "put /v1/memory/:name": () => ({
    good: ["/v1/memory/new", { json: { scope: "project", body: "Something new." } }],
    bad: ["/v1/memory/No%20name", { json: { scope: "project", body: "x" } }, 422],
  }),
  "delete /v1/memory/:name": () => ({
    good: ["/v1/memory/known?scope=project"],
    bad: ["/v1/memory/unknown?scope=project", {}, 404],
  }),
  "get /v1/memory-proposals": () => ({
    good: ["/v1/memory-proposals"],
    bad: ["/v1/memory-proposals?session=none", {}, 422],
  }),
  "post /v1/memory-proposals/:id": ({ proposal }) => ({
    good: [`/v1/memory-proposals/${proposal}`, { json: { accept: true } }],
    bad: ["/v1/memory-proposals/prp_0000000000000000", { json: { accept: true } }, 404],
  }),
  "get /v1/triggers": ({ session }) => ({
    good: [`/v1/triggers?session=${session}`],
    bad: ["/v1/triggers?session=none", {}, 422],
  }),
  "post /v1/triggers": ({ session }) => ({
    good: [
      "/v1/triggers",
      { json: { session_id: session, source: { source: "webhook" }, prompt: "{{body}}" } },
    ],
    bad: [
      "/v1/triggers",
      { json: { session_id: MISSING.session, source: { source: "api" }, prompt: "x" } },
      404,
    ],
  }),
  "get /v1/triggers/:trigger": ({ trigger }) => ({
    good: [`/v1/triggers/${trigger}`],
    bad: ["/v1/triggers/none", {}, 404],
  }),
  "patch /v1/triggers/:trigger": ({ trigger }) => ({
    good: [`/v1/triggers/${trigger}`, { json: { enabled: false } }],
    bad: ["/v1/triggers/none", { json: { enabled: false } }, 404],
  }),
  "delete /v1/triggers/:trigger": ({ trigger }) => ({
    good: [`/v1/triggers/${trigger}`],
    bad: ["/v1/triggers/none", {}, 404],
  }),
  "post /v1/triggers/:trigger/fire": ({ trigger }) => ({
    good: [`/v1/triggers/${trigger}/fire`, { json: { payload: { a: 1 } } }],
    bad: ["/v1/triggers/none/fire", { json: {} }, 404],
  }),
  "post /v1/hooks/:trigger": ({ trigger }) => ({
    good: [`/v1/hooks/${trigger}`, { body: "hello", headers: { authorization: `Bearer ${KEY}` } }],
    bad: [`/v1/hooks/${trigger}`, { body: "hello" }, 401],
  }),
  "get /v1/principals": () => ({
    good: ["/v1/principals"],
    bad: ["/v1/principals", UNAUTHORIZED, 401],
  }),
  "post /v1/principals": () => ({
    good: ["/v1/principals", { json: { id: "project:site", workspaces: ["/usr"] } }],
    bad: ["/v1/principals", { json: { id: "ana", workspaces: [] } }, 422],
  }),
  "get /v1/principals/:principal": () => ({
    good: ["/v1/principals/user:ana"],
    bad: ["/v1/principals/user:nobody", {}, 404],
  }),
  "delete /v1/principals/:principal": () => ({
    good: ["/v1/principals/user:ana"],
    bad: ["/v1/principals/user:nobody", {}, 404],
  }),
  "get /v1/principals/:principal/tokens": () => ({
    good: ["/v1/principals/user:ana/tokens"],
    bad: ["/v1/principals/user:nobody/tokens", {}, 404],
  }),
  "post /v1/principals/:principal/tokens": () => ({
    good: ["/v1/principals/user:ana/tokens", { json: { name: "laptop" } }],
    bad: ["/v1/principals/user:ana/tokens", { json: { expires_at: 1 } }, 422],
  }),
  "delete /v1/principals/:principal/tokens/:token": ({ principal_token }) => ({
    good: [`/v1/principals/user:ana/tokens/${principal_token}`],
    bad: ["/v1/principals/user:ana/tokens/tok_none", {}, 404],
  }),
  "get /v1/audit": () => ({
    good: ["/v1/audit?principal=operator&since=0"],
    bad: ["/v1/audit?principal=everybody", {}, 422],
  }),
  "get /v1/mcp": () => ({
    good: ["/v1/mcp"],
    bad: [`/v1/mcp?session=${MISSING.session}`, {}, 404],
  }),
  "get /v1/agents": () => ({
    good: ["/v1/agents"],
    bad: [`/v1/agents?session=${MISSING.session}`, {}, 404],
  }),
  "get /v1/sessions/:id/blobs/:content": ({ session, content }) => ({
    good: [`/v1/sessions/${session}/blobs/${content}`],
    bad: [`/v1/sessions/${session}/blobs/${MISSING.content}`, {}, 404],
  }),
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

describe("routes", () => {
  it("are all asked here", () =>
    expect(Object.keys(CASES).toSorted()).toEqual(ROUTES.map(nameOf).toSorted()))

  it.each(ROUTES.map((route) => [nameOf(route), route] as const))(
    "%s answers what it promises, and a fault in the one shape",
    async (name, route) => {
      const at = await world()
      const { good, bad } = CASES[name]?.(at) ?? { good: [""], bad: ["", {}, 0] }
      const refused = await at.ask(route.method, bad[0], bad[1])
      expect([refused.status, shapeOf(refused.body)]).toEqual([bad[2], "error"])
      const response = await at.request(route.method, ...good)
      expect(response.status).toBe(route.status ?? 200)
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      if (route.answer) expect(route.answer.safeParse(await response.json()).error).toBeUndefined()
      else await response.body?.cancel()
      expect(at.failures).toEqual([])
    },
  )

  it.each(ROUTES.map((route) => [nameOf(route), route] as const))(
    "[DAE-001] %s needs the token",
    async (_, route) => {
      const door = await openDoor({ turns: false })
      const path = route.path.replace(/:\w+/g, "x")
      for (const authorization of [null, "Bearer wrong", "Basic a", "Bearer"]) {
        const { status, body } = await door.ask(route.method, path, { headers: { authorization } })
        expect([status, body.error.code]).toEqual([401, "unauthorized"])
      }
    },
  )

  it("say so when there is none, in the same shape", async () => {
    const door = await openDoor({ turns: false })
    for (const [method, path] of [
      ["get", "/v1/nothing"],
      ["put", "/v1/sessions"],
      ["get", "/nothing.html"],
      ["post", "/"],
    ] as const) {
      const { status, body } = await door.ask(method, path)
      expect([path, status, shapeOf(body)]).toEqual([path, 404, "error"])
    }
  })
})

function shapeOf(body: unknown): string {
  const { error } = body as { error?: { code?: unknown; message?: unknown } }
  const isError = typeof error?.code === "string" && typeof error.message === "string"
  return isError && Object.keys(body as object).join() === "error" ? "error" : JSON.stringify(body)
}
