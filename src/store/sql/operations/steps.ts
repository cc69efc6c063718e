import type { AnswerEnd, CallRecord } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, upsertParts } from "./answers.ts"
import { addUsage, held } from "./turns.ts"

export function* endAnswer(tx: Transaction, input: AnswerEnd): Program<{ txid: string }> {
  const turn = yield* held(tx, input)
  yield* closeAnswer(tx, turn, input.answer)
  addUsage(tx, turn, input.usage)
  return { txid: tx.txid }
}

export function* recordCalls(
  tx: Transaction,
  input: CallRecord,
): Program<{ abort: boolean; txid: string }> {
  const turn = yield* held(tx, input)
  const { message_id, parts } = input
  yield* upsertParts(tx, { session_id: turn.session_id, message_id, parts })
  if (input.side_effects && turn.side_effects === 0)
    tx.write("UPDATE turns SET side_effects = 1 WHERE id = ?", turn.id)
  return { abort: turn.abort_requested_at !== null, txid: tx.txid }
}
