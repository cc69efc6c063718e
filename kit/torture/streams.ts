import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { quantile, table } from "../bench/figures.ts"
import { readStream } from "../../packages/client/stream.ts"
import { Random } from "./random.ts"
import { ServerProcess, type ServerReady } from "./server-process.ts"

export interface StreamsOptions {
  readonly cycles: number
  readonly seed: number
}

const PRODUCERS = 6
const LIFE_MS = [20, 400] as const
const SHARED = "/v1/stream/torture/shared"

/** Kill the real server while producers append, and count what it acknowledged and lost, and what it
 *  has twice. Each producer numbers its appends and says one again until it is answered. */
export async function tortureStreams({ cycles, seed }: StreamsOptions): Promise<boolean> {
  console.log(`streams: ${cycles} kills, ${PRODUCERS} producers, --seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), "compositor-streams-"))
  const run = new Run({ data: join(folder, "data"), calls: join(folder, "calls") }, seed)
  for (let cycle = 1; cycle <= cycles; cycle++) await run.cycle()
  const clean = await run.judge()
  if (clean) await rm(folder, { recursive: true })
  else console.log(`the folder is kept for a look: ${folder}`)
  return clean
}

class Run {
  readonly #input: object
  readonly #random: Random
  readonly #producers: readonly Producer[]
  readonly #running: Promise<unknown>
  readonly #starts: number[] = []
  #server = Promise.withResolvers<ServerReady>()
  #stopped = false

  constructor(input: object, seed: number) {
    this.#input = input
    this.#random = new Random(seed)
    this.#producers = Array.from({ length: PRODUCERS }, (_, at) => new Producer(`p${at}`))
    this.#running = Promise.all(this.#producers.map((producer) => this.#produce(producer)))
  }

  async cycle() {
    const server = await this.#start()
    await pause(this.#random.between(...LIFE_MS))
    this.#server = Promise.withResolvers<ServerReady>()
    await server.kill()
  }

  async #start(): Promise<ServerProcess> {
    const began = performance.now()
    const server = new ServerProcess(this.#input)
    const ready = await server.ready()
    await create(ready, SHARED)
    this.#starts.push(performance.now() - began)
    this.#server.resolve(ready)
    return server
  }

  async #produce(producer: Producer) {
    while (!this.#stopped) {
      const server = this.#server.promise
      await producer.append(await server).catch(() => this.#changed(server))
    }
  }

  async #changed(server: Promise<ServerReady>) {
    while (this.#server.promise === server && !this.#stopped) await pause(2)
  }

  async judge(): Promise<boolean> {
    const server = await this.#start()
    const ready = await this.#server.promise
    this.#stopped = true
    await this.#running
    const streams = [SHARED, ...this.#producers.map(({ own }) => own)]
    const found = new Map<string, Appended[]>()
    for (const path of streams) found.set(path, await readAll(ready, path))
    await server.close()
    const verdicts = this.#producers.flatMap((producer) => [
      producer.verdict(SHARED, found.get(SHARED) ?? []),
      producer.verdict(producer.own, found.get(producer.own) ?? []),
    ])
    const sum = (name: keyof Verdict) =>
      verdicts.reduce((total, verdict) => total + verdict[name], 0)
    const rows = (["acknowledged", "said_again", "lost", "twice", "out_of_order"] as const).map(
      (name) => [name.replaceAll("_", " "), String(sum(name))],
    )
    const started = `${Math.round(quantile(this.#starts, 0.5))} ms`
    console.log(table(["what", "count"], [...rows, ["start-up p50", started]]))
    return sum("lost") + sum("twice") + sum("out_of_order") === 0
  }
}

interface Appended {
  readonly p: string
  readonly n: number
}

interface Verdict {
  readonly acknowledged: number
  readonly said_again: number
  readonly lost: number
  readonly twice: number
  readonly out_of_order: number
}

/** Appends to a stream of its own and to one that all share, in turn. */
class Producer {
  readonly name: string
  readonly own: string
  readonly #next = new Map<string, number>()
  readonly #acknowledged = new Map<string, number>()
  #again = 0
  #turn = 0

  constructor(name: string) {
    this.name = name
    this.own = `/v1/stream/torture/${name}`
  }

  async append(server: ServerReady) {
    const path = this.#turn % 2 === 0 ? SHARED : this.own
    if (path === this.own && !this.#next.has(path)) await create(server, path)
    const n = this.#next.get(path) ?? 0
    this.#next.set(path, n)
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        "producer-id": this.name,
        "producer-epoch": "0",
        "producer-seq": String(n),
      },
      body: JSON.stringify({ p: this.name, n }),
    })
    await response.arrayBuffer()
    if (response.status !== 200 && response.status !== 204)
      throw new Error(`${path} answered ${response.status}`)
    if (response.status === 204) this.#again++
    this.#acknowledged.set(path, (this.#acknowledged.get(path) ?? 0) + 1)
    this.#next.set(path, n + 1)
    this.#turn++
  }

  verdict(path: string, all: readonly Appended[]): Verdict {
    const mine = all.filter(({ p }) => p === this.name).map(({ n }) => n)
    const acknowledged = this.#acknowledged.get(path) ?? 0
    const there = new Set(mine)
    const expected = Array.from({ length: acknowledged }, (_, n) => n)
    const again = this.#again
    this.#again = 0
    return {
      acknowledged,
      said_again: again,
      lost: expected.filter((n) => !there.has(n)).length,
      twice: mine.length - there.size,
      out_of_order: mine.filter((n, at) => n !== at).length,
    }
  }
}

async function create({ url, token }: ServerReady, path: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const response = await fetch(`${url}${path}`, { method: "PUT", headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
}

async function readAll({ url, token }: ServerReady, path: string): Promise<Appended[]> {
  const all: Appended[] = []
  for await (const { items } of readStream({ url, token, path, live: false }))
    all.push(...(items as Appended[]))
  return all
}
