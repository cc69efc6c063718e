import { randomBytes } from "node:crypto"
import { namesOf } from "compositor-core/message/untyped"
import { OPERATIONS, type OperationName } from "../sql/operations/operations.ts"
import { openAppended, type RawAppended } from "../sql/operations/queue.ts"
import type { AllReads } from "../sql/reads/reads.ts"
import type { Append, Store, Writes } from "../store.ts"
import { copyFromPostgres } from "./copy.ts"
import { Groups } from "./groups.ts"
import { Hub } from "./hub.ts"
import { RowQueues } from "./row-queues.ts"
import { FOR_GROUPS, PostgresLink } from "./link.ts"
import { migrate, refuseNewerSchema } from "./migrate.ts"
import { patiently } from "./retry.ts"
import { Pool } from "./pool.ts"
import { READ_NAMES, PostgresReader } from "./reader.ts"
import { lockOf, Writer } from "./writer.ts"

export interface PostgresOptions {
  /** `postgres://user@host/database` */
  readonly url: string
  readonly clock?: () => number
  /** How many connections operations share; reads and notifications have one each beside them. */
  readonly connections?: number
}

const CONNECTIONS = 12
/** So many groups of operations are under way at once. */
const GROUPS = 2

type Listener = (streams: ReadonlySet<string> | undefined) => void

/** The store of any number of nodes: every promise of a store is kept by the database, and none by a
 *  process. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const node = `${Date.now().toString(36)}${randomBytes(5).toString("hex")}`
  await patiently(() => migrated(options.url))
  const links = new Links(options.url)
  const open = () => links.open()
  const pool = new Pool(options.connections ?? CONNECTIONS, open)
  const reader = new PostgresReader(pool, open)
  const writer = new Writer(pool, { clock: options.clock ?? Date.now, epoch: node })
  const shared = new Pool(GROUPS, () => links.open(FOR_GROUPS))
  const groups = new Groups(writer, { pool: shared, lanes: GROUPS })
  const listeners = new Set<Listener>()
  const heard: Listener = (streams) => {
    for (const listener of listeners) listener(streams)
  }
  const hub = new Hub({ node, open, mark: () => reader.mark(), heard })
  await patiently(() => hub.start()).catch((error: unknown) => {
    links.close()
    throw error
  })
  const lanes = new RowQueues()
  const running = new Set<Promise<unknown>>()
  let closed = false
  const call = async (name: OperationName, input: unknown) => {
    if (closed) throw new Error("the store is closed")
    const lock = lockOf({ name, input })
    const session_id = lanes.sessionOf(lock)
    const performing = lanes.run(lanes.laneOf(lock), () =>
      session_id === undefined
        ? writer.alone({ name, input })
        : groups.perform({ name, input, session_id }),
    )
    running.add(performing)
    const performed = await performing.finally(() => running.delete(performing))
    if (performed.type === "refused") throw performed.refusal
    const { value, streams } = performed
    lanes.learn(value)
    if (streams.size > 0) {
      heard(streams)
      hub.tell(streams)
    }
    return value
  }
  return {
    ...writesThrough(call),
    ...readsThrough(reader),
    exportRows: (session_id) => reader.exported(session_id),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async vacuum() {
      await pool.use((link) => link.say("VACUUM"))
      return null
    },
    async backup(file, progress) {
      const link = await open()
      await copyFromPostgres(link, { file, progress }).finally(() => link.close())
    },
    async close() {
      closed = true
      await Promise.allSettled(running)
      hub.close()
      await shared.close()
      await pool.close()
      links.close()
    },
  }
}

/** Every connection of a store, whoever opened it: closing them all leaves none that would keep the
 *  process alive, also none that was still being opened. */
class Links {
  readonly #url: string
  readonly #open = new Set<PostgresLink>()
  #closed = false

  constructor(url: string) {
    this.#url = url
  }

  async open(also?: string): Promise<PostgresLink> {
    const link = await PostgresLink.open(this.#url, "compositor", also)
    this.#open.add(link)
    link.onBroken(() => this.#open.delete(link))
    try {
      await refuseNewerSchema(link)
      if (this.#closed) throw new Error("the store is closed")
      return link
    } catch (error) {
      link.close()
      throw error
    }
  }

  close() {
    this.#closed = true
    for (const link of this.#open) link.close()
  }
}

async function migrated(url: string) {
  const link = await PostgresLink.open(url, "compositor")
  try {
    await migrate(link)
  } finally {
    link.close()
  }
}

type Call = (name: OperationName, input: unknown) => Promise<unknown>

function writesThrough(call: Call): Pick<Store, Exclude<keyof Writes, "vacuum">> {
  const names = namesOf(OPERATIONS)
  const entries = names.map((name) => [name, (input: unknown) => call(name, input)])
  return {
    ...Object.fromEntries(entries),
    append: async (input: Append) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what this operation answers
      openAppended(input, (await call("append", input)) as RawAppended),
  }
}

function readsThrough(reader: PostgresReader): Pick<Store, keyof AllReads> {
  const entries = READ_NAMES.map((name) => [
    name,
    (...input: unknown[]) => reader.read(name, input),
  ])
  return Object.fromEntries(entries)
}
