// Claims and completes messages in a process of its own: bench/child.ts starts it.

import process from "node:process"
import { newId } from "../../packages/core/message/id.ts"
import { openPostgresStore } from "../../packages/engine/store/postgres/postgres-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"

export interface PairsInput {
  readonly url: string
  readonly workers: number
}

export interface PairsQuestion {
  readonly queues: number
  readonly jobs: number
}

export interface PairsAnswer {
  readonly pairs: number
  readonly seconds: number
}

const OWNER = "a worker"
const { url, workers } = JSON.parse(process.argv[2] ?? "") as PairsInput
const store = await openPostgresStore({ url, connections: workers })
process.on("message", (question: PairsQuestion) => {
  void measure(question).then((answer) => process.send?.(answer))
})
process.on("SIGTERM", () => void store.close().then(() => process.exit(0)))
process.on("disconnect", () => process.exit(1))
process.send?.({})

async function measure({ queues, jobs }: PairsQuestion): Promise<PairsAnswer> {
  const sessions = await filled(store, queues, Math.ceil(jobs / queues))
  const left = sessions.values()
  let pairs = 0
  const began = performance.now()
  const worker = async () => {
    for (const session_id of left) {
      const done = await drained(store, session_id)
      pairs += done
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return { pairs, seconds: (performance.now() - began) / 1000 }
}

/** The first is claimed by itself; whoever completes one is given the next in the same commit. */
async function drained(store: Store, session_id: string): Promise<number> {
  let pairs = 0
  let claim = await store.claim({ session_id, owner: OWNER })
  while (claim) {
    const { id: turn_id, fence } = claim.turn
    const end = { turn_id, fence, state: "finished", usage: null, error: null } as const
    const { next } = await store.endTurn({ ...end, answer: null, owner: OWNER })
    pairs += 1
    claim = next
  }
  return pairs
}

async function filled(store: Store, count: number, messages: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const id = newId("ses")
      const model = { provider_id: "none", model_id: "none" }
      const about = { agent: "assistant", title: "t", workspace_root: null, metadata: {} }
      await store.createSession({ id, model, ...about })
      for (let left = messages; left > 0; left--)
        await store.append({
          session_id: id,
          message_id: newId("msg"),
          metadata: {},
          digest: "d",
          parts: [{ id: newId("prt"), type: "text", data_json: '{"type":"text"}', blob: null }],
          mode: "queued",
          position: null,
          expected_turn_id: null,
          captures: [],
          title: null,
          owner: null,
        })
      return id
    }),
  )
}
