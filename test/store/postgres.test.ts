import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe } from "vitest"
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts"
import { asking, type PostgresServer, startPostgres } from "../../torture/postgres.ts"
import { missing } from "../machine.ts"
import type { Maker } from "./build.ts"
import { storeContract } from "./contract.ts"

let server: PostgresServer

function roomOf(folder: string): Promise<string> {
  return server.room(`t${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`)
}

const POSTGRES: Maker = {
  open: async (folder) => openPostgresStore({ url: await roomOf(folder) }),
  async sql(folder, statement) {
    await asking(await roomOf(folder), statement)
  },
}

describe.skipIf(missing("postgresql"))("PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(() => server.stop())

  storeContract("postgresql", POSTGRES)
})
