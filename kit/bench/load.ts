// Sends messages over many connections, in a process of its own: bench/child.ts starts it.

import { Agent, request } from "node:http"
import process from "node:process"
import type { ServerAddress } from "./server.ts"
import { kilobyteOfText } from "./text.ts"

export interface LoadInput {
  readonly connections: number
}

export interface LoadQuestion {
  readonly server: ServerAddress
  readonly duration_ms: number
}

export interface LoadAnswer {
  readonly messages: number
  readonly seconds: number
  readonly refused: number
}

const { connections } = JSON.parse(process.argv[2] ?? "") as LoadInput
process.on("message", (question: LoadQuestion) => {
  void load(question).then((answer) => process.send?.(answer))
})
process.on("SIGTERM", () => process.exit(0))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
process.send?.({})

async function load({ server, duration_ms }: LoadQuestion): Promise<LoadAnswer> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses: number[] = []
  const began = performance.now()
  const end = began + duration_ms
  const callers = Array.from({ length: connections }, async (_, caller) => {
    const session = server.sessions[caller % server.sessions.length] ?? ""
    while (performance.now() < end) statuses.push(await send(server, session, agent))
  })
  await Promise.all(callers)
  agent.destroy()
  const refused = statuses.filter((status) => status !== 201).length
  const seconds = (performance.now() - began) / 1000
  return { messages: statuses.length - refused, seconds, refused }
}

function send(server: ServerAddress, session: string, agent: Agent): Promise<number> {
  const body = JSON.stringify({ parts: [{ type: "text", text: kilobyteOfText() }] })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = request(`${server.url}/v1/sessions/${session}/messages`, {
    agent,
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  })
  sent.on("error", reject)
  sent.on("response", (response) => {
    response.resume()
    response.on("end", () => resolve(response.statusCode ?? 0))
  })
  sent.end(body)
  return promise
}
