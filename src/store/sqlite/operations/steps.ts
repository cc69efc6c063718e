import type { AnswerEnd, CallRecord } from "../../store.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, upsertPart } from "./answers.ts"
import { addUsage, held } from "./turns.ts"

export function endAnswer(tx: Transaction, input: AnswerEnd): { txid: string } {
  const turn = held(tx, input)
  closeAnswer(tx, turn, input.answer)
  addUsage(tx, turn, input.usage)
  return { txid: tx.txid }
}

export function recordCalls(tx: Transaction, input: CallRecord): { abort: boolean; txid: string } {
  const turn = held(tx, input)
  for (const part of input.parts) upsertPart(tx, turn.session_id, input.message_id, part)
  if (input.side_effects && turn.side_effects === 0)
    tx.run("UPDATE turns SET side_effects = 1 WHERE id = ?", turn.id)
  return { abort: turn.abort_requested_at !== null, txid: tx.txid }
}
