import { Refusal } from "compositor-core/message/refusal"
import type { Effect } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { requireOwnTurn } from "./claim.ts"

interface Known {
  readonly kind: string
  readonly answer_json: string
}

/** Do what a handler asks for, once: a handler that runs again for the same wake is given the first
 *  answer (EA-035). Only who holds the turn may do anything for it. */
export function* once<Answer>(
  tx: Transaction,
  { session_id, effect }: { readonly session_id: string; readonly effect: Effect | null },
  perform: () => Program<Answer>,
): Program<Answer> {
  if (!effect) return yield* perform()
  const known = yield* recall(tx, session_id, effect)
  if (known) return JSON.parse(known.answer_json)
  const answer = yield* perform()
  keep(tx, session_id, effect, answer)
  return answer
}

function* recall(tx: Transaction, session_id: string, effect: Effect): Program<Known | undefined> {
  const turn = yield* requireOwnTurn(tx, effect)
  if (turn.message_id !== effect.wake)
    throw new Refusal("stale", `turn ${turn.id} is not for ${effect.wake}`)
  const known = yield* tx.get<Known>(
    "SELECT kind, answer_json FROM entity_effects WHERE session_id = ? AND wake = ? AND ordinal = ?",
    session_id,
    effect.wake,
    effect.ordinal,
  )
  if (known && known.kind !== effect.kind)
    throw new Refusal(
      "conflict",
      `the handler did ${known.kind} as number ${effect.ordinal} of this wake, and now does ${effect.kind}`,
    )
  return known
}

// One wake at a time is handled: what earlier ones did is done for good.
function keep(tx: Transaction, session_id: string, effect: Effect, answer: unknown) {
  tx.write("DELETE FROM entity_effects WHERE session_id = ? AND wake <> ?", session_id, effect.wake)
  tx.write(
    `INSERT INTO entity_effects (session_id, wake, ordinal, kind, answer_json)
     VALUES (?, ?, ?, ?, ?)`,
    session_id,
    effect.wake,
    effect.ordinal,
    effect.kind,
    JSON.stringify(answer ?? null),
  )
}

export function* recordEffect(
  tx: Transaction,
  input: { readonly session_id: string; readonly effect: Effect; readonly answer: unknown },
): Program<{ txid: string }> {
  const known = yield* recall(tx, input.session_id, input.effect)
  if (!known) keep(tx, input.session_id, input.effect, input.answer)
  return { txid: tx.txid }
}
