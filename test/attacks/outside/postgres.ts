// A PostgreSQL for servers that share their rows: the one that runs for all suites, or one of this file's.

import { randomUUID } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import {
  asking,
  type PostgresServer,
  postgresBinaries,
  roomAt,
  startPostgres,
} from "../../../kit/torture/postgres.ts"

const SHARED = process.env["COMPOSITOR_TEST_POSTGRES"]

export const noPostgres = SHARED === undefined && postgresBinaries() === undefined

/** Started before the suite that says this, and stopped after it. */
export function withPostgres(): () => Pick<PostgresServer, "url" | "room"> {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (SHARED === undefined) server = await startPostgres({ durable: false })
  }, 120_000)
  afterAll(() => server?.stop())
  return () => {
    if (server) return server
    if (SHARED === undefined) throw new Error("PostgreSQL is not started yet")
    return { url: SHARED, room: (name) => roomAt(SHARED, name) }
  }
}

/** Gives addresses of databases that nobody else has, each empty. */
export function withDatabases(): () => Promise<string> {
  const server = withPostgres()
  return async () => {
    const name = `d${randomUUID().replaceAll("-", "").slice(0, 12)}`
    await asking(server().url, `CREATE DATABASE ${name}`)
    const url = new URL(server().url)
    url.pathname = `/${name}`
    return url.href
  }
}

/** Every table of a database with the number of its rows. */
export async function rowCounts(url: string): Promise<Record<string, number>> {
  const tables = (await asking(
    url,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()",
  )) as { name: string }[]
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = (await asking(url, `SELECT count(*)::int AS rows FROM "${name}"`)) as {
      rows: number
    }[]
    counts[name] = row?.rows ?? 0
  }
  return counts
}
