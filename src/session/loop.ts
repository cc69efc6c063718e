import { newId } from "../message/id.ts"
import { Refusal } from "../message/refusal.ts"
import type { ActionPerformed, Claim, SessionAction, TurnEnd, TurnEnded } from "../store/store.ts"
import { span } from "../telemetry/span.ts"
import { cacheAlarms, type LastStep } from "./cache-alarm.ts"
import { type Call, callsOf, failed, rowOf, settleCalls } from "./calls.ts"
import { tellFired } from "./fired.ts"
import { type Conversed, type ConverseOptions, ModelFailed, type TurnHandler } from "./handled.ts"
import { compactionFor, TurnAborted } from "./make-room.ts"
import { keyOf, type Said, takeStep } from "./step.ts"
import { openTalk, type Talk, type TurnRooms } from "./talk.ts"

/** A model that goes on and on is stopped here. */
const MAX_STEPS = 250

/** Run what one claimed message sets off, and claim the next in the commit that ends it. Null when
 *  nothing follows: the queue is empty, the turn waits for a person, or another took it over. */
export async function runTurn(
  rooms: TurnRooms,
  claim: Claim,
  signal: AbortSignal,
): Promise<Claim | null> {
  const { turn } = claim
  if (claim.action) return act(rooms, claim, { action: claim.action, signal })
  // A message that is asked again must not stand twice in what was kept of the history.
  if (turn.attempt > 1) rooms.history.forget(turn.session_id)
  const about = { "session.id": turn.session_id, "turn.id": turn.id, "turn.attempt": turn.attempt }
  return span(
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
  readonly action: SessionAction
  readonly signal: AbortSignal
}

/** What a message asks of its session. A summary is written first, and becomes the session's in the
 *  commit that ends the turn, like everything else that is asked of it. */
async function act(rooms: TurnRooms, claim: Claim, { action, signal }: Acting) {
  try {
    if (action.type !== "compact") return await perform(rooms, claim, { action })
    const opened = await openTalk(rooms, claim, signal)
    if (opened.type === "nobody")
      return (await end(rooms, claim, { state: "error", error: opened.error })).next
    const { focus } = action
    const compaction = await compactionFor(rooms, opened.talk, { type: "asked", focus })
    return await perform(rooms, claim, { action, ...(compaction ? { compaction } : {}) })
  } catch (error) {
    return fail(rooms, claim, error)
  }
}

type Deed = Pick<ActionPerformed, "action" | "compaction">

async function perform(rooms: TurnRooms, { turn }: Claim, deed: Deed) {
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

async function fail(rooms: TurnRooms, claim: Claim, error: unknown): Promise<Claim | null> {
  rooms.history.forget(claim.turn.session_id)
  if (isStale(error)) return null
  if (error instanceof TurnAborted) return (await end(rooms, claim, { state: "aborted" })).next
  const message = error instanceof Error ? error.message : String(error)
  const isCoded = error instanceof ModelFailed || error instanceof Refusal
  const code = isCoded ? error.code : "internal"
  return (await end(rooms, claim, { state: "error", error: { code, message } })).next
}

async function converse(rooms: TurnRooms, claim: Claim, signal: AbortSignal) {
  await tellFired(rooms, { claim, message_ids: [claim.turn.message_id], signal })
  const handler = await rooms.handler?.(claim)
  if (handler) return handle(rooms, claim, { handler, signal })
  const opened = await openTalk(rooms, claim, signal)
  if (opened.type === "nobody") {
    const { next } = await end(rooms, claim, { state: "error", error: opened.error })
    return next
  }
  const { talk } = opened
  const after = await takeSteps(rooms, talk)
  return "next" in after ? after.next : null
}

/** A handler runs, and its turn ends when it does. Whoever asks the model may find the turn over, or
 *  waiting for a person: then it matters no more what the handler makes of that. */
async function handle(
  rooms: TurnRooms,
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
  return (await end(rooms, claim, { state: signal.aborted ? "aborted" : "finished" })).next
}

async function conversed(
  rooms: TurnRooms,
  claim: Claim,
  { options, signal }: { readonly options: ConverseOptions; readonly signal: AbortSignal },
): Promise<Left | Conversed> {
  const opened = await openTalk(rooms, claim, signal)
  if (opened.type === "nobody") throw new ModelFailed(opened.error.code, opened.error.message)
  const said = await lastSaid(rooms, claim)
  return said ?? takeSteps(rooms, { ...opened.talk, asked: options })
}

/** The answer that the turn was left with, if it ended one and nothing was steered in since. */
async function lastSaid(
  rooms: TurnRooms,
  { turn, answer_id }: Claim,
): Promise<Conversed | undefined> {
  if (answer_id === null) return undefined
  const answer = await rooms.store.message(turn.session_id, answer_id)
  const finish = answer?.metadata.finish
  if (typeof finish !== "string" || finish === "tool-call" || answer?.seq == null) return undefined
  const after = await rooms.store.historyAfter(turn.session_id, answer.seq)
  return after.length === 0 ? { message_id: answer_id, finish } : undefined
}

/** Steps until the model is done, beginning with what an answer that was left has open. */
async function takeSteps(rooms: TurnRooms, talk: Talk): Promise<Left | Conversed> {
  const { claim } = talk
  if (claim.answer_id !== null) {
    const left = await settle(rooms, talk, await leftAnswer(rooms, claim, claim.answer_id))
    if (left !== "next-step") return left
  }
  const last: LastStep = { usage: null, alarmed: false }
  for (let step = 0; step < MAX_STEPS; step++) {
    const after = await stepOnce(rooms, talk, last)
    if (after !== "next-step") return after
  }
  const message = `the model made ${MAX_STEPS} requests in one turn and was stopped`
  if (talk.asked) throw new ModelFailed("too_many_steps", message)
  return end(rooms, claim, { state: "error", error: { code: "too_many_steps", message } })
}

interface Left {
  readonly next: Claim | null
}

type After = "next-step" | Left | Conversed

async function stepOnce(rooms: TurnRooms, talk: Talk, last: LastStep): Promise<After> {
  const said = await takeStep(rooms, talk)
  const notices = cacheAlarms(talk.model, last, said.usage)
  if (!isCalling(said)) return conclude(rooms, talk, { ...said, notices })
  const { message_id, parts, usage, calls } = said
  const metadata = { finish: "tool-call", usage }
  const answer = { message_id, metadata, parts }
  await rooms.store.endAnswer({ ...keyOf(talk), answer, usage, notices })
  return settle(rooms, talk, { message_id, calls: callsOf(calls) })
}

function isCalling({ ending, calls }: Said): boolean {
  if (ending.type !== "end" || calls.length === 0) return false
  return ending.reason === "tool-call" || ending.reason === "stop"
}

/** The calls of an answer, and then the boundary: what was steered in comes before the next step. */
async function settle(
  rooms: TurnRooms,
  talk: Talk,
  answer: { readonly message_id: string; readonly calls: readonly Call[] },
): Promise<After> {
  const settled = await settleCalls(rooms, talk, answer)
  if (settled === "waiting") return { next: null }
  if (settled === "aborted" || talk.signal.aborted) {
    const { message_id } = answer
    const frozen = { message_id, metadata: { finish: "abort" }, parts: [] }
    return end(rooms, talk.claim, { state: "aborted", answer: frozen })
  }
  const { steered } = await rooms.store.takeSteers(keyOf(talk))
  if (steered.length > 0) await hearSteered(rooms, talk, steered)
  return "next-step"
}

// They fired like any other message: the host hears of them, and so does whoever handles the turn.
async function hearSteered(
  rooms: TurnRooms,
  { claim, signal, asked }: Talk,
  message_ids: readonly string[],
) {
  await tellFired(rooms, { claim, message_ids, signal })
  await asked?.steered(message_ids)
}

// The turn was left with an answer whose calls are not all settled.
async function leftAnswer(rooms: TurnRooms, { turn }: Claim, message_id: string) {
  const message = await rooms.store.message(turn.session_id, message_id)
  const made = (message?.parts ?? []).map((part) => ({ part, data: part.data }))
  return { message_id, calls: callsOf(made) }
}

/** The model is done, or could not go on. What was steered in the meantime keeps the turn going. */
async function conclude(
  rooms: TurnRooms,
  talk: Talk,
  said: Said & { readonly notices: readonly string[] },
): Promise<After> {
  const { ending, usage, message_id, notices } = said
  const finish = ending.type === "end" ? ending.reason : ending.type
  const error = ending.type === "error" ? { code: ending.code, message: ending.message } : undefined
  const metadata = { finish, usage, ...(error ? { error } : {}) }
  if (talk.asked) {
    const answer = { message_id, metadata, parts: partsOf(said) }
    await rooms.store.endAnswer({ ...keyOf(talk), answer, usage, notices })
    return answered(rooms, talk, { message_id, finish, error })
  }
  const ended = await end(rooms, talk.claim, {
    state: STATES[ending.type],
    usage,
    answer: { message_id, metadata, parts: partsOf(said) },
    takes_steers: true,
    notices,
    ...(error ? { error } : {}),
  })
  if (ended.steered.length === 0) return ended
  await hearSteered(rooms, talk, ended.steered)
  return "next-step"
}

/** The model is done, and its answer is the handler's, unless something was steered in. */
async function answered(
  rooms: TurnRooms,
  talk: Talk,
  { message_id, finish, error }: Conversed & { readonly error: ErrorTold | undefined },
): Promise<"next-step" | Conversed> {
  if (error) throw new ModelFailed(error.code, error.message)
  talk.signal.throwIfAborted()
  const { steered } = await rooms.store.takeSteers(keyOf(talk))
  if (steered.length === 0) return { message_id, finish }
  await hearSteered(rooms, talk, steered)
  return "next-step"
}

interface ErrorTold {
  readonly code: string
  readonly message: string
}

const STATES = { end: "finished", abort: "aborted", error: "error" } as const

// An answer that was cut off by its length or by a filter may end in calls; nobody runs those.
function partsOf({ ending, parts, calls }: Said) {
  if (ending.type !== "end" || calls.length === 0) return parts
  const why = `Not run: the answer ended early (${ending.reason}).`
  const dropped = new Map(callsOf(calls).map(({ row, part }) => [row.id, failed(part, why)]))
  return parts.map((part) => {
    const call = dropped.get(part.id)
    return call ? rowOf(part, call) : part
  })
}

type Ending = Pick<TurnEnd, "state"> & Partial<TurnEnd>

function end(rooms: TurnRooms, { turn }: Claim, ending: Ending): Promise<TurnEnded> {
  return rooms.store.endTurn({
    turn_id: turn.id,
    fence: turn.fence,
    owner: rooms.owner,
    usage: null,
    error: null,
    answer: null,
    ...ending,
  })
}

function isStale(error: unknown): boolean {
  return error instanceof Refusal && error.code === "stale"
}
