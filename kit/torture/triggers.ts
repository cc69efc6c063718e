import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import Database from "better-sqlite3"
import { type Client, createClient } from "../../packages/client/client.ts"
import { Random } from "./random.ts"
import { type ServerInput, ServerProcess, type ServerReady } from "./server-process.ts"

export interface TriggersOptions {
  readonly kills: number
  readonly seed: number
}

const SERVERS = 3
const SESSIONS = 8
const SENDERS = 4
const LIFE_MS = [50, 900] as const
const KEY = "the-key-of-every-webhook"
/** What a dead process fired is taken up after ten seconds. */
const DRAIN_MS = 60_000

/** Kill servers that share a folder while schedules fire and webhooks are delivered, and count what was
 *  lost or came twice. True if every delivery that was accepted, and every time that fired, is one
 *  message. */
export async function tortureTriggers({ kills, seed }: TriggersOptions): Promise<boolean> {
  console.log(`triggers: ${kills} kills, ${SERVERS} servers, ${SESSIONS} sessions, --seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), "compositor-torture-"))
  const run = new Run({ data: join(folder, "data"), calls: join(folder, "calls") }, seed)
  const findings = await run.all(kills)
  console.log(run.summary())
  for (const finding of findings.slice(0, 20)) console.log(finding)
  if (findings.length === 0) await rm(folder, { recursive: true })
  else console.log(`the folder is kept for a look: ${folder}`)
  return findings.length === 0
}

interface Living {
  readonly process: ServerProcess
  readonly ready: ServerReady
}

class Run {
  readonly #input: ServerInput
  readonly #random: Random
  readonly #servers: (Living | undefined)[] = []
  readonly #accepted = new Set<string>()
  readonly #triggers = new Map<string, string>()
  #sending = true
  #counts = { kills: 0, sent: 0, fired: 0, messages: 0 }

  constructor(input: ServerInput, seed: number) {
    this.#input = input
    this.#random = new Random(seed)
  }

  async all(kills: number): Promise<string[]> {
    // The first makes the folder; the others find it.
    for (let at = 0; at < SERVERS; at++) this.#servers[at] = await this.#start()
    await this.#begin()
    const senders = Array.from({ length: SENDERS }, (_, sender) => this.#deliver(sender))
    for (let kill = 0; kill < kills; kill++) await this.#kill()
    this.#sending = false
    await Promise.all(senders)
    await this.#drain()
    for (const living of this.#servers) await living?.process.close()
    return this.#judge()
  }

  summary(): string {
    const { kills, sent, fired, messages } = this.#counts
    return `${kills} kills, ${sent} deliveries accepted, ${fired} firings, ${messages} messages`
  }

  async #start(): Promise<Living> {
    const process = new ServerProcess(this.#input)
    return { process, ready: await process.ready() }
  }

  #client(): Client {
    const living = this.#servers.filter((one) => one !== undefined)
    return createClient(this.#random.pick(living).ready)
  }

  async #begin() {
    const client = this.#client()
    for (let at = 0; at < SESSIONS; at++) {
      const { session } = await client.sessions.create({ model: "scripted" })
      const session_id = session.id
      const interval = { kind: "interval", every_ms: 1000 } as const
      const schedule = { source: "schedule", schedule: interval } as const
      await client.triggers.add({ session_id, source: schedule, prompt: "tick" })
      const key = { kind: "bearer", token: KEY } as const
      const { trigger } = await client.triggers.add({
        session_id,
        source: { source: "webhook", key },
        prompt: "{{body}}",
        throttle: { count: 1_000_000, per_ms: 60_000 },
      })
      this.#triggers.set(trigger.id, session_id)
    }
  }

  async #kill() {
    await pause(this.#random.between(...LIFE_MS))
    const at = this.#random.between(0, SERVERS - 1)
    const living = this.#servers[at]
    this.#servers[at] = undefined
    await living?.process.kill()
    this.#counts.kills += 1
    this.#servers[at] = await this.#start()
  }

  /** Send each delivery until somebody says that it is in. */
  async #deliver(sender: number) {
    const triggers = [...this.#triggers.keys()]
    let number = 0
    while (this.#sending) {
      const id = `${sender}-${number++}`
      const trigger = this.#random.pick(triggers)
      while (!(await this.#isTaken(trigger, id))) await pause(5)
      this.#accepted.add(`${this.#triggers.get(trigger)} ${id}`)
      this.#counts.sent += 1
      await pause(this.#random.between(0, 20))
    }
  }

  async #isTaken(trigger: string, id: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${KEY}`, "webhook-id": id }
    const about = { method: "POST", body: id, headers, signal: AbortSignal.timeout(5000) }
    const response = await fetch(`${this.#client().url}/v1/hooks/${trigger}`, about).catch(
      () => undefined,
    )
    await response?.body?.cancel()
    return response?.ok === true
  }

  async #drain() {
    const client = this.#client()
    for (const { id, source } of (await client.triggers.list()).triggers)
      if (source.source === "schedule") await this.#retire(client, id)
    const until = performance.now() + DRAIN_MS
    while (performance.now() < until && this.#waiting() > 0) await pause(250)
  }

  // Removing a trigger forgets its deliveries: those that it fired are sent first.
  async #retire(client: Client, id: string) {
    const until = performance.now() + DRAIN_MS
    const isPending = async () =>
      (await client.triggers.get(id)).deliveries.some(({ state }) => state === "pending")
    while (performance.now() < until && (await isPending())) await pause(100)
    await client.triggers.remove(id)
  }

  #waiting(): number {
    return this.#read((database) => {
      const sql = `SELECT (SELECT count(*) FROM deliveries WHERE state = 'pending')
        + (SELECT count(*) FROM chat_messages WHERE state IN ('queued', 'paused')) AS waiting`
      return (database.prepare(sql).get() as { waiting: number }).waiting
    })
  }

  #judge(): string[] {
    const rows = this.#read(
      (database) =>
        database
          .prepare(
            `SELECT session_id, json_extract(metadata_json, '$.trigger.delivery_id') AS delivery_id,
               json_extract(metadata_json, '$.trigger.source') AS source, count(*) AS count
             FROM chat_messages WHERE role = 'user' GROUP BY 1, 2`,
          )
          .all() as { session_id: string; delivery_id: string; source: string; count: number }[],
    )
    this.#counts.messages = rows.reduce((sum, { count }) => sum + count, 0)
    this.#counts.fired = rows.filter(({ source }) => source === "schedule").length
    const found = new Set(rows.map(({ session_id, delivery_id }) => `${session_id} ${delivery_id}`))
    const twice = rows.filter(({ count }) => count > 1)
    const lost = [...this.#accepted].filter((key) => !found.has(key))
    const waiting = this.#waiting()
    return [
      ...twice.map(({ session_id, delivery_id }) => `twice: ${session_id} ${delivery_id}`),
      ...lost.map((key) => `accepted and lost: ${key}`),
      ...(this.#counts.fired === 0 ? ["no schedule fired"] : []),
      ...(waiting > 0 ? [`stuck: ${waiting} deliveries or messages`] : []),
    ]
  }

  #read<Value>(look: (database: Database.Database) => Value): Value {
    const database = new Database(join(this.#input.data, "compositor.db"), { readonly: true })
    try {
      return look(database)
    } finally {
      database.close()
    }
  }
}
