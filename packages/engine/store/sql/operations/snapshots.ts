import type { Segment } from "compositor-core/message/row"
import type { InstructionsRecord, SnapshotRecord } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { changeMetadata } from "./answers.ts"
import { requireOwnTurn } from "./fence.ts"
import { noteIn } from "./turns.ts"

/** How many snapshots a rewind names; the oldest, which is the one to go back to, is always told. */
const MAX_SNAPSHOTS = 1000

export function* recordSnapshot(tx: Transaction, input: SnapshotRecord): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const { message_id, snapshot_id, notice } = input
  changeMetadata(tx, yield* tx.message(turn.session_id, message_id), { snapshot_id })
  if (notice !== undefined) tx.tellTurn(noteIn(tx, turn, [notice]))
  return { txid: tx.txid }
}

/** What the message says of the project's instructions, before it is first sent (TRU-003). */
export function* recordInstructions(
  tx: Transaction,
  input: InstructionsRecord,
): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const { message_id, instructions } = input
  changeMetadata(tx, yield* tx.message(turn.session_id, message_id), { instructions })
  return { txid: tx.txid }
}

/** The snapshots of the messages on these segments, oldest first. */
export function* snapshotsOn(tx: Transaction, path: readonly Segment[]): Program<string[]> {
  const found: string[] = []
  for (const { owner, from, to } of path) {
    const rows = yield* tx.all<{ snapshot_id: string }>(
      `SELECT ${snapshotField(tx)} AS snapshot_id FROM chat_messages
       WHERE session_id = ? AND seq BETWEEN ? AND ? AND role = 'user' AND ${snapshotField(tx)} IS NOT NULL
       ORDER BY seq LIMIT ?`,
      owner,
      from,
      to ?? Number.MAX_SAFE_INTEGER,
      MAX_SNAPSHOTS - found.length,
    )
    found.push(...rows.map(({ snapshot_id }) => snapshot_id))
  }
  return found
}

function snapshotField(tx: Transaction): string {
  return tx.words.field("metadata_json", "snapshot_id")
}
