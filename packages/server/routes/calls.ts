import { calls } from "compositor-core/contract/turns"
import type { Turn } from "compositor-core/message/row"
import type { CallDecision } from "compositor-engine/store/store"
import type { Saying } from "compositor-engine/turns/waiting"
import { serveRoutes, type ServedRoute } from "../route.ts"

export interface CallEngine {
  resolveCall(
    session_id: string,
    turn_id: string,
    saying: Saying,
  ): Promise<{ readonly turn: Turn; readonly txid: string }>
}

/** What a person says to a call that a turn waits for; 409 when it waits no longer (SES-071). */
export function callRoutes(engine: CallEngine): ServedRoute[] {
  return serveRoutes(calls, {
    approveCall: (asked) => say(engine, asked.param, { type: "approve" }, asked.body),
    denyCall: (asked) =>
      say(engine, asked.param, { type: "deny", reason: asked.body.reason ?? null }, asked.body),
    answerCall: (asked) =>
      say(engine, asked.param, { type: "answer", answers: asked.body.answers }, asked.body),
    retryCall: (asked) => say(engine, asked.param, { type: "retry" }),
    skipCall: (asked) => say(engine, asked.param, { type: "skip" }),
  })
}

interface Decision {
  readonly always?: boolean
  readonly pattern?: string | undefined
  readonly part_id?: string | undefined
}

async function say(
  engine: CallEngine,
  param: (name: "id" | "turn" | "call") => string,
  resolution: CallDecision,
  { always = false, pattern, part_id }: Decision = {},
) {
  const call_id = param("call")
  const saying = { call_id, part_id, resolution, always, pattern }
  const { turn, txid } = await engine.resolveCall(param("id"), param("turn"), saying)
  return { turn, txid }
}
