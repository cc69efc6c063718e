import type { Turn } from "compositor-core/message/row"
import type { TurnRecord } from "../rows.ts"
import type { Transaction } from "../transaction.ts"

/** What happens to turns, told as rows of the session's own stream (EVT-001). */
export function tellStarted(tx: Transaction, turn: TurnRecord) {
  tell(tx, turn, "turn-started", {})
}

export function tellApprovalRequested(tx: Transaction, turn: TurnRecord, call_ids: string[]) {
  tell(tx, turn, "approval-requested", { call_ids })
}

export function tellFinished(tx: Transaction, turn: TurnRecord) {
  const reason = REASONS[turn.state]
  tell(tx, turn, "turn-finished", { reason, pending_approval: false })
}

const REASONS: Readonly<Record<Turn["state"], "finish" | "abort" | "error" | null>> = {
  running: null,
  retrying: null,
  waiting_on_approval: null,
  waiting_on_user_input: null,
  finished: "finish",
  aborted: "abort",
  interrupted: "abort",
  error: "error",
}

function tell(tx: Transaction, turn: TurnRecord, type: string, more: object) {
  const { id: turn_id, session_id, message_id } = turn
  const value = { session_id, message_id, turn_id, ...more, at: tx.now }
  tx.tell(session_id, type, turn_id, "insert", JSON.stringify(value))
}
