import { mkdtemp } from "node:fs/promises"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import { newId } from "../../packages/core/message/id.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { ExportRow } from "../../packages/engine/store/store.ts"
import { Child } from "./child.ts"
import { quantile } from "./figures.ts"
import { type FakeProvider, fakeProvider } from "./provider.ts"
import type { ServerInput, ServerAddress } from "./server.ts"
import { kilobyteOfText } from "./text.ts"

export interface TurnStartLoad {
  /** How many sessions of each kind; few turns in each keep the short ones short. */
  readonly sessions: number
  readonly turns: number
  readonly history: number
}

export interface TurnStartFigures {
  readonly empty: Latency
  readonly long: Latency
  readonly ratio: number
  readonly turns: number
  /** More than one says that the provider's connection was not kept. */
  readonly provider_connections: number
}

export interface Latency {
  readonly p50_ms: number
  readonly p99_ms: number
}

const WARM_UP_TURNS = 3
const MODEL = { provider_id: "anthropic", model_id: "claude-sonnet-4-5" }

/** From the POST of a message to the moment its request's headers reach the provider, for warm
 *  sessions without and with a long history, by turns. */
export async function turnStartFigures(
  folder: string,
  load: TurnStartLoad,
): Promise<TurnStartFigures> {
  const data = await mkdtemp(join(folder, "turns-"))
  const empty = await seed(data, load.sessions, 0)
  const long = await seed(data, load.sessions, load.history)
  const provider = await fakeProvider()
  const environment = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: provider.url }
  const options = { turns: true, leave_out_store: false, sessions: 0, environment }
  const input: ServerInput = { data, ...options }
  const child = await Child.start("server.ts", input)
  const address = await child.ask<ServerAddress>({ type: "address" })
  const caller = new Caller(address, provider)
  await caller.times([...empty, ...long], WARM_UP_TURNS)
  const times = { empty: [] as number[], long: [] as number[] }
  for (const [at, session] of empty.entries()) {
    const other = long[at] ?? ""
    for (let turn = 0; turn < load.turns; turn++) {
      times.empty.push(await caller.time(session))
      times.long.push(await caller.time(other))
    }
  }
  caller.close()
  await child.stop()
  provider.close()
  const figures = { empty: latencyOf(times.empty), long: latencyOf(times.long) }
  return {
    ...figures,
    ratio: figures.long.p50_ms / figures.empty.p50_ms,
    turns: times.empty.length + times.long.length + 2 * load.sessions * WARM_UP_TURNS,
    provider_connections: provider.connections(),
  }
}

function latencyOf(values: readonly number[]): Latency {
  return { p50_ms: quantile(values, 0.5), p99_ms: quantile(values, 0.99) }
}

class Caller {
  readonly #server: ServerAddress
  readonly #provider: FakeProvider
  readonly #agent = new Agent({ keepAlive: true })

  constructor(server: ServerAddress, provider: FakeProvider) {
    this.#server = server
    this.#provider = provider
  }

  async times(sessions: readonly string[], turns: number) {
    for (const session of sessions)
      for (let turn = 0; turn < turns; turn++) await this.time(session)
  }

  async time(session: string): Promise<number> {
    const arrival = this.#provider.nextArrival()
    const parts = [{ type: "text", text: kilobyteOfText() }]
    const began = performance.now()
    await this.#call("POST", `/v1/sessions/${session}/messages`, { parts })
    const took = (await arrival) - began
    await this.#idle(session)
    return took
  }

  close() {
    this.#agent.destroy()
  }

  async #idle(session: string) {
    for (;;) {
      await pause(3)
      const status = await this.#call("GET", `/v1/sessions/${session}/status`)
      if (status.state === "idle") return
      if (status.state === "error") throw new Error(`a turn failed: ${JSON.stringify(status)}`)
    }
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = {
      authorization: `Bearer ${this.#server.token}`,
      ...(body ? { "content-type": "application/json" } : {}),
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const sent = request(`${this.#server.url}${path}`, { method, headers, agent: this.#agent })
    sent.on("error", reject)
    sent.on("response", (response) => void text(response).then(resolve, reject))
    sent.end(body && JSON.stringify(body))
    return JSON.parse(await promise)
  }
}

async function seed(data: string, sessions: number, messages: number): Promise<string[]> {
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: false })
  const ids = Array.from({ length: sessions }, () => newId("ses"))
  for (const id of ids) await store.importRows({ rows: rowsOf(id, messages) })
  await store.close()
  return ids
}

function rowsOf(session_id: string, messages: number): ExportRow[] {
  const now = Date.now()
  const dates = { created_at: now, updated_at: now }
  const path_json = JSON.stringify([{ owner: session_id, from: 1, to: null }])
  const session = {
    id: session_id,
    agent: "assistant",
    model_json: JSON.stringify(MODEL),
    path_json,
    next_seq: messages + 1,
    ...dates,
  }
  const rows: ExportRow[] = [{ type: "session", data: session }]
  for (let seq = 1; seq <= messages; seq++) rows.push(...messageRows(session_id, seq, dates))
  return rows
}

function messageRows(session_id: string, seq: number, dates: object): ExportRow[] {
  const id = newId("msg")
  const role = seq % 2 === 1 ? "user" : "assistant"
  const data_json = JSON.stringify({ type: "text", text: kilobyteOfText() })
  const part = { id: newId("prt"), message_id: id, session_id, index: 0, type: "text", data_json }
  return [
    { type: "message", data: { id, session_id, role, state: "fired", seq, ...dates } },
    { type: "part", data: { ...part, ...dates } },
  ]
}
