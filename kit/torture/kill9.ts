import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { milliseconds, quantile, table } from "../bench/figures.ts"
import { newId } from "../../packages/core/message/id.ts"
import { Client, createSession } from "./client.ts"
import { Door } from "./door.ts"
import { type Crime, CRIMES, type Finding, Judge } from "./judge.ts"
import { Ledger } from "./ledger.ts"
import { Random } from "./random.ts"
import { type Remains, readRemains } from "./rows.ts"
import { type ServerInput, ServerProcess } from "./server-process.ts"

export interface Kill9Options {
  readonly cycles: number
  readonly seed: number
}

const CLIENTS = 4
const LIFE_MS = [20, 400] as const
const START_UP_KILLS = 0.15
const START_UP_MS = 250
const DRAIN_MS = 120_000
const SHOWN_FINDINGS = 20

/** Kill the real server at random moments while clients send, and hold what is on the disk against
 *  what they were promised. True if every promise was kept. */
export async function kill9({ cycles, seed }: Kill9Options): Promise<boolean> {
  console.log(`kill9: ${cycles} cycles, ${CLIENTS} clients, --seed ${seed}`)
  const began = performance.now()
  const folder = await mkdtemp(join(tmpdir(), "compositor-torture-"))
  const run = new Kill9({ data: join(folder, "data"), calls: join(folder, "calls") }, seed)
  for (let cycle = 1; cycle <= cycles; cycle++) console.log(await run.cycle(cycle))
  console.log(await run.drain())
  const seconds = (performance.now() - began) / 1000
  console.log(`\n${run.summary()}\n${seconds.toFixed(1)} s`)
  for (const { crime, about } of run.findings.slice(0, SHOWN_FINDINGS))
    console.log(`${crime}: ${about}`)
  const clean = run.findings.length === 0
  if (clean) await rm(folder, { recursive: true })
  else console.log(`the folder is kept for a look: ${folder}`)
  return clean
}

class Kill9 {
  readonly findings: Finding[] = []
  readonly #input: ServerInput
  readonly #random: Random
  readonly #ledger = new Ledger()
  readonly #judge = new Judge(this.#ledger)
  readonly #door = new Door()
  readonly #clients: Client[]
  readonly #running: Promise<void>
  readonly #starts: number[] = []
  #kills = 0
  #remains: Remains | undefined
  #given_up = 0

  constructor(input: ServerInput, seed: number) {
    this.#input = input
    this.#random = new Random(seed)
    const shared = newId("ses")
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => {
      const random = new Random(seed + client + 1)
      return new Client({ door: this.#door, ledger: this.#ledger, random, client, shared })
    })
    this.#running = this.#send(shared)
  }

  async cycle(number: number): Promise<string> {
    if (this.#random.chance(START_UP_KILLS)) await this.#killAtStart()
    const life_ms = this.#random.between(...LIFE_MS)
    const server = await this.#start()
    // A client that failed says so here, not at the end.
    await Promise.race([pause(life_ms), this.#running])
    await this.#kill(server)
    this.#door.close()
    const found = await this.#look()
    const { acknowledged, model_calls } = this.#counts()
    return [
      `${String(number).padStart(3)}  lived ${String(life_ms).padStart(3)} ms`,
      `${acknowledged} acknowledged, ${model_calls} model calls`,
      found === 0 ? "ok" : `${found} FOUND`,
    ].join("  ")
  }

  /** Let the clients finish and the queues run dry, and look for the last time. */
  async drain(): Promise<string> {
    const server = await this.#start()
    for (const client of this.#clients) client.stop()
    await this.#running
    const began = performance.now()
    while (performance.now() - began < DRAIN_MS && (await this.#isBusy())) await pause(50)
    await server.close()
    const found = await this.#look()
    const { findings, given_up } = this.#judge.unanswered(this.#remains ?? fail())
    this.findings.push(...findings)
    this.#given_up = given_up
    return `drained in ${milliseconds(performance.now() - began)}  ${found + findings.length} found`
  }

  summary(): string {
    const counts = Object.entries(this.#counts()).map(([name, count]) => [
      name.replaceAll("_", " "),
      String(count),
    ])
    const crimes = (Object.keys(CRIMES) as Crime[]).map((crime) => [
      CRIMES[crime],
      String(this.findings.filter((found) => found.crime === crime).length),
    ])
    return table(["kill9", "count"], [...counts, ...this.#delays(), ...crimes])
  }

  async #send(shared: string) {
    const session = this.#ledger.session(shared)
    const { status, body } = await createSession(this.#door, shared)
    if (status !== 201 && status !== 409)
      throw new Error(`the shared session was refused: ${JSON.stringify(body)}`)
    session.creation = "acknowledged"
    await Promise.all(this.#clients.map((client) => client.run()))
  }

  async #start(): Promise<ServerProcess> {
    const began = performance.now()
    const server = new ServerProcess(this.#input)
    const ready = await server.ready()
    this.#starts.push(performance.now() - began)
    this.#door.open(ready, began)
    return server
  }

  async #killAtStart() {
    const server = new ServerProcess(this.#input)
    await pause(this.#random.between(0, START_UP_MS))
    await this.#kill(server)
  }

  async #kill(server: ServerProcess) {
    await server.kill()
    this.#kills += 1
  }

  async #look(): Promise<number> {
    this.#remains = await readRemains(this.#input.data, this.#input.calls)
    const found = this.#judge.findings(this.#remains)
    this.findings.push(...found)
    return found.length
  }

  async #isBusy(): Promise<boolean> {
    const { body } = await this.#door.call("GET", "/v1/sessions?limit=500")
    const sessions = body.sessions as { status: { state: string }; queued: number }[]
    return sessions.some(({ status, queued }) => status.state !== "idle" || queued > 0)
  }

  #counts() {
    const { turns = [], calls = [] } = this.#remains ?? {}
    const messages = [...this.#ledger.messages.values()]
    const sessions = [...this.#ledger.sessions.values()]
    const promised = "acknowledged"
    return {
      kills: this.#kills,
      acknowledged: this.#ledger.acknowledged().length,
      refused_by_a_full_queue: messages.filter(({ sending }) => sending === "refused").length,
      cancelled: messages.filter(({ cancellation }) => cancellation === promised).length,
      deleted_sessions: sessions.filter(({ deletion }) => deletion === promised).length,
      finished: turns.filter(({ state }) => state === "finished").length,
      interrupted: turns.filter(({ state }) => state === "interrupted").length,
      given_up: this.#given_up,
      model_calls: calls.length,
    }
  }

  #delays(): string[][] {
    const { firstAnswers } = this.#door
    const show = (values: readonly number[]) =>
      [0.5, 0.99].map((share) => milliseconds(quantile(values, share))).join(", p99 ")
    return [
      ["start to listening p50", show(this.#starts)],
      ["start to first answer p50", show(firstAnswers)],
    ]
  }
}

function fail(): never {
  throw new Error("nothing was looked at yet")
}
