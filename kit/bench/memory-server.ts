// The real server in a process of its own, and how much memory it held at most: bench/child.ts starts it.

import process from "node:process"
import { serve } from "../../packages/server/serve.ts"

export interface MemoryServerInput {
  readonly data: string
  readonly blobs?: string
  readonly keys?: Readonly<Record<string, string>>
}

export type MemoryQuestion = { readonly type: "begin" } | { readonly type: "look" }

export interface MemoryAnswer {
  readonly url: string
  readonly token: string
  readonly rss: number
  /** Since it was last told to begin. */
  readonly most: number
}

const LOOK_EVERY_MS = 10
const { data, blobs, keys = {} } = JSON.parse(process.argv[2] ?? "") as MemoryServerInput
const running = await serve({
  data,
  workspace: null,
  environment: keys,
  registered: false,
  ...(blobs === undefined ? {} : { blobs }),
})
const { url, token } = running
let most = 0
const look = () => {
  const rss = process.memoryUsage.rss()
  most = Math.max(most, rss)
  return rss
}
setInterval(look, LOOK_EVERY_MS)
process.on("message", ({ type }: MemoryQuestion) => {
  globalThis.gc?.()
  if (type === "begin") most = 0
  const rss = look()
  process.send?.({ url, token, rss, most } satisfies MemoryAnswer)
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
process.send?.({})
