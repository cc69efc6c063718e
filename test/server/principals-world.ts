import { once } from "node:events"
import { Agent, type IncomingMessage, request } from "node:http"
import { mkdir, realpath, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { png, temporaryFolder } from "../build.ts"
import { storeFor } from "../postgres.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export type Ask = (method: string, path: string, asked?: Question) => Promise<Answer>

export interface Question {
  readonly json?: unknown
  readonly body?: RequestInit["body"]
  readonly headers?: Readonly<Record<string, string>>
}

export interface Shared {
  readonly server: Running
  /** Where each principal works. */
  readonly folder: string
  readonly operator: Ask
  readonly failures: string[]
  /** One in so many probes is enough: on PostgreSQL each is a conversation with another process. */
  readonly every: number
}

/** A real server that several share, on a port of its own. */
export async function openShared(): Promise<Shared> {
  const folder = await realpath(await temporaryFolder())
  const model = scriptedProvider([{ text: "ok" }])
  const failures: string[] = []
  const data = join(folder, "data")
  const rooms = await storeFor(data)
  const server = await serve({
    data,
    ...rooms,
    workspace: null,
    // Nobody's home, and nobody listens there.
    environment: { HOME: join(folder, "home"), COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/" },
    providers: new Map([[model.id, model]]),
    log: (message) => failures.push(message),
  })
  onTestFinished(() => server.close())
  const every = rooms.store === undefined ? 1 : 7
  return { server, folder, failures, every, operator: askBy(server.url, server.token) }
}

/** Nothing that is asked here waits for anything. */
const ANSWERED_MS = 60_000

/** Thousands of questions: connections are kept, and a request costs what it must. */
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

export function askBy(url: string, token: string): Ask {
  return async (method, path, { json, body, headers } = {}) => {
    const sent = json === undefined ? body : JSON.stringify(json)
    const asked = new Request(`${url}${path}`, {
      method: method.toUpperCase(),
      ...(sent === undefined ? {} : { body: sent }),
    })
    const bytes = Buffer.from(await asked.arrayBuffer())
    const type = json === undefined ? asked.headers.get("content-type") : "application/json"
    return answerTo(bytes, {
      url: asked.url,
      method: asked.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(type ? { "content-type": type } : {}),
        ...(sent === undefined ? {} : { "content-length": String(bytes.length) }),
        ...headers,
      },
    })
  }
}

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

async function answerTo(bytes: Buffer, { url, ...options }: Sent): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWERED_MS)
  const question = request(url, { ...options, agent, signal })
  question.end(bytes)
  const [response] = (await once(question, "response")) as [IncomingMessage]
  const headers = new Headers(response.headers as Record<string, string>)
  const status = response.statusCode ?? 0
  // What goes on as long as somebody listens is not listened to here.
  if (headers.get("content-type") === "text/event-stream") {
    response.destroy()
    return { status, headers, text: "", body: undefined }
  }
  let text = ""
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) text += chunk
  const isJson = text !== "" && headers.get("content-type")?.startsWith("application/json")
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

export interface Person {
  readonly id: string
  readonly token: string
  readonly workspace: string
  readonly ask: Ask
}

export async function addPerson(shared: Shared, name: string): Promise<Person> {
  const id = `user:${name}`
  const workspace = join(shared.folder, name)
  await mkdir(workspace)
  await writeFile(join(workspace, "notes.txt"), `${secretOf(name)} in a file`)
  await good(shared.operator, "post", "/v1/principals", { json: { id, workspaces: [workspace] } })
  const { secret } = await good(shared.operator, "post", `/v1/principals/${id}/tokens`, {
    json: {},
  })
  return { id, token: secret, workspace, ask: askBy(shared.server.url, secret) }
}

/** What stands in everything that somebody has, so that it is found wherever it leaks. */
export function secretOf(name: string): string {
  return `the secret of ${name}`
}

/** Ask for what must be given. */
export async function good(ask: Ask, method: string, path: string, asked?: Question) {
  const { status, text, body } = await ask(method, path, asked)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return body
}

/** All that one can have on a server, by the names that routes give it. */
export interface Things {
  readonly session: string
  readonly sidecar: string
  readonly fired: string
  readonly waiting: string
  readonly part: string
  readonly turn: string
  readonly content: string
  readonly uploaded: string
  readonly trigger: string
  readonly scope: string
  readonly memory: string
  readonly entity: string
  readonly entity_session: string
  readonly inbox: string
  readonly attachment: string
  readonly stream: string
}

/** Fill somebody's shelves, by nothing but the API. */
export async function thingsOf({ ask, workspace }: Person, name: string): Promise<Things> {
  const secret = secretOf(name)
  const { session } = await good(ask, "post", "/v1/sessions", {
    json: { model: "scripted", title: secret },
  })
  const at = `/v1/sessions/${session.id}`
  const image = { type: "file-attachment", name: `${name}.png`, mime: "image/png" }
  const pixels = png(name.length, 3).toString("base64")
  const sent = await good(ask, "post", `${at}/messages`, {
    json: {
      parts: [
        { type: "text", text: secret },
        { ...image, data: pixels },
      ],
    },
  })
  const waiting = await good(ask, "post", `${at}/messages`, {
    json: { message: `${secret}, later`, mode: "paused" },
  })
  await good(ask, "put", `${at}/draft`, {
    json: { base_revision: 0, draft: { source: secret }, updated_by: name },
  })
  const branch = { json: { metadata: { ephemeral: true } } }
  const sidecar = await good(ask, "post", `${at}/branch`, branch)
  const uploaded = await good(ask, "post", `/v1/blobs?name=${name}.txt`, { body: secret })
  const source = { source: "webhook" }
  const trigger = await good(ask, "post", "/v1/triggers", {
    json: { session_id: session.id, source, prompt: secret },
  })
  const scope = await good(ask, "post", `${at}/scopes`, { json: { path: workspace } })
  const memory = `note-of-${name}`
  await good(ask, "put", `/v1/memory/${memory}`, { json: { scope: "user", body: secret } })
  const stream = `/v1/stream/of-${name}`
  const text = { "content-type": "text/plain" }
  await good(ask, "put", stream, { body: secret, headers: text })
  return {
    session: session.id,
    sidecar: sidecar.session.id,
    fired: sent.message.id,
    waiting: waiting.message.id,
    part: sent.message.parts[0].id,
    turn: sent.turn.id,
    content: sent.message.parts[1].data.content_id,
    uploaded: uploaded.content_id,
    trigger: trigger.trigger.id,
    scope: scope.scope.id,
    memory,
    stream,
    ...(await entityOf(ask, name)),
  }
}

async function entityOf(ask: Ask, name: string) {
  const entity = `desk-of-${name}`
  const at = `/v1/entities/assistant/${entity}`
  const input = { type: "composer_input", payload: { source: secretOf(name) }, mode: "paused" }
  const made = await good(ask, "put", at, { json: { tags: { mine: secretOf(name) } } })
  const { key } = await good(ask, "post", `${at}/send`, { json: { ...input, key: `key-${name}` } })
  await good(ask, "put", `${at}/schedules/daily`, {
    json: { schedule: { kind: "interval", every_ms: 86_400_000 } },
  })
  const form = new FormData()
  form.set("file", new File([secretOf(name)], "a.txt"))
  form.set("subjectType", "inbox")
  form.set("subjectKey", `next-${name}`)
  form.set("id", newId("prt"))
  const attached = await good(ask, "post", `/_electric/entities/assistant/${entity}/attachments`, {
    body: form,
  })
  return {
    entity,
    entity_session: made.entity.session_id,
    inbox: key,
    attachment: attached.attachment.id,
  }
}
