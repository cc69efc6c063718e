import type { SteerTake } from "../../store.ts"
import type { MessageRecord, TurnRecord } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { positionBetween, IS_QUEUED, placeMessage, requireOwnTurn } from "./claim.ts"

/** The boundary between two steps. All that was steered in gets its place in history here, in one
 *  commit, and so exactly once (EA-022). */
export function* takeSteers(
  tx: Transaction,
  input: SteerTake,
): Program<{ steered: string[]; txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  return { steered: yield* takeAllSteers(tx, turn, input.only), txid: tx.txid }
}

export function* takeAllSteers(
  tx: Transaction,
  turn: TurnRecord,
  only?: readonly string[],
): Program<string[]> {
  const waiting = yield* waitingSteers(tx, turn.session_id)
  const steers = only ? waiting.filter(({ id }) => only.includes(id)) : waiting
  for (const message of steers) {
    const session = yield* tx.session(turn.session_id)
    const fired = placeMessage(tx, session, message, { steered: turn.id })
    tx.write("UPDATE chat_sessions SET next_seq = next_seq + 1 WHERE id = ?", session.id)
    tx.tellMessage(fired)
  }
  return steers.map(({ id }) => id)
}

/** Nobody is left to be steered: what was meant so is the head of the queue. */
export function* steersFirst(tx: Transaction, session_id: string) {
  for (const message of (yield* waitingSteers(tx, session_id)).toReversed()) {
    const head = yield* tx.get<{ position: string }>(
      `SELECT position FROM chat_messages
       WHERE session_id = ? AND state IN ('queued', 'paused', 'editing') AND id <> ?
       ORDER BY position, id LIMIT 1`,
      session_id,
      message.id,
    )
    const position = head ? positionBetween("", head.position) : message.position
    tx.write(
      "UPDATE chat_messages SET mode = 'queued', position = ?, updated_at = ? WHERE id = ?",
      position,
      tx.now,
      message.id,
    )
    tx.tellMessage({ ...message, mode: "queued", position, updated_at: tx.now })
  }
}

function* waitingSteers(tx: Transaction, session_id: string): Program<MessageRecord[]> {
  return yield* tx.all<MessageRecord>(
    `SELECT * FROM chat_messages
     WHERE session_id = ? AND state IN ('queued', 'paused', 'editing')
       AND mode = 'steer' AND ${IS_QUEUED}
     ORDER BY position, id`,
    session_id,
  )
}
