import { newId } from "../message/id.ts"
import { Refusal } from "../message/refusal.ts"
import type { Claim, SessionAction, TurnEnd, TurnEnded } from "../store/store.ts"
import { type Call, callsOf, failed, rowOf, settleCalls } from "./calls.ts"
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
  if (claim.action) return perform(rooms, claim, claim.action)
  // A message that is asked again must not stand twice in what was kept of the history.
  if (turn.attempt > 1) rooms.history.forget(turn.session_id)
  try {
    return await converse(rooms, claim, signal)
  } catch (error) {
    rooms.history.forget(turn.session_id)
    if (isStale(error)) return null
    const message = error instanceof Error ? error.message : String(error)
    return (await end(rooms, claim, { state: "error", error: { code: "internal", message } })).next
  }
}

async function perform(rooms: TurnRooms, { turn }: Claim, action: SessionAction) {
  const performed = await rooms.store.performAction({
    turn_id: turn.id,
    fence: turn.fence,
    owner: rooms.owner,
    action,
    branch_id: newId("ses"),
    answer_id: newId("msg"),
    part_id: newId("prt"),
  })
  return performed.next
}

async function converse(rooms: TurnRooms, claim: Claim, signal: AbortSignal) {
  const opened = await openTalk(rooms, claim, signal)
  if (opened.type === "nobody") {
    const { next } = await end(rooms, claim, { state: "error", error: opened.error })
    return next
  }
  const { talk } = opened
  if (claim.answer_id !== null) {
    const left = await settle(rooms, talk, await leftAnswer(rooms, claim, claim.answer_id))
    if (left !== "next-step") return left.next
  }
  for (let step = 0; step < MAX_STEPS; step++) {
    const after = await stepOnce(rooms, talk)
    if (after !== "next-step") return after.next
  }
  const message = `the model made ${MAX_STEPS} requests in one turn and was stopped`
  return (await end(rooms, claim, { state: "error", error: { code: "too_many_steps", message } }))
    .next
}

type After = "next-step" | { readonly next: Claim | null }

async function stepOnce(rooms: TurnRooms, talk: Talk): Promise<After> {
  const said = await takeStep(rooms, talk)
  if (!isCalling(said)) return conclude(rooms, talk, said)
  const { message_id, parts, usage, calls } = said
  const metadata = { finish: "tool-call", usage }
  await rooms.store.endAnswer({ ...keyOf(talk), answer: { message_id, metadata, parts }, usage })
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
  await rooms.store.takeSteers(keyOf(talk))
  return "next-step"
}

// The turn was left with an answer whose calls are not all settled.
async function leftAnswer(rooms: TurnRooms, { turn }: Claim, message_id: string) {
  const message = await rooms.store.message(turn.session_id, message_id)
  const made = (message?.parts ?? []).map((part) => ({ part, data: part.data }))
  return { message_id, calls: callsOf(made) }
}

/** The model is done, or could not go on. What was steered in the meantime keeps the turn going. */
async function conclude(rooms: TurnRooms, talk: Talk, said: Said): Promise<After> {
  const { ending, usage, message_id } = said
  const finish = ending.type === "end" ? ending.reason : ending.type
  const error = ending.type === "error" ? { code: ending.code, message: ending.message } : undefined
  const metadata = { finish, usage, ...(error ? { error } : {}) }
  const ended = await end(rooms, talk.claim, {
    state: STATES[ending.type],
    usage,
    answer: { message_id, metadata, parts: partsOf(said) },
    takes_steers: true,
    ...(error ? { error } : {}),
  })
  return ended.steered.length > 0 ? "next-step" : ended
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
