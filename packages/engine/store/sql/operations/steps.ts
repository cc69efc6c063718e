import type {
  AnswerEnd,
  CallRecord,
  CompactionRecord,
  InstructionsRecord,
  NewCompaction,
  SnapshotRecord,
} from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { changeMetadata, closeAnswer, openAnswer, upsertParts } from "./answers.ts"
import { requireOwnTurn } from "./claim.ts"
import { addUsage, noteIn } from "./turns.ts"
import type { Segment } from "compositor-core/message/row"
import type { TurnRecord } from "../rows.ts"

export function* endAnswer(tx: Transaction, input: AnswerEnd): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  yield* closeAnswer(tx, turn, input.answer)
  const { notices = [] } = input
  const noted = noteIn(tx, addUsage(tx, turn, input.usage), notices)
  if (notices.length > 0) tx.tellTurn(noted)
  return { txid: tx.txid }
}

export function* recordCalls(
  tx: Transaction,
  input: CallRecord,
): Program<{ abort: boolean; txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const { message_id, parts } = input
  yield* upsertParts(tx, { session_id: turn.session_id, message_id, parts })
  if (input.side_effects && turn.side_effects === 0)
    tx.write("UPDATE turns SET side_effects = 1 WHERE id = ?", turn.id)
  return { abort: turn.abort_requested_at !== null, txid: tx.txid }
}

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
