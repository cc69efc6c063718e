import { onTestFinished } from "vitest"
import { type Frame, FrameReader } from "../../packages/client/sse.ts"
import { createApp } from "../../packages/server/app.ts"
import { type House, type HouseOptions, openHouse } from "../session/house.ts"
import { checkAnswer } from "./check-answer.ts"

export const TOKEN = "a-token-for-tests"
export const ADDRESS = "127.0.0.1:4321"
export const MISSING = {
  session: "ses_000000000000aaaaaaaaaaaaaa",
  message: "msg_000000000000aaaaaaaaaaaaaa",
  turn: "trn_000000000000aaaaaaaaaaaaaa",
  content: `sha256:${"0".repeat(64)}`,
}

export interface Request {
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: RequestInit["body"]
  readonly headers?: Readonly<Record<string, string | null>>
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Door extends House {
  readonly failures: string[]
  request(method: string, path: string, request?: Request): Promise<Response>
  ask(method: string, path: string, request?: Request): Promise<Answer>
}

/** A real host behind the real door, without a socket. */
export async function openDoor(options: HouseOptions = {}): Promise<Door> {
  const house = await openHouse(options)
  const failures: string[] = []
  const app = createApp(house.host, {
    rules: { token: TOKEN, hosts: () => [ADDRESS] },
    log: (message) => failures.push(message),
  })
  const request: Door["request"] = async (method, path, asked = {}) => {
    const response = await app.request(`http://${ADDRESS}${path}`, initOf(method, asked))
    await checkAnswer(method, path, response)
    return response
  }
  const ask: Door["ask"] = async (method, path, asked) => read(await request(method, path, asked))
  return { ...house, failures, request, ask }
}

function initOf(method: string, { json, body, headers, signal }: Request): RequestInit {
  const given = {
    host: ADDRESS,
    authorization: `Bearer ${TOKEN}`,
    ...(json === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  }
  const sent = json === undefined ? body : JSON.stringify(json)
  return {
    method: method.toUpperCase(),
    headers: Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
    ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
    ...(signal ? { signal } : {}),
  }
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status, headers } = response
  const isJson = headers.get("content-type")?.startsWith("application/json")
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** A session made through the door. */
export async function newSession(door: Door, more: object = {}): Promise<string> {
  const { body } = await door.ask("post", "/v1/sessions", { json: { model: "scripted", ...more } })
  return body.session.id
}

export async function send(door: Door, session_id: string, text: string, more: object = {}) {
  const json = { parts: [{ type: "text", text }], ...more }
  return (await door.ask("post", `/v1/sessions/${session_id}/messages`, { json })).body
}

/** A stream of events, read one by one. */
export class Listener {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #frames = new FrameReader()
  readonly #waiting: Frame[] = []

  constructor(response: Response) {
    if (!response.body) throw new Error(`there is no stream in a ${response.status}`)
    this.#reader = response.body.getReader()
    onTestFinished(() => this.leave())
  }

  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#waiting.shift()
      if (frame && frame.event !== "ping") return frame
      if (frame) continue
      const { done, value } = await this.#reader.read()
      if (done) throw new Error("the stream ended")
      this.#waiting.push(...this.#frames.push(value))
    }
  }

  /** All frames up to and with the first that is meant. */
  async upTo(isMeant: (frame: Frame) => boolean): Promise<Frame[]> {
    const frames: Frame[] = []
    for (;;) {
      const frame = await this.next()
      frames.push(frame)
      if (isMeant(frame)) return frames
    }
  }

  async leave() {
    await this.#reader.cancel().catch(() => undefined)
  }
}
