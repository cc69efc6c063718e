import type { AnswerEnd, CallRecord } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, upsertParts } from "./answers.ts"
import { requireOwnTurn } from "./fence.ts"
import { addUsage, noteIn } from "./turns.ts"

export function* endAnswer(tx: Transaction, input: AnswerEnd): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  yield* closeAnswer(tx, turn, input.answer)
  const { notices = [] } = input
  const noted = noteIn(tx, addUsage(tx, turn, input.usage), notices)
  if (notices.length > 0) tx.tellTurn(noted)
  return { txid: tx.txid }
}

export function* recordCalls(
  tx: Transaction,
  input: CallRecord,
): Program<{ abort: boolean; txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const { message_id, parts } = input
  yield* upsertParts(tx, { session_id: turn.session_id, message_id, parts })
  if (input.side_effects && turn.side_effects === 0)
    tx.write("UPDATE turns SET side_effects = 1 WHERE id = ?", turn.id)
  return { abort: turn.abort_requested_at !== null, txid: tx.txid }
}
