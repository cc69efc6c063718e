import { SCHEMA_VERSION } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import type { Segment } from "compositor-core/message/row"
import type { Branch, NewSession, SessionChange, SessionChanged } from "../../store.ts"
import { type MessageRecord, type SessionRecord, sessionOf } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { insertParts, writeMessage } from "./messages.ts"
import { cutAt } from "./path.ts"

export function* createSession(tx: Transaction, input: NewSession): Program<SessionChanged> {
  const known = yield* tx.get<SessionRecord>("SELECT * FROM chat_sessions WHERE id = ?", input.id)
  if (known) throw new Refusal("conflict", `session ${input.id} exists already`)
  const path: Segment[] = [{ owner: input.id, from: 1, to: null }]
  insertSession(tx, { ...input, parent_id: null, parent_message_id: null, path })
  return yield* changed(tx, input.id, "insert")
}

export function* changeSession(tx: Transaction, input: SessionChange): Program<SessionChanged> {
  const record = yield* tx.session(input.id)
  const metadata =
    input.metadata === undefined
      ? record.metadata_json
      : JSON.stringify({ ...JSON.parse(record.metadata_json), ...input.metadata })
  tx.write(
    `UPDATE chat_sessions
     SET title = ?, archived_at = ?, model_json = ?, agent = ?, metadata_json = ?, updated_at = ?
     WHERE id = ?`,
    input.title === undefined ? record.title : input.title,
    archivedAt(tx, record, input.archived),
    input.model === undefined ? record.model_json : JSON.stringify(input.model),
    input.agent ?? record.agent,
    metadata,
    tx.now,
    input.id,
  )
  return yield* changed(tx, input.id, "update")
}

/** A branch copies the path and cuts it at its point; it costs the number of segments (SES-020). */
export function* branch(tx: Transaction, input: Branch): Program<SessionChanged> {
  const parent = yield* tx.session(input.parent_id)
  const cut = yield* cutAt(tx, parent, input.from_message_id)
  const path = [...cut.path, { owner: input.id, from: 1, to: null }]
  insertSession(tx, {
    id: input.id,
    agent: parent.agent,
    title: input.title ?? (parent.title === null ? null : `${parent.title} (branch)`),
    workspace_root: parent.workspace_root,
    model: JSON.parse(parent.model_json),
    metadata: { ...JSON.parse(parent.metadata_json), ...input.metadata },
    principal: parent.principal,
    parent_id: parent.id,
    parent_message_id: cut.message_id,
    path,
  })
  if (input.note) yield* tellNote(tx, input.id, input.note)
  return yield* changed(tx, input.id, "insert")
}

// It stands where the inherited history ends, and is the first thing that the branch says.
function* tellNote(tx: Transaction, session_id: string, note: NonNullable<Branch["note"]>) {
  const { message_id, part_id, text } = note
  const record: MessageRecord = {
    id: message_id,
    session_id,
    role: "system",
    metadata_json: JSON.stringify({ schema_version: SCHEMA_VERSION, boundary: true }),
    state: "fired",
    mode: null,
    seq: 1,
    position: null,
    payload_digest: null,
    created_at: tx.now,
    updated_at: tx.now,
  }
  writeMessage(tx, record)
  const data_json = JSON.stringify({ type: "text", text })
  yield* insertParts(tx, record, [{ id: part_id, type: "text", data_json, blob: null }])
  tx.write(
    "UPDATE chat_sessions SET next_seq = 2, last_created_at = ? WHERE id = ?",
    tx.now,
    session_id,
  )
}

interface SessionInsert extends NewSession {
  readonly parent_id: string | null
  readonly parent_message_id: string | null
  readonly path: readonly Segment[]
}

function insertSession(tx: Transaction, session: SessionInsert) {
  tx.write(
    `INSERT INTO chat_sessions (id, agent, title, workspace_root, model_json, parent_id,
       parent_message_id, metadata_json, path_json, created_at, updated_at, principal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.id,
    session.agent,
    session.title,
    session.workspace_root,
    JSON.stringify(session.model),
    session.parent_id,
    session.parent_message_id,
    JSON.stringify(session.metadata),
    JSON.stringify(session.path),
    tx.now,
    tx.now,
    session.principal ?? null,
  )
}

function* changed(
  tx: Transaction,
  id: string,
  operation: "insert" | "update",
): Program<SessionChanged> {
  const record = yield* tx.session(id)
  tx.tellSession(record, operation)
  return { session: sessionOf(record), txid: tx.txid }
}

function archivedAt(tx: Transaction, record: SessionRecord, archived: boolean | undefined) {
  if (archived === undefined) return record.archived_at
  return archived ? (record.archived_at ?? tx.now) : null
}
