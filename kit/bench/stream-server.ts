// The real server in a process of its own: bench/child.ts starts it.

import process from "node:process"
import { serve } from "../../packages/server/serve.ts"

export interface StreamServerInput {
  readonly data: string
}

export interface StreamServerAddress {
  readonly url: string
  readonly token: string
}

/** Where it is, and how much memory it holds. */
export interface StreamServerAnswer extends StreamServerAddress {
  readonly rss: number
}

const { data } = JSON.parse(process.argv[2] ?? "") as StreamServerInput
const running = await serve({
  data,
  workspace: null,
  environment: {},
  turns: false,
  registered: false,
})
process.on("message", () => {
  const { url, token } = running
  process.send?.({ url, token, rss: process.memoryUsage().rss } satisfies StreamServerAnswer)
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
process.send?.({})
