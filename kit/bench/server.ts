// The real server in a process of its own: bench/child.ts starts it.

import { monitorEventLoopDelay } from "node:perf_hooks"
import process from "node:process"
import { serve } from "../../packages/server/serve.ts"
import type { Append, Appended } from "../../packages/engine/store/store.ts"
import { newSessions } from "./submitters.ts"

export interface ServerInput {
  readonly data: string
  readonly turns: boolean
  /** Answer a send at once, from memory: what the route costs without the store. */
  readonly leave_out_store: boolean
  readonly sessions: number
  readonly environment: Readonly<Record<string, string>>
}

export interface ServerAddress {
  readonly url: string
  readonly token: string
  readonly sessions: readonly string[]
}

export interface ServerQuestion {
  readonly type: "address" | "watch-delay" | "tell-delay"
}

export interface Delay {
  readonly p50_ms: number
  readonly p99_ms: number
}

const RESOLUTION_MS = 1

const input = JSON.parse(process.argv[2] ?? "") as ServerInput
const running = await serve({
  data: input.data,
  workspace: null,
  environment: input.environment,
  turns: input.turns,
  registered: false,
})
const { store } = running.host
const sessions = await newSessions(store, input.sessions)
if (input.leave_out_store) store.append = appendToNothing

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
process.on("message", (question: ServerQuestion) => {
  switch (question.type) {
    case "address":
      return tell({ url: running.url, token: running.token, sessions } satisfies ServerAddress)
    case "watch-delay":
      delay.reset()
      delay.enable()
      return tell({})
    case "tell-delay":
      delay.disable()
      return tell(delayOf(delay))
  }
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
tell({})

function tell(message: object) {
  process.send?.(message)
}

// The histogram counts from one tick of its timer to the next: an idle loop shows the resolution.
function delayOf(histogram: ReturnType<typeof monitorEventLoopDelay>): Delay {
  const beyond = (share: number) => Math.max(0, histogram.percentile(share) / 1e6 - RESOLUTION_MS)
  return { p50_ms: beyond(50), p99_ms: beyond(99) }
}

async function appendToNothing(input: Append): Promise<Appended> {
  const { session_id, message_id: id, metadata } = input
  const now = Date.now()
  const dates = { created_at: now, updated_at: now }
  const parts = input.parts.map((part, index) => ({
    id: part.id,
    message_id: id,
    session_id,
    index,
    type: part.type,
    data: JSON.parse(part.data_json),
    tool_call_id: null,
    tool_state: null,
    ...dates,
  }))
  const queued = { ...metadata, queued_at: now, queue_enqueued_at: now }
  const place = { state: "queued", seq: null, position: `${now}:a0` } as const
  const row = { id, session_id, role: "user", metadata: queued, ...place, ...dates } as const
  return { message: { ...row, parts }, claim: null, replayed: false, txid: `nothing-${now}` }
}
