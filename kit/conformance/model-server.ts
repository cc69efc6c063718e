import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Heard, type Wire } from "./heard.ts"

/** What the kit's model says to one request. */
export interface Reply {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
  /** It says its text, and ends only when this has come. */
  readonly until?: Promise<unknown>
  readonly refuse?: { readonly status: number; readonly message: string }
}

export type Script = (heard: Heard, count: number) => Reply

const MAX_REQUEST_BYTES = 64 * 1024 * 1024
const NOD: Script = () => ({ text: "Heard." })

/** A model of the kit's own, behind Anthropic's Messages API: the server under test is pointed at
 *  it, so the kit sees every request as it goes out and decides what is answered, and when. */
export class ModelServer {
  readonly #server: Server
  readonly #open = new Set<ServerResponse>()
  #script: Script = NOD
  #heard: Heard[] = []
  #calls = 0

  static async listen(port: number): Promise<ModelServer> {
    const server = createServer()
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    return new ModelServer(server)
  }

  private constructor(server: Server) {
    this.#server = server
    server.on("request", (request, response) => void this.#answer(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The requests since the model was last told what to say. */
  get heard(): readonly Heard[] {
    return this.#heard
  }

  /** From now on it answers so, and what it heard before is forgotten. */
  play(script: Script = NOD) {
    this.#script = script
    this.#heard = []
  }

  /** Calls for each step in turn, and then a word at the end. */
  playCalls(...steps: readonly NonNullable<Reply["calls"]>[]) {
    this.play((_, count) => {
      const calls = steps[count - 1]
      return calls ? { calls } : { text: "Done." }
    })
  }

  async close() {
    for (const response of this.#open) response.destroy()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    this.#open.add(response)
    response.on("close", () => this.#open.delete(response))
    try {
      const wire = JSON.parse(await textOf(request)) as Wire
      if (request.url?.includes("count_tokens")) return json(response, 200, { input_tokens: 100 })
      const heard = new Heard(wire)
      this.#heard.push(heard)
      await this.#say(response, this.#script(heard, this.#heard.length))
    } catch (error) {
      if (!response.headersSent) refuse(response, 500, String(error))
    }
  }

  async #say(response: ServerResponse, reply: Reply) {
    const { refuse: refusal, until } = reply
    if (refusal) return refuse(response, refusal.status, refusal.message)
    const events = eventsOf(reply, () => `toolu_kit${++this.#calls}`)
    response.writeHead(200, { "content-type": "text/event-stream" })
    const ending = events.findIndex(({ type }) => type === "message_delta")
    for (const event of events.slice(0, ending)) response.write(frame(event))
    await until
    for (const event of events.slice(ending)) response.write(frame(event))
    response.end()
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_REQUEST_BYTES) throw new Error(`a request has over ${MAX_REQUEST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

function refuse(response: ServerResponse, status: number, message: string) {
  json(response, status, { type: "error", error: { type: "invalid_request_error", message } })
}

function json(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

interface WireEvent {
  readonly type: string
}

function frame(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

const USAGE = { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 }

function eventsOf({ text, calls = [] }: Reply, newId: () => string): WireEvent[] {
  const words = text === undefined ? [] : [wordsOf(text)]
  const blocks = [...words, ...calls.map(({ name, input }) => callOf(newId(), name, input))]
  return [
    { type: "message_start", message: { usage: { ...USAGE, output_tokens: 1 } } } as WireEvent,
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: 3 },
    } as WireEvent,
    { type: "message_stop" },
  ]
}

function wordsOf(text: string) {
  return { start: { type: "text", text: "" }, delta: { type: "text_delta", text } }
}

function callOf(id: string, name: string, input: object) {
  return {
    start: { type: "tool_use", id, name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  }
}
