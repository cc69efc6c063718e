import type { CompactionRecord, NewCompaction } from "../../store.ts"
import type { TurnRecord } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, openAnswer } from "./answers.ts"
import { requireOwnTurn } from "./fence.ts"
import { addUsage, noteIn } from "./turns.ts"

export function* recordCompaction(
  tx: Transaction,
  input: CompactionRecord,
): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  yield* insertMarker(tx, noteIn(tx, turn, [input.notice]), input.compaction)
  return { txid: tx.txid }
}

/** The marker is an answer that nobody asked for: it stands last, and no row before it changes. */
export function* insertMarker(tx: Transaction, turn: TurnRecord, compaction: NewCompaction) {
  const { message_id, part_id: id, part, context_tokens, usage } = compaction
  const metadata = { turn_id: turn.id, compaction: true, finish: "stop", context_tokens, usage }
  openAnswer(tx, yield* tx.session(turn.session_id), { message_id, metadata })
  const row = { id, index: 0, type: part.type, data_json: JSON.stringify(part) }
  yield* closeAnswer(tx, turn, { message_id, metadata: {}, parts: [row] })
  tx.tellTurn(addUsage(tx, turn, usage))
}
