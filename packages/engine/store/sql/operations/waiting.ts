import { Refusal } from "compositor-core/message/refusal"
import type { Turn, Wait } from "compositor-core/message/row"
import { isOpen, readToolPart, type ToolPart } from "compositor-core/message/tool-part"
import type { CallResolution, CallResolved, Claim, CallDecision, WaitRecord } from "../../store.ts"
import { type PartRecord, type TurnRecord, readTurnRow } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { upsertParts } from "./answers.ts"
import { claimOf, requireOwnTurn, tellApprovalRequested } from "./claim.ts"
import { changeTurn, isWaiting } from "./turns.ts"

export function* waitFor(
  tx: Transaction,
  input: WaitRecord,
): Program<{ turn: Turn; txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  return { turn: readTurnRow(wait(tx, turn, input.waiting)), txid: tx.txid }
}

/** The turn is a person's now: nobody runs it, and no restart ends it. */
export function wait(tx: Transaction, turn: TurnRecord, waiting: readonly Wait[]): TurnRecord {
  const record = waitingTurn(turn, waiting)
  const approvals = waiting.filter((one) => one.for === "approval").map((one) => one.call_id)
  if (approvals.length > 0) tellApprovalRequested(tx, turn, approvals)
  changeTurn(tx, record)
  return record
}

/** Settle one call. It is settled once, because only a call that still waits can be. */
export function* resolveCall(tx: Transaction, input: CallResolution): Program<CallResolved> {
  yield* tx.session(input.session_id)
  const turn = yield* waitingFor(tx, input)
  const waiting: Wait[] = JSON.parse(turn.waiting_json)
  const wanted = waiting.find(({ call_id }) => call_id === input.call_id)
  if (!wanted || !fits(wanted, input.resolution))
    throw new Refusal("conflict", `call ${input.call_id} does not wait for this`)
  yield* settle(tx, turn, input)
  yield* addRules(tx, input)
  const left = waiting.filter((one) => one !== wanted)
  const record = waitingTurn(turn, left)
  changeTurn(tx, record)
  const claim =
    left.length === 0 && input.owner !== null ? yield* goOn(tx, record, input.owner) : null
  const { txid } = tx
  return { turn: claim?.turn ?? readTurnRow(record), claim, txid }
}

export function* resumeTurn(
  tx: Transaction,
  input: { turn_id: string; owner: string },
): Program<Claim | null> {
  const turn = yield* tx.get<TurnRecord>("SELECT * FROM turns WHERE id = ?", input.turn_id)
  if (!turn || !isWaiting(turn) || turn.waiting_json !== "[]") return null
  return yield* goOn(tx, turn, input.owner)
}

function waitingTurn(turn: TurnRecord, waiting: readonly Wait[]): TurnRecord {
  const approval = waiting.some((one) => one.for === "approval")
  const state = approval ? "waiting_on_approval" : "waiting_on_user_input"
  return { ...turn, state, waiting_json: JSON.stringify(waiting), retry_json: null }
}

function* waitingFor(
  tx: Transaction,
  { session_id, turn_id }: CallResolution,
): Program<TurnRecord> {
  const turn = yield* tx.get<TurnRecord>("SELECT * FROM turns WHERE id = ?", turn_id)
  if (!turn || turn.session_id !== session_id)
    throw new Refusal("not_found", `there is no turn ${turn_id} in session ${session_id}`)
  if (!isWaiting(turn))
    throw new Refusal("conflict", `turn ${turn_id} is ${turn.state}: it waits for nobody`)
  return turn
}

const FITS: Readonly<Record<CallDecision["type"], Wait["for"]>> = {
  approve: "approval",
  deny: "approval",
  answer: "answer",
  retry: "interrupted",
  skip: "interrupted",
}

// What is asked can also be declined.
function fits(wanted: Wait, { type }: CallDecision): boolean {
  return FITS[type] === wanted.for || (type === "deny" && wanted.for === "answer")
}

function* settle(tx: Transaction, turn: TurnRecord, input: CallResolution) {
  const { call_id, part_id, resolution } = input
  const { row, call } = yield* callOf(tx, turn, call_id)
  if (part_id !== undefined && part_id !== row.id)
    throw new Refusal(
      "conflict",
      `call ${call_id} is another one by now: ${row.id}, not ${part_id}`,
    )
  yield* writeCall(tx, row, settled(call, resolution))
}

function* callOf(tx: Transaction, turn: TurnRecord, call_id: string) {
  for (const row of yield* tx.parts(turn.answer_id ?? "")) {
    const call = row.tool_call_id === call_id && readToolPart(JSON.parse(row.data_json))
    if (call) return { row, call }
  }
  throw new Error(`turn ${turn.id} waits for call ${call_id}, which its answer does not have`)
}

function settled(call: ToolPart, resolution: CallDecision): ToolPart {
  switch (resolution.type) {
    case "approve":
      return { ...call, approval: "granted" }
    case "deny": {
      const why = resolution.reason ? `: ${resolution.reason}` : "."
      const error_text = `The user denied this call${why}`
      return { ...call, approval: "denied", state: "output-error", error_text }
    }
    case "answer":
      return {
        ...call,
        state: "output-available",
        output: { data: { answers: resolution.answers } },
      }
    case "retry": {
      const { started_at: _, interrupted: __, error_text: ___, ...again } = call
      return { ...again, approval: "granted", state: "input-available" }
    }
    case "skip":
      return { ...call, error_text: `${MAY_HAVE_RUN} The user chose not to run it again.` }
  }
}

const MAY_HAVE_RUN = "The host stopped while this call ran: it may have run, or in part."

/** Calls that started, may have changed something, and have no result: each is left to the user. */
export function* interruptedCalls(tx: Transaction, turn: TurnRecord): Program<Wait[]> {
  const waits: Wait[] = []
  for (const { row, call } of yield* openCalls(tx, turn)) {
    if (call.started_at === undefined || call.read_only === true) continue
    yield* writeCall(tx, row, {
      ...call,
      state: "output-error",
      error_text: MAY_HAVE_RUN,
      interrupted: true,
    })
    const { tool_call_id: call_id, type } = call
    const tool = type.slice("tool-".length)
    waits.push({ call_id, tool, for: "interrupted", asks: [], reason: "it may have run" })
  }
  return waits
}

/** Nobody will run them any more (SES-061). */
export function* finaliseCalls(tx: Transaction, turn: TurnRecord, error_text: string) {
  for (const { row, call } of yield* openCalls(tx, turn))
    yield* writeCall(tx, row, { ...call, state: "output-error", error_text })
}

function* openCalls(tx: Transaction, turn: TurnRecord) {
  return (yield* tx.parts(turn.answer_id ?? "")).flatMap((row) => {
    const call = row.tool_call_id === null ? undefined : readToolPart(JSON.parse(row.data_json))
    return call && isOpen(call) ? [{ row, call }] : []
  })
}

function* writeCall(tx: Transaction, row: PartRecord, call: ToolPart) {
  const part = {
    id: row.id,
    index: row.index,
    type: row.type,
    data_json: JSON.stringify(call),
    tool_call_id: call.tool_call_id,
    tool_state: call.state,
  }
  const { session_id, message_id } = row
  yield* upsertParts(tx, { session_id, message_id, parts: [part] })
}

function* addRules(tx: Transaction, { session_id, rules }: CallResolution) {
  if (rules.length === 0) return
  const session = yield* tx.session(session_id)
  const permissions = [...JSON.parse(session.permissions_json), ...rules]
  tx.write(
    "UPDATE chat_sessions SET permissions_json = ?, updated_at = ? WHERE id = ?",
    JSON.stringify(permissions),
    tx.now,
    session_id,
  )
  tx.tellSession(yield* tx.session(session_id))
}

// A new fence: whoever ran the turn before it waited cannot write to it any more.
function* goOn(tx: Transaction, turn: TurnRecord, owner: string): Program<Claim> {
  const session = yield* tx.session(turn.session_id)
  tx.write("UPDATE chat_sessions SET next_fence = next_fence + 1 WHERE id = ?", session.id)
  const record: TurnRecord = {
    ...turn,
    state: "running",
    waiting_json: "[]",
    owner,
    fence: session.next_fence,
    beat: turn.beat + 1,
  }
  changeTurn(tx, record)
  return claimOf(session, record, yield* tx.message(session.id, turn.message_id))
}
