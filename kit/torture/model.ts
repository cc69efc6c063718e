import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { table } from "../bench/figures.ts"
import { openPostgresStore } from "../../packages/engine/store/postgres/postgres-store.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { FAST_FOLDER } from "./fast-folder.ts"
import { type PostgresServer, startPostgres } from "./postgres.ts"
import { type Action, actions } from "./session-actions.ts"
import { SessionModel } from "./session-model.ts"
import type { Clock, Stage } from "./session-world.ts"

export interface ModelOptions {
  readonly steps: number
  readonly seed: number
  /** Actions of one run: a run starts with a new session. */
  readonly length?: number
  readonly store?: "sqlite" | "postgres"
}

const LENGTH = 120
/** After so many runs the folder is begun anew, so that its size does not decide the time. */
const RUNS_OF_A_FOLDER = 200
const HOUR_MS = 60 * 60 * 1000
const BEGINNING = 1_800_000_000_000

/** Random lives of sessions against lists in memory. True when no step made a difference. */
export async function tortureModel(options: ModelOptions) {
  const { steps, seed, store = "sqlite" } = options
  console.log(`model: ${steps} steps on ${store}, --seed ${seed}`)
  const began = performance.now()
  const walked = await walk(options)
  const seconds = (performance.now() - began) / 1000
  const rate = Math.round(walked.steps / seconds)
  console.log(`${walked.steps} steps in ${walked.runs} runs, ${seconds.toFixed(1)} s, ${rate}/s`)
  const rows = [...walked.counts].sort(([left], [right]) => (left < right ? -1 : 1))
  console.log(
    table(
      ["action", "done", "nothing to do"],
      rows.map(([name, { done, idle }]) => [name, String(done), String(idle)]),
    ),
  )
  console.log(walked.fault ? walked.fault : "0 divergences")
  return walked.fault === undefined
}

export interface Walked {
  readonly steps: number
  readonly runs: number
  /** How often each action was done, and how often there was nothing to do it to. */
  readonly counts: ReadonlyMap<string, { readonly done: number; readonly idle: number }>
  /** The shortest life that shows a difference, in words. */
  readonly fault: string | undefined
}

export async function walk(options: ModelOptions): Promise<Walked> {
  if (options.store !== "postgres") return walkOver(inMemory, options)
  const server = await startPostgres({ durable: false })
  try {
    return await walkOver(() => inRooms(server), options)
  } finally {
    await server.stop()
  }
}

async function walkOver(
  place: () => Promise<Place>,
  { steps, seed, length = LENGTH }: ModelOptions,
): Promise<Walked> {
  const counts = new Map<string, { done: number; idle: number }>()
  const count = (name: string, done: boolean) => {
    const one = counts.get(name) ?? { done: 0, idle: 0 }
    one[done ? "done" : "idle"] += 1
    counts.set(name, one)
  }
  const so_far = { steps: 0, runs: 0 }
  while (so_far.steps < steps) {
    const theatre = await Theatre.open(await place())
    const property = fc.asyncProperty(actions(length), async (life) => {
      so_far.runs += 1
      if (so_far.steps < steps) so_far.steps += await live(theatre, life, count)
    })
    const about = { numRuns: RUNS_OF_A_FOLDER, seed: seed + so_far.runs }
    const details = await fc.check(property, about)
    await theatre.close()
    if (details.failed) return { ...so_far, counts, fault: fc.defaultReportMessage(details) }
  }
  return { ...so_far, counts, fault: undefined }
}

async function live(
  theatre: Theatre,
  life: readonly Action[],
  count: (name: string, done: boolean) => void,
): Promise<number> {
  const model = new SessionModel(theatre, theatre.clock)
  await model.begin()
  for (const action of life) {
    count(nameOf(action), await model.perform(action))
    await model.check()
  }
  await model.drain()
  return life.length
}

function nameOf(action: Action): string {
  if (action.type === "send") return `send ${action.mode}`
  if (action.type === "end") return `end ${action.state}`
  return action.type === "clock" ? `clock ${action.hours} h` : action.type
}

/** Where a store is opened, again and again, until all of it goes. */
interface Place {
  open(clock: () => number): Promise<Store>
  remove(): Promise<void>
}

async function inMemory(): Promise<Place> {
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-model-"))
  const file = join(folder, "compositor.db")
  return {
    open: (clock) => openSqliteStore({ file, thread: false, clock }),
    remove: () => rm(folder, { recursive: true }),
  }
}

async function inRooms(server: PostgresServer): Promise<Place> {
  const url = await server.room(`m${randomUUID().slice(0, 8)}`)
  return { open: (clock) => openPostgresStore({ url, clock }), remove: async () => undefined }
}

/** A store, and a clock that goes as it is told. */
class Theatre implements Stage {
  readonly clock: Clock
  readonly #place: Place
  #store: Store | undefined
  #now = BEGINNING

  static async open(place: Place): Promise<Theatre> {
    const theatre = new Theatre(place)
    await theatre.reopen()
    return theatre
  }

  private constructor(place: Place) {
    this.#place = place
    this.clock = {
      now: () => this.#now,
      tick: (hours) => {
        this.#now += hours * HOUR_MS
      },
    }
  }

  get store(): Store {
    if (!this.#store) throw new Error("the store is not open")
    return this.#store
  }

  async reopen() {
    await this.#store?.close()
    this.#store = await this.#place.open(() => ++this.#now)
  }

  async close() {
    await this.store.close()
    await this.#place.remove()
  }
}
