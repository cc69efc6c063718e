import { createServer, request as ask } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** A way of breaking one rule: what is asked, what is answered, or what a stream tells is changed. */
export interface Fault {
  readonly asked?: (request: Asked) => void
  readonly answered?: (answer: Answered) => void
  /** A frame of an event stream; undefined leaves it out. */
  readonly frame?: (text: string) => string | undefined
}

export interface Asked {
  readonly method: string
  path: string
  readonly headers: Record<string, string | string[] | undefined>
  json: Json
}

export interface Answered {
  readonly method: string
  readonly path: string
  readonly asked: Json
  status: number
  json: Json
}

/** A server in front of another that keeps all rules but one. */
export async function faultyProxy(target: string, token: string, fault: Fault): Promise<string> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`

  async function pass(request: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url = "/", headers } = request
    const body = await bytesOf(request)
    const asked: Asked = { method, path: url, headers: { ...headers }, json: jsonIn(body) }
    if (headers.host === own) asked.headers["host"] = new URL(target).host
    fault.asked?.(asked)
    if (asked.headers["x-give-token"]) asked.headers["authorization"] = `Bearer ${token}`
    const isChanged = fault.asked !== undefined && asked.json !== undefined
    const sent = isChanged ? Buffer.from(JSON.stringify(asked.json)) : body
    asked.headers["content-length"] = String(sent.length)
    if (sent.length === 0) delete asked.headers["content-length"]
    const forward = ask(`${target}${asked.path}`, { method, headers: asked.headers }, (answer) => {
      tell(answer, { asked, response, url }).catch(() => response.destroy())
    })
    response.on("close", () => forward.destroy())
    forward.on("error", () => response.destroy())
    forward.end(sent)
  }

  async function tell(
    answer: IncomingMessage,
    { asked, response, url }: { asked: Asked; response: ServerResponse; url: string },
  ) {
    const type = answer.headers["content-type"] ?? ""
    if (type.startsWith("text/event-stream")) return tellStream(answer, response)
    const bytes = await bytesOf(answer)
    const json = type.startsWith("application/json") ? jsonIn(bytes) : undefined
    const status = answer.statusCode ?? 502
    const answered: Answered = { method: asked.method, path: url, asked: asked.json, status, json }
    fault.answered?.(answered)
    const told = answered.json === undefined ? bytes : Buffer.from(JSON.stringify(answered.json))
    const { "transfer-encoding": _, ...kept } = answer.headers
    const headers = { ...kept, "content-length": String(told.length) }
    response.writeHead(answered.status, headers).end(told)
  }

  async function tellStream(answer: IncomingMessage, response: ServerResponse) {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    let left = ""
    for await (const chunk of answer) {
      const frames = `${left}${String(chunk)}`.split("\n\n")
      left = frames.pop() ?? ""
      for (const frame of frames) {
        const told = fault.frame ? fault.frame(frame) : frame
        if (told !== undefined) response.write(`${told}\n\n`)
      }
    }
    response.end()
  }

  return `http://${own}`
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function jsonIn(bytes: Buffer): Json {
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch {
    return undefined
  }
}
