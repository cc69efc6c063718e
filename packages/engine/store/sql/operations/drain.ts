import type { SessionRecord } from "../rows.ts"
import type { Transaction } from "../transaction.ts"
import { steersFirst } from "./steer.ts"

/** A hard failure holds the queue; what waited to run now waits like the rest (UXH-003). */
export function* stopDrain(tx: Transaction, session_id: string) {
  yield* steersFirst(tx, session_id)
  tx.write("UPDATE chat_sessions SET drain = 'stopped' WHERE id = ?", session_id)
  tx.write(
    `UPDATE chat_messages SET mode = 'queued'
     WHERE session_id = ? AND state IN ('queued', 'paused', 'editing') AND mode = 'immediate'`,
    session_id,
  )
  tx.tellSession(yield* tx.session(session_id))
}

/** Somebody wants it to go on. */
export function* reopen(tx: Transaction, session_id: string) {
  yield* unhold(tx, yield* tx.session(session_id))
  const changes = yield* tx.run(
    "UPDATE chat_sessions SET drain = 'open' WHERE id = ? AND drain = 'stopped'",
    session_id,
  )
  if (changes > 0) tx.tellSession(yield* tx.session(session_id))
}

/** What an import brought waits for a person, in the state in which it came. The first who touches the
 *  queue finds it like one that was stopped. */
export function* unhold(tx: Transaction, { id, drain }: Pick<SessionRecord, "id" | "drain">) {
  if (drain !== "held") return
  tx.group?.unhold(id)
  yield* stopDrain(tx, id)
}
