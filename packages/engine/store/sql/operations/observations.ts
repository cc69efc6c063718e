import type { Effect } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { once } from "./effects.ts"

interface Pair {
  readonly observer: string
  readonly observed: string
}

/** From now on; what was told before is not news. */
export function* observe(
  tx: Transaction,
  input: Pair & { readonly collections: readonly string[]; readonly effect: Effect },
): Program<{ txid: string }> {
  const { observer, observed, collections, effect } = input
  return yield* once(tx, { session_id: observer, effect }, function* () {
    const { next_event } = yield* tx.session(observed)
    tx.write(
      `INSERT INTO observations (observer, observed, collections_json, seen) VALUES (?, ?, ?, ?)
       ON CONFLICT (observer, observed) DO UPDATE SET collections_json = excluded.collections_json`,
      observer,
      observed,
      JSON.stringify(collections),
      next_event,
    )
    return { txid: tx.txid }
  })
}

export function* unobserve(
  tx: Transaction,
  { observer, observed, effect }: Pair & { readonly effect: Effect },
): Program<{ txid: string }> {
  return yield* once(tx, { session_id: observer, effect }, function* () {
    yield* tx.run(
      "DELETE FROM observations WHERE observer = ? AND observed = ?",
      observer,
      observed,
    )
    return { txid: tx.txid }
  })
}

export function* seeObservation(
  tx: Transaction,
  { observer, observed, from, to }: Pair & { readonly from: number; readonly to: number },
): Program<{ seen: boolean }> {
  const changes = yield* tx.run(
    "UPDATE observations SET seen = ? WHERE observer = ? AND observed = ? AND seen = ?",
    to,
    observer,
    observed,
    from,
  )
  return { seen: changes === 1 }
}
