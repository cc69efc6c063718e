// A PostgreSQL of a test file's own, for servers that share their rows.

import { afterAll, beforeAll } from "vitest"
import { type PostgresServer, postgresBinaries, startPostgres } from "../../../torture/postgres.ts"

export const noPostgres = postgresBinaries() === undefined

/** Started before the suite that says this, and stopped after it. */
export function withPostgres(): () => PostgresServer {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(() => server?.stop())
  return () => {
    if (!server) throw new Error("PostgreSQL is not started yet")
    return server
  }
}
