import { defineConfig } from "vitest/config"
import { tally } from "./test/reporter.ts"
import { LongestFirst } from "./test/sequencer.ts"

export default defineConfig({
  // The suite of Durable Streams brings another vitest along; its tests must be ours to run.
  resolve: { dedupe: ["vitest"] },
  test: {
    server: { deps: { inline: ["@durable-streams/server-conformance-tests"] } },
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["dist/**", "node_modules/**"],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // A busy machine is slow, not wrong: whoever waits for something waits long enough.
    expect: { poll: { timeout: 15_000 } },
    pool: "forks",
    // V8's record of pages for machine code is wrong at times where threads come and go, and then Node ends
    // itself (`jit_page.has_value()`, nodejs/node#64500). Without keys that guard these pages it keeps none.
    execArgv: ["--no-memory-protection-keys"],
    // Many wait for a process, a browser or a database: with one more than two cores have, none is idle.
    maxWorkers: 3,
    runner: "./test/runner.ts",
    sequence: { sequencer: LongestFirst },
    reporters: ["default", tally],
  },
})
