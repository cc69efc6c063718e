import type { QueueEffect } from "compositor-core/commands/queue-effect"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import type { ActionPerformed, Claim } from "../store/store.ts"
import { runInSpan } from "../telemetry/span.ts"
import { endTurn, type Left, takeSteps, tellFired } from "./steps.ts"
import {
  type Conversed,
  type ConverseOptions,
  ModelFailed,
  type TurnHandler,
} from "./turn-handler.ts"
import { tellInstructions } from "./instructions.ts"
import { compactionFor, TurnAborted } from "./context-overflow.ts"
import { openTurnContext, type TurnDependencies } from "./turn-context.ts"

/** Run what one claimed message sets off, and claim the next in the commit that ends it. Null when
 *  nothing follows: the queue is empty, the turn waits for a person, or another took it over. */
export async function runTurn(
  rooms: TurnDependencies,
  claim: Claim,
  signal: AbortSignal,
): Promise<Claim | null> {
  const { turn } = claim
  if (claim.action) return act(rooms, claim, { action: claim.action, signal })
  // A message that is asked again must not stand twice in what was kept of the history.
  if (turn.attempt > 1) rooms.history.forget(turn.session_id)
  const about = { "session.id": turn.session_id, "turn.id": turn.id, "turn.attempt": turn.attempt }
  return runInSpan(
    "session.turn",
    { ...about, "gen_ai.request.model": turn.model.model_id },
    async () => {
      try {
        return await converse(rooms, claim, signal)
      } catch (error) {
        return fail(rooms, claim, error)
      }
    },
  )
}

interface Acting {
  readonly action: QueueEffect
  readonly signal: AbortSignal
}

/** What a message asks of its session. A summary is written first, and becomes the session's in the
 *  commit that ends the turn, like everything else that is asked of it. */
async function act(rooms: TurnDependencies, claim: Claim, { action, signal }: Acting) {
  try {
    if (action.type !== "compact") return await perform(rooms, claim, { action })
    const opened = await openTurnContext(rooms, claim, signal)
    if (opened.type === "nobody")
      return (await endTurn(rooms, claim, { state: "error", error: opened.error })).next
    const { focus } = action
    const compaction = await compactionFor(rooms, opened.talk, { type: "asked", focus })
    return await perform(rooms, claim, { action, ...(compaction ? { compaction } : {}) })
  } catch (error) {
    return fail(rooms, claim, error)
  }
}

type Deed = Pick<ActionPerformed, "action" | "compaction">

async function perform(rooms: TurnDependencies, { turn }: Claim, deed: Deed) {
  const performed = await rooms.store.performAction({
    turn_id: turn.id,
    fence: turn.fence,
    owner: rooms.owner,
    ...deed,
    branch_id: newId("ses"),
    answer_id: newId("msg"),
    part_id: newId("prt"),
  })
  return performed.next
}

async function fail(rooms: TurnDependencies, claim: Claim, error: unknown): Promise<Claim | null> {
  rooms.history.forget(claim.turn.session_id)
  if (isStale(error)) return null
  if (error instanceof TurnAborted) return (await endTurn(rooms, claim, { state: "aborted" })).next
  const message = error instanceof Error ? error.message : String(error)
  const isCoded = error instanceof ModelFailed || error instanceof Refusal
  const code = isCoded ? error.code : "internal"
  return (await endTurn(rooms, claim, { state: "error", error: { code, message } })).next
}

async function converse(rooms: TurnDependencies, claim: Claim, signal: AbortSignal) {
  await tellFired(rooms, { claim, message_ids: [claim.turn.message_id], signal })
  const handler = await rooms.handler?.(claim)
  if (handler) return handle(rooms, claim, { handler, signal })
  const opened = await openTurnContext(rooms, claim, signal)
  if (opened.type === "nobody") {
    const { next } = await endTurn(rooms, claim, { state: "error", error: opened.error })
    return next
  }
  const { talk } = opened
  await tellInstructions(rooms, talk)
  const after = await takeSteps(rooms, talk)
  return "next" in after ? after.next : null
}

/** A handler runs, and its turn ends when it does. Whoever asks the model may find the turn over, or
 *  waiting for a person: then it matters no more what the handler makes of that. */
async function handle(
  rooms: TurnDependencies,
  claim: Claim,
  { handler, signal }: { readonly handler: TurnHandler; readonly signal: AbortSignal },
) {
  let left: Left | undefined
  // The first conversation goes on with what the turn was left with, unless that was settled.
  let { answer_id } = claim
  const ask = async (options: ConverseOptions) => {
    const open = answer_id === options.settled ? null : answer_id
    answer_id = null
    const after = await conversed(rooms, { ...claim, answer_id: open }, { options, signal })
    if (!("next" in after)) return after
    left = after
    throw new Error("the turn waits for a person, or is over")
  }
  const changed = () => rooms.history.forget(claim.turn.session_id)
  try {
    await handler({ claim, signal, converse: ask, changed })
  } catch (error) {
    if (!left && !signal.aborted) throw error
  }
  if (left) return left.next
  return (await endTurn(rooms, claim, { state: signal.aborted ? "aborted" : "finished" })).next
}

async function conversed(
  rooms: TurnDependencies,
  claim: Claim,
  { options, signal }: { readonly options: ConverseOptions; readonly signal: AbortSignal },
): Promise<Left | Conversed> {
  const opened = await openTurnContext(rooms, claim, signal)
  if (opened.type === "nobody") throw new ModelFailed(opened.error.code, opened.error.message)
  const said = await lastSaid(rooms, claim)
  if (said) return said
  await tellInstructions(rooms, opened.talk)
  return takeSteps(rooms, { ...opened.talk, asked: options })
}

/** The answer that the turn was left with, if it ended one and nothing was steered in since. */
async function lastSaid(
  rooms: TurnDependencies,
  { turn, answer_id }: Claim,
): Promise<Conversed | undefined> {
  if (answer_id === null) return undefined
  const answer = await rooms.store.message(turn.session_id, answer_id)
  const finish = answer?.metadata.finish
  if (typeof finish !== "string" || finish === "tool-call" || answer?.seq == null) return undefined
  const after = await rooms.store.historyAfter(turn.session_id, answer.seq)
  return after.length === 0 ? { message_id: answer_id, finish } : undefined
}

function isStale(error: unknown): boolean {
  return error instanceof Refusal && error.code === "stale"
}
