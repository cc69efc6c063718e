// A PostgreSQL for servers that share their rows: the one that runs for all suites, or one of this file's.

import { afterAll, beforeAll } from "vitest"
import {
  type PostgresServer,
  postgresBinaries,
  roomAt,
  startPostgres,
} from "../../../torture/postgres.ts"

const SHARED = process.env["COMPOSITOR_TEST_POSTGRES"]

export const noPostgres = SHARED === undefined && postgresBinaries() === undefined

/** Started before the suite that says this, and stopped after it. */
export function withPostgres(): () => Pick<PostgresServer, "url" | "room"> {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (SHARED === undefined) server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(() => server?.stop())
  return () => {
    if (server) return server
    if (SHARED === undefined) throw new Error("PostgreSQL is not started yet")
    return { url: SHARED, room: (name) => roomAt(SHARED, name) }
  }
}
