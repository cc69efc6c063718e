import { Refusal } from "../../../message/refusal.ts"
import type { Segment } from "../../../message/row.ts"
import type { Branch, NewSession, SessionChange, SessionChanged } from "../../store.ts"
import { type SessionRecord, sessionOf } from "../rows.ts"
import type { Transaction } from "../transaction.ts"

export function createSession(tx: Transaction, input: NewSession): SessionChanged {
  const known = tx.get<SessionRecord>("SELECT * FROM chat_sessions WHERE id = ?", input.id)
  if (known) throw new Refusal("conflict", `session ${input.id} exists already`)
  const path: Segment[] = [{ owner: input.id, from: 1, to: null }]
  insertSession(tx, { ...input, parent_id: null, parent_message_id: null, path })
  return changed(tx, input.id, "insert")
}

export function changeSession(tx: Transaction, input: SessionChange): SessionChanged {
  const record = tx.session(input.id)
  const metadata =
    input.metadata === undefined
      ? record.metadata_json
      : JSON.stringify({ ...JSON.parse(record.metadata_json), ...input.metadata })
  tx.run(
    `UPDATE chat_sessions
     SET title = ?, archived_at = ?, model_json = ?, metadata_json = ?, updated_at = ?
     WHERE id = ?`,
    input.title === undefined ? record.title : input.title,
    archivedAt(tx, record, input.archived),
    input.model === undefined ? record.model_json : JSON.stringify(input.model),
    metadata,
    tx.now,
    input.id,
  )
  return changed(tx, input.id, "update")
}

/** A branch copies the path and cuts it at its point; it costs the number of segments (SES-020). */
export function branch(tx: Transaction, input: Branch): SessionChanged {
  const parent = tx.session(input.parent_id)
  const cut = cutPath(tx, parent, input.from_message_id)
  const path = [...cut.path, { owner: input.id, from: 1, to: null }]
  insertSession(tx, {
    id: input.id,
    agent: parent.agent,
    title: input.title ?? (parent.title === null ? null : `${parent.title} (branch)`),
    workspace_root: parent.workspace_root,
    model: JSON.parse(parent.model_json),
    metadata: { ...JSON.parse(parent.metadata_json), ...input.metadata },
    parent_id: parent.id,
    parent_message_id: cut.message_id,
    path,
  })
  return changed(tx, input.id, "insert")
}

interface SessionInsert extends NewSession {
  readonly parent_id: string | null
  readonly parent_message_id: string | null
  readonly path: readonly Segment[]
}

function insertSession(tx: Transaction, session: SessionInsert) {
  tx.run(
    `INSERT INTO chat_sessions (id, agent, title, workspace_root, model_json, parent_id,
       parent_message_id, metadata_json, path_json, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  )
}

function changed(tx: Transaction, id: string, operation: "insert" | "update"): SessionChanged {
  const record = tx.session(id)
  tx.tellSession(record, operation)
  return { session: sessionOf(record), txid: tx.txid }
}

function archivedAt(tx: Transaction, record: SessionRecord, archived: boolean | undefined) {
  if (archived === undefined) return record.archived_at
  return archived ? (record.archived_at ?? tx.now) : null
}

interface Cut {
  readonly path: readonly Segment[]
  readonly message_id: string | null
}

function cutPath(tx: Transaction, parent: SessionRecord, message_id: string | null): Cut {
  const path = JSON.parse(parent.path_json) as Segment[]
  const point = message_id === null ? lastSettled(tx, path) : pointOf(tx, path, message_id)
  if (!point) return { path: [], message_id: null }
  refuseUnsettled(tx, parent, point)
  const at = path.findIndex((segment) => contains(segment, point))
  const before = path.slice(0, at)
  const segment = path[at]
  if (!segment) throw new Error(`message ${point.id} is on no segment of its own path`)
  return { path: [...before, { ...segment, to: point.seq }], message_id: point.id }
}

interface Point {
  readonly id: string
  readonly session_id: string
  readonly seq: number
}

export function contains(segment: Segment, point: { session_id: string; seq: number }): boolean {
  if (segment.owner !== point.session_id || point.seq < segment.from) return false
  return segment.to === null || point.seq <= segment.to
}

function pointOf(tx: Transaction, path: readonly Segment[], message_id: string): Point {
  const point = tx.get<Point>(
    "SELECT id, session_id, seq FROM chat_messages WHERE id = ? AND seq IS NOT NULL",
    message_id,
  )
  if (!point || !path.some((segment) => contains(segment, point)))
    throw new Refusal("not_found", `message ${message_id} is not in this session's history`)
  return point
}

function lastSettled(tx: Transaction, path: readonly Segment[]): Point | undefined {
  const owner = path.at(-1)?.owner
  const live = liveTurnStart(tx, owner)
  for (const segment of path.toReversed()) {
    const end = segment.to ?? Number.MAX_SAFE_INTEGER
    const last = segment.owner === owner ? Math.min(end, live ?? end) : end
    const point = tx.get<Point>(
      `SELECT id, session_id, seq FROM chat_messages
       WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`,
      segment.owner,
      segment.from,
      last,
    )
    if (point) return point
  }
  return undefined
}

function refuseUnsettled(tx: Transaction, parent: SessionRecord, point: Point) {
  const live = liveTurnStart(tx, parent.id)
  if (live !== undefined && point.session_id === parent.id && point.seq > live)
    throw new Refusal("conflict", `message ${point.id} belongs to a turn that is still running`)
}

// The last place before the live turn's own message.
function liveTurnStart(tx: Transaction, session_id: string | undefined): number | undefined {
  if (session_id === undefined) return undefined
  const row = tx.get<{ seq: number }>(
    `SELECT chat_messages.seq FROM turns JOIN chat_messages ON chat_messages.id = turns.message_id
     WHERE turns.session_id = ?
       AND turns.state IN ('running', 'retrying', 'waiting_on_approval', 'waiting_on_user_input')`,
    session_id,
  )
  return row && row.seq - 1
}
