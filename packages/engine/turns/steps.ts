import type { Claim, Store, TurnEnd, TurnEnded } from "../store/store.ts"
import { cacheAlarms, type LastStep } from "./cache-alarm.ts"
import { type AnswerCall, callsOf, failCall, rowOf, settleCalls } from "./calls.ts"
import { type Conversed, ModelFailed } from "./turn-handler.ts"
import { type StepOutcome, takeStep } from "./step.ts"
import { keyOf, type TurnContext, type TurnDependencies } from "./turn-context.ts"
import type { StoredMessage } from "compositor-core/message/row"

/** A model that goes on and on is stopped here. */
const MAX_STEPS = 250

/** Steps until the model is done, beginning with what an answer that was left has open. */
export async function takeSteps(
  rooms: TurnDependencies,
  talk: TurnContext,
): Promise<Left | Conversed> {
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
  return endTurn(rooms, claim, { state: "error", error: { code: "too_many_steps", message } })
}

/** The turn is over, or waits for a person. */
export interface Left {
  readonly next: Claim | null
}

type After = "next-step" | Left | Conversed

async function stepOnce(
  rooms: TurnDependencies,
  talk: TurnContext,
  last: LastStep,
): Promise<After> {
  const said = await takeStep(rooms, talk)
  const notices = cacheAlarms(talk.model, last, said.usage)
  if (!isCalling(said)) return conclude(rooms, talk, { ...said, notices })
  const { message_id, parts, usage, calls } = said
  const metadata = { finish: "tool-call", usage }
  const answer = { message_id, metadata, parts }
  await rooms.store.endAnswer({ ...keyOf(talk), answer, usage, notices })
  return settle(rooms, talk, { message_id, calls: callsOf(calls) })
}

function isCalling({ ending, calls }: StepOutcome): boolean {
  if (ending.type !== "end" || calls.length === 0) return false
  return ending.reason === "tool-call" || ending.reason === "stop"
}

/** The calls of an answer, and then the boundary: what was steered in comes before the next step. */
async function settle(
  rooms: TurnDependencies,
  talk: TurnContext,
  answer: { readonly message_id: string; readonly calls: readonly AnswerCall[] },
): Promise<After> {
  const settled = await settleCalls(rooms, talk, answer)
  if (settled === "waiting") return { next: null }
  if (settled === "aborted" || talk.signal.aborted) {
    const { message_id } = answer
    const frozen = { message_id, metadata: { finish: "abort" }, parts: [] }
    return endTurn(rooms, talk.claim, { state: "aborted", answer: frozen })
  }
  const steered = await takeSteers(rooms, talk)
  if (steered.length > 0) await hearSteered(rooms, talk, steered)
  return "next-step"
}

async function takeSteers(rooms: TurnDependencies, talk: TurnContext): Promise<readonly string[]> {
  const only = await joining(rooms, talk)
  return (await rooms.store.takeSteers({ ...keyOf(talk), only })).steered
}

async function joining({ store }: TurnDependencies, { claim, asked }: TurnContext) {
  if (!asked?.joins) return undefined
  const waiting = await store.queue(claim.turn.session_id)
  return waiting.filter(asked.joins).map(({ id }) => id)
}

// They fired like any other message: the host hears of them, and so does whoever handles the turn.
async function hearSteered(
  rooms: TurnDependencies,
  { claim, signal, asked }: TurnContext,
  message_ids: readonly string[],
) {
  await tellFired(rooms, { claim, message_ids, signal })
  await asked?.steered(message_ids)
}

// The turn was left with an answer whose calls are not all settled.
async function leftAnswer(rooms: TurnDependencies, { turn }: Claim, message_id: string) {
  const message = await rooms.store.message(turn.session_id, message_id)
  const made = (message?.parts ?? []).map((part) => ({ part, data: part.data }))
  return { message_id, calls: callsOf(made) }
}

/** The model is done, or could not go on. What was steered in the meantime keeps the turn going. */
async function conclude(
  rooms: TurnDependencies,
  talk: TurnContext,
  said: StepOutcome & { readonly notices: readonly string[] },
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
  const ended = await endTurn(rooms, talk.claim, {
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
  rooms: TurnDependencies,
  talk: TurnContext,
  { message_id, finish, error }: Conversed & { readonly error: ErrorTold | undefined },
): Promise<"next-step" | Conversed> {
  if (error) throw new ModelFailed(error.code, error.message)
  talk.signal.throwIfAborted()
  const steered = await takeSteers(rooms, talk)
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
function partsOf({ ending, parts, calls }: StepOutcome) {
  if (ending.type !== "end" || calls.length === 0) return parts
  const why = `Not run: the answer ended early (${ending.reason}).`
  const dropped = new Map(callsOf(calls).map(({ row, part }) => [row.id, failCall(part, why)]))
  return parts.map((part) => {
    const call = dropped.get(part.id)
    return call ? rowOf(part, call) : part
  })
}

type Ending = Pick<TurnEnd, "state"> & Partial<TurnEnd>

/** End a turn; the next claim comes back with the same commit. */
export function endTurn(
  rooms: TurnDependencies,
  { turn }: Claim,
  ending: Ending,
): Promise<TurnEnded> {
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

/** The hook `message.user`: hears of each user's message that fires, before the model does. A host
 *  that can put the world back says under which id it kept it, and a rewind names that id (SES-011). */
export type MessageUser = (fired: FiredMessage) => Promise<{ readonly snapshot_id: string } | void>

export interface FiredMessage {
  readonly session_id: string
  readonly turn_id: string
  readonly workspace_root: string | null
  readonly message: StoredMessage
  /** Aborts when the turn is to stop, or when the hook took too long. */
  readonly signal: AbortSignal
}

interface MessageHookDependencies {
  readonly store: Pick<Store, "message" | "recordSnapshot">
  readonly message_user?: MessageUser | undefined
}

interface Fired {
  readonly claim: Claim
  readonly message_ids: readonly string[]
  readonly signal: AbortSignal
}

/** A hook that hangs must not hold its message. */
const HOOK_MS = 60_000
const MAX_SNAPSHOT_ID = 200

/** Tell the host of messages that fired. Each is told once, whoever goes on with the turn; a hook that
 *  fails is a notice, and the message is answered all the same. */
export async function tellFired(rooms: MessageHookDependencies, { message_ids, ...about }: Fired) {
  const { message_user } = rooms
  if (!message_user) return
  for (const id of message_ids) await tellOne({ ...rooms, message_user }, id, about)
}

async function tellOne(
  { store, message_user }: MessageHookDependencies & { readonly message_user: MessageUser },
  message_id: string,
  { claim, signal }: Omit<Fired, "message_ids">,
) {
  const { turn, workspace_root } = claim
  const { session_id, id: turn_id, fence } = turn
  const message = await store.message(session_id, message_id)
  if (!message || "snapshot_id" in message.metadata) return
  const key = { turn_id, fence, message_id }
  // On disk before the hook is called: after a crash nobody knows how far it came.
  await store.recordSnapshot({ ...key, snapshot_id: null })
  const about = { session_id, turn_id, workspace_root, message }
  const came = await asked(message_user, about, signal)
  if (came) await store.recordSnapshot({ ...key, ...came })
}

type Came =
  | { readonly snapshot_id: string }
  | { readonly snapshot_id: null; readonly notice: string }
  | undefined

async function asked(
  hook: MessageUser,
  about: Omit<FiredMessage, "signal">,
  stop: AbortSignal,
): Promise<Came> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(HOOK_MS)])
  try {
    const answer = await Promise.race([hook({ ...about, signal }), aborted(signal)])
    if (!answer) return undefined
    return { snapshot_id: checked(answer.snapshot_id) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { snapshot_id: null, notice: `No snapshot was kept for this message: ${why}` }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
}

function checked(id: unknown): string {
  if (typeof id === "string" && id !== "" && id.length <= MAX_SNAPSHOT_ID) return id
  throw new Error(
    `its snapshot_id must be 1 to ${MAX_SNAPSHOT_ID} characters, not ${JSON.stringify(id)?.slice(0, 80)}`,
  )
}
