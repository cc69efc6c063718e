import { describe, vi } from "vitest"
import { missing } from "../machine.ts"
import { onPostgres } from "../postgres.ts"

/** What sessions do they do on PostgreSQL as well: the same suites, over other rooms. */
describe.skipIf(missing("postgresql"))("on PostgreSQL", async () => {
  // Every step is a conversation with another process.
  vi.setConfig({ testTimeout: 240_000 })
  onPostgres()
  await import("./actions.test.ts")
  await import("./calls.test.ts")
  await import("./compaction.test.ts")
  await import("./refused-media.test.ts")
  await import("./runner.test.ts")
  await import("./sends.test.ts")
  await import("./sidecar.test.ts")
  await import("./steer.test.ts")
  await import("./switch.test.ts")
})
