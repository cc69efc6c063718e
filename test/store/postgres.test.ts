import { describe } from "vitest"
import { openPostgresStore } from "../../packages/engine/store/postgres/postgres-store.ts"
import { asking } from "../../kit/torture/postgres.ts"
import { missing } from "../machine.ts"
import { onPostgres, storeFor } from "../postgres.ts"
import type { Maker } from "./build.ts"
import { storeContract } from "./contract.ts"

async function roomOf(folder: string): Promise<string> {
  const { store = "" } = await storeFor(folder)
  return store
}

const POSTGRES: Maker = {
  open: async (folder) => openPostgresStore({ url: await roomOf(folder) }),
  async sql(folder, statement) {
    await asking(await roomOf(folder), statement)
  },
}

describe.skipIf(missing("postgresql"))("PostgreSQL", () => {
  onPostgres()
  storeContract("postgresql", POSTGRES)
})
