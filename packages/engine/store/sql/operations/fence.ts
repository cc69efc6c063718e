import { Refusal } from "compositor-core/message/refusal"
import type { TurnKey } from "../../store.ts"
import type { Program } from "../program.ts"
import type { TurnRecord } from "../rows.ts"
import type { Transaction } from "../transaction.ts"

/** The turn that this key may still write to. A stale key is refused: someone else took over. */
export function* requireOwnTurn(tx: Transaction, key: TurnKey): Program<TurnRecord> {
  const turn = yield* tx.ownTurn(key.turn_id)
  if (turn?.fence === key.fence && (turn.state === "running" || turn.state === "retrying"))
    return turn
  throw new Refusal("stale", `turn ${key.turn_id} is over: its writer was replaced`)
}
