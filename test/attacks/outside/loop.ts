// How long a server's loop works without a pause, seen from inside its process.

import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { onTestFinished } from "vitest"
import { type Environment, type Server, until } from "./product.ts"

export interface LoopWatch {
  /** Variables that load the watch into a server. */
  readonly environment: Environment
  /** The longest that the server worked without a pause while this was done, in milliseconds. */
  during(server: Server, action: () => Promise<unknown>): Promise<number>
}

export async function watchLoop(): Promise<LoopWatch> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-loop-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, "longest")
  const script = pathToFileURL(join(import.meta.dirname, "loop-watch.mjs")).href
  const longest = async () => Number(await readFile(file, "utf8").catch(() => "NaN"))
  return {
    environment: { NODE_OPTIONS: `--import=${script}`, LOOP_WATCH_FILE: file },
    async during(server, action) {
      process.kill(server.pid, "SIGUSR2")
      await until(async () => (await longest()) < 5, "the watch began anew")
      await action()
      // An answer that the server gives now was given after all that it did.
      await server.get("/healthz")
      return longest()
    },
  }
}
