import type { Turn } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import type { Claim, Interruption } from "../../store.ts"
import { type TurnRecord, readTurnRow } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { freezeAnswer, unfinishedAnswer } from "./answers.ts"
import { claimOf, openTurn } from "./claim.ts"
import { close, nextClaim } from "./turns.ts"
import { finaliseCalls, interruptedCalls, wait } from "./waiting.ts"

/** A turn that a crash cut short is taken up again this often before it is left as it is. */
const MAX_ATTEMPTS = 3

/** Take a dead owner's turn. A call that may have changed something and has no result is left to the
 *  user, and the turn waits. Else the turn is `interrupted`, and taken up again by itself only when
 *  no tool with side effects ran; either way the queue goes on. */
export function* interruptTurn(
  tx: Transaction,
  input: Interruption,
): Program<{ turn: Turn | null; next: Claim | null }> {
  const turn = yield* tx.get<TurnRecord>(
    `SELECT * FROM turns
     WHERE id = ? AND fence = ? AND beat = ? AND state IN ('running', 'retrying')`,
    input.turn_id,
    input.fence,
    input.beat,
  )
  if (!turn) return { turn: null, next: null }
  if (turn.abort_requested_at !== null) return yield* stop(tx, turn, input)
  const unsure = yield* interruptedCalls(tx, turn)
  if (unsure.length > 0) return { turn: readTurnRow(wait(tx, turn, unsure)), next: null }
  if (mayRefire(turn, input)) return yield* refire(tx, turn, input.owner ?? "")
  yield* freeze(tx, turn, { superseded: false, finish: "interrupted" })
  yield* finaliseCalls(tx, turn, "aborted by host restart")
  const ended = close(tx, turn, { state: "interrupted", error: null })
  return { turn: readTurnRow(ended), next: yield* nextClaim(tx, turn, input.owner) }
}

function* stop(tx: Transaction, turn: TurnRecord, { owner }: Interruption) {
  yield* freeze(tx, turn, { superseded: false, finish: "abort" })
  const ended = close(tx, turn, { state: "aborted", error: null })
  return { turn: readTurnRow(ended), next: yield* nextClaim(tx, turn, owner) }
}

function mayRefire(turn: TurnRecord, { refire, owner, resumes }: Interruption): boolean {
  const isSafe = turn.side_effects === 0 || resumes === true
  return refire && owner !== null && isSafe && turn.attempt < MAX_ATTEMPTS
}

/** Steps that were whole stay; the one that was cut off is asked for again. */
function* refire(tx: Transaction, turn: TurnRecord, owner: string) {
  yield* freeze(tx, turn, { superseded: true, finish: "interrupted" })
  const ended = close(tx, turn, { state: "interrupted", error: null })
  const session = yield* tx.session(turn.session_id)
  tx.write("UPDATE chat_sessions SET next_fence = next_fence + 1 WHERE id = ?", session.id)
  const next = openTurn(tx, {
    session_id: session.id,
    message_id: turn.message_id,
    agent: turn.agent,
    attempt: turn.attempt + 1,
    model_json: turn.model_json,
    fence: session.next_fence,
    owner,
    answer_id: yield* keptAnswer(tx, turn),
  })
  const claim = claimOf(session, next, yield* tx.message(session.id, turn.message_id))
  return { turn: readTurnRow(ended), next: claim }
}

// Calls that are still open belong to the turn that goes on with them.
function* keptAnswer(tx: Transaction, turn: TurnRecord): Program<string | null> {
  if (turn.answer_id === null) return null
  const { metadata_json } = yield* tx.message(turn.session_id, turn.answer_id)
  return openJson(metadata_json).superseded === true ? null : turn.answer_id
}

function* freeze(
  tx: Transaction,
  turn: TurnRecord,
  { superseded, finish }: { superseded: boolean; finish: string },
) {
  const answer = yield* unfinishedAnswer(tx, turn)
  if (answer) yield* freezeAnswer(tx, turn, { answer, superseded, finish })
}
