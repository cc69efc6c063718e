import { createHash } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import { type PostgresServer, startPostgres } from "../torture/postgres.ts"

let server: PostgresServer | undefined

/** Every house that is opened until the end of this suite keeps its rows in PostgreSQL. */
export function onPostgres() {
  beforeAll(async () => {
    server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    server = undefined
  })
}

/** The same rooms for the same folder; nothing where rows are kept in the folder itself. */
export async function storeFor(folder: string): Promise<{ readonly store?: string }> {
  if (!server) return {}
  const name = `t${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`
  return { store: await server.room(name) }
}
