import { describe, expect, it } from "vitest"
import { ROUTES } from "../../packages/server/app.ts"
import { ELECTRIC_ROUTES } from "../../packages/server/routes/electric.ts"
import { MISSING } from "./house.ts"
import {
  type Answer,
  addPerson,
  type Ask,
  openShared,
  type Person,
  type Question,
  secretOf,
  type Shared,
  type Things,
  thingsOf,
} from "./principals-world.ts"

interface Probe {
  readonly method: string
  readonly path: string
  readonly request?: Question
}

interface One {
  readonly name: string
  readonly person: Person
  readonly things: Things
}

async function two(shared: Shared): Promise<readonly [One, One]> {
  const [ana, bert] = await Promise.all(
    ["ana", "bert"].map(async (name) => {
      const person = await addPerson(shared, name)
      return { name, person, things: await thingsOf(person, name) }
    }),
  )
  if (!ana || !bert) throw new Error("nobody came")
  return [ana, bert]
}

const ALL_ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...ROUTES.map(({ method, path }) => [method, path] as const),
  ...ELECTRIC_ROUTES.map(([method, path]) => [method.toLowerCase(), path] as const),
  ...["get", "head", "put", "post", "delete"].flatMap((method) =>
    ["sessions", "turns"].map((kind) => [method, `/v1/stream/${kind}/:any`] as const),
  ),
]

/** What each step of a route may be filled with; a step that is new here is filled with everything. */
function fillings(things: Things): Readonly<Record<string, readonly string[]>> {
  const { session, sidecar, entity_session, entity, fired, waiting, part, content } = things
  return {
    session: [session, sidecar, entity_session],
    message: [fired, waiting],
    turn: [things.turn],
    content: [content, things.uploaded],
    trigger: [things.trigger],
    scope: [things.scope],
    name: [things.memory],
    entity: [entity],
    key: [things.inbox, fired, waiting],
    attachment: [things.attachment],
    part: [part],
  }
}

const IDS: readonly (keyof Things)[] = [
  "session",
  "sidecar",
  "entity_session",
  "fired",
  "waiting",
  "part",
  "turn",
  "content",
  "uploaded",
  "trigger",
]

/** Names that mean something only among one's own: the same one again would be another thing. */
const MADE_BY_NAME = new Set([
  "put /v1/memory/:name",
  "put /v1/entities/:type/:id",
  "put /_electric/entities/:type/:id",
])
/** They ask for a key, and for no token. */
const OPEN = new Set(["post /v1/hooks/:trigger"])
/** What takes no JSON looks at none. */
const READ_JSON = new Set([
  ...ROUTES.filter(({ body }) => body).map(({ method, path }) => `${method} ${path}`),
  "put /_electric/entities/:type/:id",
  "post /_electric/entities/:type/:id/send",
  "patch /_electric/entities/:type/:id/inbox/:key",
  "post /_electric/entities/:type/:id/tags/:tag",
  "post /_electric/entities/:type/:id/fork",
])
const QUERY_KEYS = ["session", "anything"]

/** A name is looked for after its body was found to fit: these do. */
const BODIES: Readonly<Record<string, () => Question>> = {
  "patch /v1/entities/:type/:id/inbox/:key": () => ({ json: { mode: "paused" } }),
  "patch /_electric/entities/:type/:id/inbox/:key": () => ({ json: { mode: "paused" } }),
  "put /v1/entities/:type/:id/schedules/:name": () => ({
    json: { schedule: { kind: "interval", every_ms: 86_400_000 } },
  }),
  "post /_electric/entities/:type/:id/tags/:tag": () => ({ json: { value: "theirs" } }),
  "post /_electric/entities/:type/:id/attachments": () => {
    const body = new FormData()
    body.set("file", new File(["theirs"], "a.txt"))
    body.set("subject", JSON.stringify({ type: "inbox", key: "theirs" }))
    return { body }
  },
}

function probesOf(own: Things, foreign: Things, folder: string): Probe[] {
  const probes: Probe[] = []
  for (const [method, path] of ALL_ROUTES) {
    if (OPEN.has(`${method} ${path}`)) continue
    if (!MADE_BY_NAME.has(`${method} ${path}`)) probes.push(...byPath(method, path, own, foreign))
    probes.push(...byQuery(method, path, own, foreign, folder))
    if (READ_JSON.has(`${method} ${path}`)) probes.push(...byBody(method, path, own, foreign))
  }
  return [...probes, ...byStream(foreign), ...byEncoding(foreign)]
}

/** The same ids, written otherwise. */
function byEncoding({ session, turn, content }: Things): Probe[] {
  const escaped = (text: string) =>
    text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  const writings = [escaped, (text: string) => escaped(text).toUpperCase(), doubly, partly]
  return writings.flatMap((write) => [
    asked("get", `/v1/sessions/${write(session)}`),
    asked("get", `/v1/sessions/${write(session)}/messages`),
    asked("get", `/v1/sessions/${write(session)}/blobs/${write(content)}`),
    asked("get", `/v1/stream/sessions/${write(session)}`),
    asked("get", `/v1/stream/turns/${write(turn)}`),
    asked("get", `/v1/sessions/${session}?session=${write(session)}`),
  ])
}

function doubly(text: string): string {
  return text.replace(/^./, (one) => `%25${one.charCodeAt(0).toString(16)}`)
}

function partly(text: string): string {
  return text.replace(/^./, (one) => `%${one.charCodeAt(0).toString(16)}`)
}

/** One step of another's, the others one's own; and all of them another's. */
function byPath(method: string, path: string, own: Things, foreign: Things): Probe[] {
  const steps = stepsOf(path)
  const each = steps.flatMap((step) => {
    if (step === "type" || step === "call" || step === "tag" || step === "server") return []
    const foreigns = fillings(foreign)[kindOf(path, step)] ?? IDS.map((name) => foreign[name])
    return foreigns.map((value) => filled(path, own, { [step]: value }))
  })
  const whole = steps.length > 1 ? [filled(path, foreign)] : []
  const isNamed = steps.some((step) => step !== "type" && step !== "tag" && step !== "server")
  const request = BODIES[`${method} ${path}`]
  return [...each, ...(isNamed ? whole : [])].map((address) =>
    request ? { method, path: address, request: request() } : asked(method, address),
  )
}

function byQuery(
  method: string,
  path: string,
  own: Things,
  foreign: Things,
  folder: string,
): Probe[] {
  const address = filled(path, own)
  const ids = IDS.flatMap((name) => QUERY_KEYS.map((key) => `${address}?${key}=${foreign[name]}`))
  const folders = [folder, `${folder}/..`, `${folder}/.`, "/", "/etc", "/no/such/folder"]
  const places = folders.map((one) => `${address}?workspace=${encodeURIComponent(one)}`)
  return [...ids, ...places].map((one) => asked(method, one))
}

function byBody(method: string, path: string, own: Things, foreign: Things): Probe[] {
  const address = filled(path, own)
  return IDS.flatMap((name) => {
    const id = foreign[name]
    return [
      { session_id: id },
      { parts: [{ type: "file-attachment", name: "a", mime: "text/plain", content_id: id }] },
      { deep: [{ in: { something: [id] } }] },
      { id },
      { key: id },
    ].map((json) => ({ method, path: address, request: { json } }))
  })
}

function byStream(foreign: Things): Probe[] {
  const address = `/v1/stream/entities/assistant/${foreign.entity}`
  return ["get", "head", "post", "delete"].flatMap((method) =>
    [foreign.stream, address, `${foreign.stream}?offset=-1&live=long-poll`]
      .filter((path) => !(path === address && method !== "get" && method !== "head"))
      .map((path) => asked(method, path)),
  )
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
}

function kindOf(path: string, step: string): string {
  if (step === "id") return path.includes("/entities/") ? "entity" : "session"
  return path.includes("/schedules/") && step === "name" ? "schedule" : step
}

function filled(path: string, things: Things, more: Readonly<Record<string, string>> = {}): string {
  const usual: Readonly<Record<string, string>> = { type: "assistant", call: "call_1", tag: "mine" }
  return path.replace(/:(\w+)/g, (_, step: string) => {
    const known = fillings(things)[kindOf(path, step)]?.[0]
    return encodeURIComponent(more[step] ?? usual[step] ?? known ?? things.session)
  })
}

function asked(method: string, path: string): Probe {
  const json = method === "get" || method === "head" || method === "delete" ? undefined : {}
  return { method, path, ...(json ? { request: { json } } : {}) }
}

/** An answer as bytes; what every answer of this server has, whoever asked when, is left out. */
function seen({ status, headers, text }: Answer): string {
  const told = [...headers].filter(([name]) => !CHANGING.has(name))
  return JSON.stringify([status, told, text])
}

const CHANGING = new Set(["date", "connection", "keep-alive", "x-request-id", "traceparent"])
const AT_ONCE = 16
const SHOWN = 40

async function all(ask: Ask, probes: readonly Probe[]): Promise<Answer[]> {
  const answers: Answer[] = []
  const waiting = [...probes.entries()]
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [at, { method, path, request }] = next
      answers[at] = await ask(method, path, request)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return answers
}

/** Everything that somebody can see of what is theirs. */
async function view({ person: { ask }, things }: One): Promise<string> {
  const at = `/v1/sessions/${things.session}`
  const paths = [
    "/v1/sessions?ephemeral=true",
    at,
    ...["messages", "queue", "draft", "draft/stash", "turns", "scopes", "inspect"].map(
      (step) => `${at}/${step}`,
    ),
    "/v1/triggers",
    "/v1/memory",
    `/v1/memory/${things.memory}`,
    "/v1/entities",
    `/v1/entities/assistant/${things.entity}/inbox`,
    things.stream,
  ]
  const answers = await Promise.all(paths.map((path) => ask("get", path)))
  return answers.map(({ status, text }) => `${status} ${text}`).join("\n")
}

describe("two who share a server", { timeout: 300_000 }, () => {
  it("[PRI-001] find nothing of each other's by 10,000 probes, and one answer to all of them", async () => {
    const shared = await openShared()
    const [ana, bert] = await two(shared)
    await shared.server.host.idle()
    const before = [await view(ana), await view(bert)]
    let asked = 0
    for (const [me, other] of [
      [ana, bert],
      [bert, ana],
    ] as const) {
      const { ask } = me.person
      const nothing = seen(await ask("get", `/v1/sessions/${MISSING.session}`))
      const silence = seen(await ask("head", `/v1/stream/sessions/${MISSING.session}`))
      const possible = probesOf(me.things, other.things, other.person.workspace)
      const probes = possible.filter((_, at) => at % shared.every === 0)
      const answers = await all(ask, probes)
      const hits = answers.flatMap((answer, at) => {
        const { method = "", path = "", request } = probes[at] ?? {}
        const isNothing = seen(answer) === (method === "head" ? silence : nothing)
        return isNothing ? [] : [`${method} ${path} ${JSON.stringify(request)} ${seen(answer)}`]
      })
      expect([hits.length, hits.slice(0, SHOWN)]).toEqual([0, []])
      asked += probes.length
    }
    expect(asked).toBeGreaterThan(10_000 / shared.every)
    expect([await view(ana), await view(bert)]).toEqual(before)
    expect(before[0]).toContain(secretOf("ana"))
    expect(before.join()).not.toContain("undefined")
    expect(shared.failures).toEqual([])
  })
})
