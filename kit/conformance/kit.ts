import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type Client, createClient, type SendBody } from "compositor-client/client"
import { FrameReader } from "compositor-client/sse"
import type { StoredMessage, Turn } from "compositor-core/message/row"
import type { Heard } from "./heard.ts"
import { ModelServer } from "./model-server.ts"

export interface KitOptions {
  readonly url: string
  readonly token: string
  /** The model that the server under test asks at the kit's address. */
  readonly model: string
  readonly model_port: number
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

/** What a foreign server answers; asked for as it is needed, and `undefined` where it is not. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Request {
  readonly json?: unknown
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Everything that a scenario touches the server with. */
export class Kit {
  readonly url: string
  readonly token: string
  readonly client: Client
  readonly model: ModelServer
  readonly model_name: string
  /** A folder that the server is given as the workspace of its sessions. */
  readonly folder: string

  static async open(options: KitOptions): Promise<Kit> {
    const folder = await mkdtemp(join(tmpdir(), "compositor-conformance-"))
    await mkdir(join(folder, ".git"))
    return new Kit(options, folder, await ModelServer.listen(options.model_port))
  }

  private constructor(options: KitOptions, folder: string, model: ModelServer) {
    this.url = options.url.replace(/\/$/, "")
    this.token = options.token
    this.client = createClient(options)
    this.model = model
    this.model_name = options.model
    this.folder = folder
  }

  async close() {
    await this.model.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** A request as it is, and its answer as it came, whatever it is. */
  async ask(method: string, path: string, request: Request = {}): Promise<Answer> {
    const { json, body = json === undefined ? undefined : JSON.stringify(json) } = request
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: jsonIn(text) }
  }

  /** A session over the kit's folder, answered by the kit's model. */
  async session(more: object = {}): Promise<string> {
    const { session } = await this.client.sessions.create({
      model: this.model_name,
      workspace_root: this.folder,
      ...more,
    })
    return session.id
  }

  /** Say it and wait until the session rests. */
  async turn(id: string, said: SendBody | string): Promise<Turned> {
    const before = this.model.heard.length
    const sent = await this.client.send(id, typeof said === "string" ? words(said) : said)
    await this.rest(id)
    const messages = await this.messages(id)
    return { sent, messages, heard: this.model.heard.slice(before) }
  }

  async rest(id: string) {
    await until(async () => {
      const { status, queued } = await this.client.sessions.get(id)
      return status.state !== "busy" && status.state !== "retrying" && queued === 0
    }, `session ${id} to rest`)
  }

  async state(id: string, state: string) {
    await until(async () => (await this.client.status(id)).state === state, `${id} to be ${state}`)
  }

  async messages(id: string): Promise<readonly StoredMessage[]> {
    return (await this.client.messages(id, { limit: 500 })).messages
  }

  async lastTurn(id: string): Promise<Turn> {
    const last = (await this.client.turns(id)).turns.toSorted((a, b) => a.fence - b.fence).at(-1)
    if (!last) throw new Error(`session ${id} has no turn`)
    return last
  }

  /** Write a file into the kit's folder; gives its path in it. */
  async file(path: string, content: string | Uint8Array): Promise<string> {
    const whole = join(this.folder, path)
    await mkdir(dirname(whole), { recursive: true })
    await writeFile(whole, content)
    return path
  }

  /** What a model would be sent for a message, and what would become of its parts. */
  async lower(parts: readonly object[], more: object = {}): Promise<Json> {
    const json = {
      message: { parts },
      model: this.model_name,
      workspace_root: this.folder,
      ...more,
    }
    return answered(await this.ask("POST", "/v1/lower", { json }))
  }

  async parse(source: string): Promise<Json> {
    const json = { source, workspace: this.folder }
    return answered(await this.ask("POST", "/v1/parse", { json }))
  }

  async expand(source: string): Promise<Json> {
    const json = { source, workspace: this.folder }
    return answered(await this.ask("POST", "/v1/expand", { json }))
  }

  /** Let a file of the kit's folder be used. */
  async trust(path: string) {
    const json = { workspace: this.folder, path: join(this.folder, path) }
    answered(await this.ask("POST", "/v1/trust", { json }))
  }

  /** The frames of an event stream, up to the first that is meant. */
  async frames(path: string, isMeant: (frame: StreamFrame) => boolean, last?: string) {
    const leaving = new AbortController()
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.token}`,
      accept: "text/event-stream",
      ...(last === undefined ? {} : { "last-event-id": last }),
    }
    const timer = setTimeout(() => leaving.abort(), PATIENCE_MS)
    try {
      const response = await fetch(`${this.url}${path}`, { headers, signal: leaving.signal })
      return await readFrames(response, isMeant)
    } finally {
      clearTimeout(timer)
      leaving.abort()
    }
  }
}

interface Turned {
  readonly sent: Awaited<ReturnType<Client["send"]>>
  readonly messages: readonly StoredMessage[]
  /** What the model was asked in the turn. */
  readonly heard: readonly Heard[]
}

interface StreamFrame {
  readonly event: string
  readonly id: string | undefined
  readonly data: Json
}

async function readFrames(response: Response, isMeant: (frame: StreamFrame) => boolean) {
  const reader = new FrameReader()
  const frames: StreamFrame[] = []
  for await (const chunk of response.body ?? [])
    for (const { event, id, data } of reader.push(chunk as Uint8Array)) {
      const frame = { event, id, data: jsonIn(data) }
      if (event !== "ping") frames.push(frame)
      if (isMeant(frame)) return frames
    }
  throw new Error(`the stream ended after ${frames.length} frames, before what was waited for`)
}

export function words(text: string): SendBody {
  return { parts: [{ type: "text", text }] }
}

/** The body of an answer that says yes. */
export function answered({ status, body, text }: Answer): Json {
  if (status >= 200 && status < 300) return body
  throw new Error(`the server answered ${status}: ${text.slice(0, 300)}`)
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const PATIENCE_MS = 30_000
const LOOK_MS = 15

export async function until(isSo: () => Promise<boolean> | boolean, what: string) {
  const end = performance.now() + PATIENCE_MS
  while (performance.now() < end) {
    if (await isSo()) return
    await pause(LOOK_MS)
  }
  throw new Error(`waited ${PATIENCE_MS} ms in vain for ${what}`)
}

/** Something that is waited for until it is opened. */
export function gate(): { readonly wait: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: promise, open: resolve }
}
