import { describe, vi } from "vitest"
import { missing } from "../machine.ts"
import { onPostgres } from "../postgres.ts"

/** Whose a thing is they know on PostgreSQL as well: the same probes, over other rooms. */
describe.skipIf(missing("postgresql"))("on PostgreSQL", async () => {
  vi.setConfig({ testTimeout: 300_000 })
  onPostgres()
  await import("./principals.test.ts")
})
