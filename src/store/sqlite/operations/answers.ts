import type { Delta, Metadata } from "../../../message/row.ts"
import type { PartUpsert, TurnEnd } from "../../store.ts"
import type { EventsRecord, MessageRecord, PartRecord, TurnRecord } from "../rows.ts"
import type { Transaction } from "../transaction.ts"
import { insertMessage, insertPart } from "./messages.ts"

export function openAnswer(
  tx: Transaction,
  turn: TurnRecord,
  answer: { message_id: string; metadata: Metadata },
) {
  const session = tx.session(turn.session_id)
  const created_at = Math.max(tx.now, session.last_created_at)
  const record: MessageRecord = {
    id: answer.message_id,
    session_id: turn.session_id,
    role: "assistant",
    metadata_json: JSON.stringify(answer.metadata),
    state: "fired",
    mode: null,
    seq: session.next_seq,
    position: null,
    payload_digest: null,
    created_at,
    updated_at: created_at,
  }
  insertMessage(tx, record)
  tx.run(
    "UPDATE chat_sessions SET next_seq = next_seq + 1, last_created_at = ? WHERE id = ?",
    created_at,
    turn.session_id,
  )
  tx.tellMessage(record, "insert")
}

export function closeAnswer(
  tx: Transaction,
  turn: TurnRecord,
  answer: NonNullable<TurnEnd["answer"]>,
) {
  for (const part of answer.parts) upsertPart(tx, turn.session_id, answer.message_id, part)
  changeMetadata(tx, turn.session_id, answer.message_id, answer.metadata)
}

// Deltas that came after the part's last row are folded into it: what was told stays told.
export function freezeAnswer(tx: Transaction, turn: TurnRecord, refire: boolean, finish: string) {
  if (turn.answer_id === null) return
  for (const [id, delta] of foldDeltas(tx, turn.id))
    upsertPart(tx, turn.session_id, turn.answer_id, {
      id,
      index: delta.part_index,
      type: delta.part_type,
      data_json: JSON.stringify({ type: delta.part_type, text: delta.text }),
    })
  changeMetadata(tx, turn.session_id, turn.answer_id, {
    finish,
    ...(refire ? { superseded: true } : {}),
  })
}

export function upsertPart(
  tx: Transaction,
  session_id: string,
  message_id: string,
  part: PartUpsert,
) {
  const known = tx.get<PartRecord>("SELECT * FROM chat_parts WHERE id = ?", part.id)
  if (known?.data_json === part.data_json) return
  const record: PartRecord = {
    id: part.id,
    message_id,
    session_id,
    index: part.index,
    type: part.type,
    data_json: part.data_json,
    tool_call_id: null,
    tool_state: null,
    created_at: known?.created_at ?? tx.now,
    updated_at: tx.now,
  }
  if (known)
    tx.run(
      "UPDATE chat_parts SET data_json = ?, updated_at = ? WHERE id = ?",
      part.data_json,
      tx.now,
      part.id,
    )
  else insertPart(tx, record)
  tx.tellPart(record, known ? "update" : "insert")
}

function changeMetadata(tx: Transaction, session_id: string, id: string, metadata: Metadata) {
  const record = tx.message(session_id, id)
  const changed: MessageRecord = {
    ...record,
    metadata_json: JSON.stringify({ ...JSON.parse(record.metadata_json), ...metadata }),
    updated_at: tx.now,
  }
  tx.run(
    "UPDATE chat_messages SET metadata_json = ?, updated_at = ? WHERE id = ?",
    changed.metadata_json,
    tx.now,
    id,
  )
  tx.tellMessage(changed)
}

function foldDeltas(tx: Transaction, stream: string): Map<string, Delta> {
  const folded = new Map<string, Delta>()
  for (const delta of deltasOf(tx, stream)) {
    const before = folded.get(delta.part_id)?.text ?? ""
    folded.set(delta.part_id, { ...delta, text: before.slice(0, delta.offset) + delta.text })
  }
  return folded
}

function deltasOf(tx: Transaction, stream: string): Delta[] {
  return tx
    .all<EventsRecord>("SELECT * FROM events WHERE stream_id = ? ORDER BY seq", stream)
    .flatMap((record) => JSON.parse(record.body_json) as { value: Delta }[])
    .map((event) => event.value)
}
