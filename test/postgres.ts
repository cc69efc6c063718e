import { createHash, randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, onTestFinished } from "vitest"
import { openPostgresStore } from "../packages/engine/store/postgres/postgres-store.ts"
import type { Store } from "../packages/engine/store/store.ts"
import { asking, type PostgresServer, roomAt, startPostgres } from "../kit/torture/postgres.ts"

let server: PostgresServer | undefined

/** Every house that is opened until the end of this suite keeps its rows in PostgreSQL. `npm test` has
 *  one running, in which the suite gets a database; a suite that stops its server has one of its `own`. */
export function onPostgres({ own = false } = {}) {
  beforeAll(async () => {
    const shared = process.env["COMPOSITOR_TEST_POSTGRES"]
    server =
      own || shared === undefined
        ? await startPostgres({ durable: false })
        : await databaseIn(shared)
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    server = undefined
  })
}

async function databaseIn(shared: string): Promise<PostgresServer> {
  const name = `suite_${randomUUID().replaceAll("-", "")}`
  await asking(shared, `CREATE DATABASE ${name}`)
  const url = shared.replace(/[^/]+$/, name)
  const refuse = () => Promise.reject(new Error("other suites use this server: say { own: true }"))
  return {
    url,
    room: (schema) => roomAt(url, schema),
    crash: refuse,
    start: refuse,
    stop: async () => void (await asking(shared, `DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

/** The same rooms for the same folder; nothing where rows are kept in the folder itself. */
export async function storeFor(folder: string): Promise<{ readonly store?: string }> {
  if (!server) return {}
  const name = `t${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`
  return { store: await server.room(name) }
}

export function postgres(): PostgresServer {
  if (!server) throw new Error("no PostgreSQL was started: say onPostgres()")
  return server
}

/** The address of rooms that nobody else has. */
export function newRoom(): Promise<string> {
  return postgres().room(`r${randomUUID().slice(0, 8)}`)
}

export async function openNode(url: string): Promise<Store> {
  const store = await openPostgresStore({ url })
  onTestFinished(() => store.close())
  return store
}

/** Two nodes on the same rooms. */
export async function twoNodes() {
  const url = await newRoom()
  const [one, other] = await Promise.all([openNode(url), openNode(url)])
  return { url, one, other }
}

export function many<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => make(at)))
}

/** Until somebody waits for a row that another has. */
export async function blocked(url: string) {
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  await expect.poll(async () => (await asking(url, waiting)).length).toBeGreaterThan(0)
}
