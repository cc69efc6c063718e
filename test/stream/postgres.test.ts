import { describe } from "vitest"
import { missing } from "../machine.ts"
import { onPostgres } from "../postgres.ts"

/** The protocol's own suite, and what restarts must not lose, over streams in PostgreSQL. */
describe.skipIf(missing("postgresql"))("on PostgreSQL", async () => {
  onPostgres()
  await import("./conformance.test.ts")
  await import("./durability.test.ts")
})
