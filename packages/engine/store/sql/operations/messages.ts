import type { NewBlob, NewCapture, NewPart, NewUpload } from "../../store.ts"
import type { MessageRecord, PartRecord } from "../rows.ts"
import type { Program, Value } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { Refusal } from "compositor-core/message/refusal"

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

interface Bytes {
  readonly content_id: string
  readonly size: number
  readonly mime: string
}

export function* recordUpload(tx: Transaction, input: NewUpload): Program<null> {
  knowBlob(tx, input)
  yield* tx.run(
    "INSERT INTO uploads (content_id, uploaded_at, principal) VALUES (?, ?, ?)",
    input.content_id,
    tx.now,
    input.principal ?? null,
  )
  return null
}

export function* attach(tx: Transaction, session_id: string, part_id: string, blob: NewBlob) {
  if (blob.stored) knowBlob(tx, blob)
  yield* takeUpload(tx, session_id, blob.content_id)
  tx.write(
    `INSERT INTO blob_references (session_id, part_id, content_id) VALUES (?, ?, ?)
     ON CONFLICT DO NOTHING`,
    session_id,
    part_id,
    blob.content_id,
  )
}

export function detach(tx: Transaction, session_id: string, part_id: string) {
  tx.write("DELETE FROM blob_references WHERE session_id = ? AND part_id = ?", session_id, part_id)
  tx.write("DELETE FROM captures WHERE part_id = ?", part_id)
}

/** What a file reference sends is kept once and never changes afterwards (decision 4). */
export function* keepCaptures(
  tx: Transaction,
  session_id: string,
  captures: readonly NewCapture[],
) {
  for (const capture of captures) {
    tx.write(
      `INSERT INTO captures (part_id, session_id, content_id, data_json) VALUES (?, ?, ?, ?)
       ON CONFLICT (part_id) DO NOTHING`,
      capture.part_id,
      session_id,
      capture.blob?.content_id ?? null,
      capture.data_json,
    )
    if (capture.blob) yield* attach(tx, session_id, capture.part_id, capture.blob)
  }
}

/** Blobs that no part, capture or pending upload needs; their rows go, the caller removes the bytes. */
export function* dropUnreferenced(tx: Transaction): Program<string[]> {
  const dropped = yield* tx.all<{ content_id: string }>(
    `DELETE FROM blobs
     WHERE content_id NOT IN (SELECT content_id FROM blob_references)
       AND content_id NOT IN (SELECT content_id FROM uploads)
     RETURNING content_id`,
  )
  if (dropped.length > 0)
    tx.write("DELETE FROM refusals WHERE content_id NOT IN (SELECT content_id FROM blobs)")
  return dropped.map((row) => row.content_id)
}

function knowBlob(tx: Transaction, { content_id, size, mime }: Bytes) {
  tx.write(
    `INSERT INTO blobs (content_id, size, mime, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (content_id) DO NOTHING`,
    content_id,
    size,
    mime,
    tx.now,
  )
}

// An upload is taken up by a session of whoever uploaded it: another's of the same bytes stays.
function* takeUpload(tx: Transaction, session_id: string, content_id: string) {
  const known = yield* tx.get("SELECT 1 FROM blobs WHERE content_id = ?", content_id)
  if (!known) throw new Refusal("invalid", `nothing was uploaded as ${content_id}: upload it again`)
  tx.write(
    `DELETE FROM uploads WHERE id = (SELECT min(id) FROM uploads
       WHERE content_id = ? AND COALESCE(principal, '') =
         COALESCE((SELECT principal FROM chat_sessions WHERE id = ?), ''))`,
    content_id,
    session_id,
  )
}
