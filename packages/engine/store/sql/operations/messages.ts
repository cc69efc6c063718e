import type { NewPart } from "../../store.ts"
import type { MessageRecord, PartRecord } from "../rows.ts"
import type { Program, Value } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { attach, detach } from "./blobs.ts"

/** False when there is a message of this id already. */
export function* insertMessage(tx: Transaction, record: MessageRecord): Program<boolean> {
  return (yield* tx.run(INSERT_MESSAGE, ...valuesOf(record))) === 1
}

/** One that is there already stays as it is. */
export function writeMessage(tx: Transaction, record: MessageRecord) {
  tx.write(INSERT_MESSAGE, ...valuesOf(record))
}

const INSERT_MESSAGE = `INSERT INTO chat_messages (id, session_id, role, metadata_json, state, mode,
    seq, position, payload_digest, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`

function valuesOf(record: MessageRecord): Value[] {
  return [
    record.id,
    record.session_id,
    record.role,
    record.metadata_json,
    record.state,
    record.mode,
    record.seq,
    record.position,
    record.payload_digest,
    record.created_at,
    record.updated_at,
  ]
}

export function* insertParts(
  tx: Transaction,
  message: MessageRecord,
  parts: readonly NewPart[],
): Program<PartRecord[]> {
  const records = partRecords(message, parts)
  for (const record of records) insertPart(tx, record)
  for (const { id, blob } of parts) if (blob) yield* attach(tx, message.session_id, id, blob)
  return records
}

export function partRecords(message: MessageRecord, parts: readonly NewPart[]): PartRecord[] {
  return parts.map((part, index) => ({
    id: part.id,
    message_id: message.id,
    session_id: message.session_id,
    index,
    type: part.type,
    data_json: part.data_json,
    tool_call_id: part.tool_call_id ?? null,
    tool_state: part.tool_state ?? null,
    created_at: message.created_at,
    updated_at: message.created_at,
  }))
}

export function insertPart(tx: Transaction, record: PartRecord) {
  tx.write(
    `INSERT INTO chat_parts (id, message_id, session_id, "index", type, data_json, tool_call_id,
       tool_state, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    record.message_id,
    record.session_id,
    record.index,
    record.type,
    record.data_json,
    record.tool_call_id,
    record.tool_state,
    record.created_at,
    record.updated_at,
  )
}

/** A part that stays, by its id, keeps the bytes and the lines that were stored for it. */
export function* replaceParts(tx: Transaction, record: MessageRecord, parts: readonly NewPart[]) {
  const staying = new Set(parts.map(({ id }) => id))
  const before = yield* tx.parts(record.id)
  for (const part of before.filter(({ id }) => !staying.has(id))) {
    detach(tx, record.session_id, part.id)
    tx.tell(record.session_id, "part", part.id, "delete", "null")
  }
  tx.write("DELETE FROM chat_parts WHERE message_id = ?", record.id)
  const known = new Set(before.map(({ id }) => id))
  for (const part of yield* insertParts(tx, record, parts))
    tx.tellPart(part, known.has(part.id) ? "update" : "insert")
}
