import { Refusal } from "../../../message/refusal.ts"
import type { Effect } from "../../store.ts"
import type { Transaction } from "../transaction.ts"
import { held } from "./turns.ts"

interface Known {
  readonly kind: string
  readonly answer_json: string
}

/** Do what a handler asks for, once: a handler that runs again for the same wake is given the first
 *  answer (EA-035). Only who holds the turn may do anything for it. */
export function once<Answer>(
  tx: Transaction,
  { session_id, effect }: { readonly session_id: string; readonly effect: Effect | null },
  perform: () => Answer,
): Answer {
  if (!effect) return perform()
  const turn = held(tx, effect)
  if (turn.message_id !== effect.wake)
    throw new Refusal("stale", `turn ${turn.id} is not for ${effect.wake}`)
  const known = tx.get<Known>(
    "SELECT kind, answer_json FROM entity_effects WHERE session_id = ? AND wake = ? AND ordinal = ?",
    session_id,
    effect.wake,
    effect.ordinal,
  )
  if (known) return recalled(known, effect)
  const answer = perform()
  keep(tx, session_id, effect, answer)
  return answer
}

function recalled<Answer>({ kind, answer_json }: Known, effect: Effect): Answer {
  if (kind === effect.kind) return JSON.parse(answer_json) as Answer
  throw new Refusal(
    "conflict",
    `the handler did ${kind} as number ${effect.ordinal} of this wake, and now does ${effect.kind}`,
  )
}

// One wake at a time is handled: what earlier ones did is done for good.
function keep(tx: Transaction, session_id: string, effect: Effect, answer: unknown) {
  tx.run("DELETE FROM entity_effects WHERE session_id = ? AND wake <> ?", session_id, effect.wake)
  tx.run(
    `INSERT INTO entity_effects (session_id, wake, ordinal, kind, answer_json)
     VALUES (?, ?, ?, ?, ?)`,
    session_id,
    effect.wake,
    effect.ordinal,
    effect.kind,
    JSON.stringify(answer ?? null),
  )
}

export function recordEffect(
  tx: Transaction,
  input: { readonly session_id: string; readonly effect: Effect; readonly answer: unknown },
): { txid: string } {
  once(tx, input, () => input.answer)
  return { txid: tx.txid }
}
