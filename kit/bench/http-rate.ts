import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { Child } from "./child.ts"
import { median } from "./figures.ts"
import type { LoadAnswer, LoadQuestion } from "./load.ts"
import type { Delay, ServerInput, ServerQuestion, ServerAddress } from "./server.ts"

export interface HttpFigures {
  readonly rate: number
  readonly rate_without_store: number
  /** The median of the ratios of neighbouring runs. */
  readonly ratio: number
  readonly delay: Delay
  readonly delay_without_store: Delay
}

export interface HttpLoad {
  readonly connections: number
  readonly sessions: number
  readonly rounds: number
  readonly duration_ms: number
}

const WARM_UP_MS = 1500

/** Messages per second through the real server, and through the same route without its store. */
export async function httpFigures(folder: string, load: HttpLoad): Promise<HttpFigures> {
  const real = await startServer(folder, load, false)
  const empty = await startServer(folder, load, true)
  const loader = await Child.start("load.ts", { connections: load.connections })
  const warm = { ...load, duration_ms: WARM_UP_MS }
  await measure(real, loader, warm)
  await measure(empty, loader, warm)
  const rounds: { real: Measured; empty: Measured }[] = []
  for (let round = 0; round < load.rounds; round++)
    rounds.push({
      real: await measure(real, loader, load),
      empty: await measure(empty, loader, load),
    })
  await Promise.all([loader.stop(), real.child.stop(), empty.child.stop()])
  return {
    rate: median(rounds.map(({ real }) => real.rate)),
    rate_without_store: median(rounds.map(({ empty }) => empty.rate)),
    ratio: median(rounds.map(({ real, empty }) => real.rate / empty.rate)),
    delay: medianDelay(rounds.map(({ real }) => real.delay)),
    delay_without_store: medianDelay(rounds.map(({ empty }) => empty.delay)),
  }
}

interface Server {
  readonly child: Child
  readonly address: ServerAddress
}

async function startServer(
  folder: string,
  load: HttpLoad,
  leave_out_store: boolean,
): Promise<Server> {
  const data = await mkdtemp(join(folder, "http-"))
  const { sessions } = load
  const input: ServerInput = { data, turns: false, leave_out_store, sessions, environment: {} }
  const child = await Child.start("server.ts", input)
  return { child, address: await ask<ServerAddress>(child, "address") }
}

interface Measured {
  readonly rate: number
  readonly delay: Delay
}

async function measure(server: Server, loader: Child, load: HttpLoad): Promise<Measured> {
  const question: LoadQuestion = { server: server.address, duration_ms: load.duration_ms }
  await ask(server.child, "watch-delay")
  const { messages, seconds, refused } = await loader.ask<LoadAnswer>(question)
  const delay = await ask<Delay>(server.child, "tell-delay")
  if (refused > 0) throw new Error(`${refused} of ${messages + refused} messages were refused`)
  return { rate: messages / seconds, delay }
}

function ask<Answer>(child: Child, type: ServerQuestion["type"]): Promise<Answer> {
  return child.ask<Answer>({ type } satisfies ServerQuestion)
}

function medianDelay(delays: readonly Delay[]): Delay {
  return {
    p50_ms: median(delays.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(delays.map(({ p99_ms }) => p99_ms)),
  }
}
