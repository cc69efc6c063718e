// Appends and reads over many connections, in a process of its own: bench/child.ts starts it.

import { once } from "node:events"
import { Agent, type IncomingMessage, request } from "node:http"
import process from "node:process"
import type { StreamServerAddress } from "./stream-server.ts"

export type StreamQuestion = { readonly server: StreamServerAddress } & (
  | { readonly type: "appends"; readonly producers: number; readonly duration_ms: number }
  | { readonly type: "latency"; readonly appends: number }
  | { readonly type: "idle"; readonly readers: number }
  | { readonly type: "leave" }
)

export interface AppendsAnswer {
  readonly appends: number
  readonly seconds: number
  /** The statuses of those that were refused. */
  readonly refused: readonly number[]
}

export interface LatencyAnswer {
  readonly milliseconds: readonly number[]
}

const JSON_TYPE = { "content-type": "application/json" }
/** Where each producer stands. Runs share their streams: with more than its 100 file handles in use,
 *  their server was seen to answer 404 for streams that it has. */
const sequences = new Map<string, number[]>()
let run = 0
let idle: IncomingMessage[] = []

process.on("message", (question: StreamQuestion) => {
  void answer(question).then((told) => process.send?.(told))
})
process.on("SIGTERM", () => process.exit(0))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
process.send?.({})

async function answer(question: StreamQuestion): Promise<object> {
  switch (question.type) {
    case "appends":
      return appends(question.server, question)
    case "latency":
      return latency(question.server, question.appends)
    case "idle":
      return openIdle(question.server, question.readers)
    case "leave":
      for (const response of idle) response.destroy()
      idle = []
      return {}
  }
}

interface Load {
  readonly producers: number
  readonly duration_ms: number
}

/** Each producer appends to a stream of its own, one after the other, each exactly once. */
async function appends(server: StreamServerAddress, load: Load): Promise<AppendsAnswer> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.producers })
  const name = `/v1/stream/bench-${process.pid}`
  const next = sequences.get(server.url) ?? Array.from({ length: load.producers }, () => 0)
  if (!sequences.has(server.url))
    for (let at = 0; at < load.producers; at++)
      await ask(server, {
        agent,
        method: "PUT",
        path: `${name}-${at}`,
        headers: JSON_TYPE,
        body: "",
      })
  sequences.set(server.url, next)
  const statuses: number[] = []
  const began = performance.now()
  const end = began + load.duration_ms
  const producers = Array.from({ length: load.producers }, async (_, at) => {
    while (performance.now() < end) {
      const seq = next[at] ?? 0
      next[at] = seq + 1
      const producer = { "producer-id": `p${at}`, "producer-epoch": "0", "producer-seq": `${seq}` }
      const headers = { ...JSON_TYPE, ...producer }
      const body = messageOf(seq)
      statuses.push(
        await ask(server, { agent, method: "POST", path: `${name}-${at}`, headers, body }),
      )
    }
  })
  await Promise.all(producers)
  const seconds = (performance.now() - began) / 1000
  agent.destroy()
  const refused = statuses.filter((status) => status >= 300)
  return { appends: statuses.length - refused.length, seconds, refused: [...new Set(refused)] }
}

function messageOf(seq: number): string {
  return JSON.stringify({ seq, at: performance.now(), text: "x".repeat(200) })
}

/** From the moment an append is sent to the moment a reader has it. */
async function latency(server: StreamServerAddress, count: number): Promise<LatencyAnswer> {
  const agent = new Agent({ keepAlive: true })
  const path = `/v1/stream/latency-${process.pid}-${++run}`
  await ask(server, { agent, method: "PUT", path, headers: JSON_TYPE, body: "" })
  const reader = await listen(server, `${path}?offset=-1&live=sse`)
  let heard: (() => void) | undefined
  reader.setEncoding("utf8")
  reader.on("data", (text: string) => {
    if (text.includes("event: data")) heard?.()
  })
  const milliseconds: number[] = []
  for (let seq = 0; seq < count; seq++) {
    const { promise, resolve } = Promise.withResolvers<void>()
    heard = resolve
    const began = performance.now()
    const body = messageOf(seq)
    const appended = ask(server, { agent, method: "POST", path, headers: JSON_TYPE, body })
    await promise
    milliseconds.push(performance.now() - began)
    await appended
  }
  reader.destroy()
  agent.destroy()
  return { milliseconds }
}

async function openIdle(server: StreamServerAddress, readers: number): Promise<object> {
  const agent = new Agent({ keepAlive: true })
  const path = `/v1/stream/idle-${process.pid}-${++run}`
  await ask(server, { agent, method: "PUT", path, headers: JSON_TYPE, body: "" })
  agent.destroy()
  while (idle.length < readers) {
    const some = Array.from({ length: Math.min(200, readers - idle.length) }, () =>
      listen(server, `${path}?offset=-1&live=sse`),
    )
    idle.push(...(await Promise.all(some)))
  }
  return { readers: idle.length }
}

/** A stream of events, once its first control has come. */
async function listen({ url, token }: StreamServerAddress, path: string): Promise<IncomingMessage> {
  const asked = request(`${url}${path}`, { agent: false, headers: authorization(token) })
  asked.end()
  const [response] = (await once(asked, "response")) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`)
  response.on("error", () => undefined)
  await once(response, "data")
  return response
}

interface Asked {
  readonly agent: Agent
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function ask({ url, token }: StreamServerAddress, asked: Asked): Promise<number> {
  const { agent, method, path, headers, body } = asked
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const length = { "content-length": `${Buffer.byteLength(body)}` }
  const sent = request(`${url}${path}`, {
    agent,
    method,
    headers: { ...headers, ...length, ...authorization(token) },
  })
  sent.on("error", reject)
  sent.on("response", (response) => {
    response.resume()
    response.on("end", () => resolve(response.statusCode ?? 0))
  })
  sent.end(body)
  return promise
}

function authorization(token: string): Record<string, string> {
  return token === "" ? {} : { authorization: `Bearer ${token}` }
}
