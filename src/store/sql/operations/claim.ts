import { newId } from "../../../message/id.ts"
import type { Metadata } from "../../../message/row.ts"
import { looksOnly } from "../../../message/sidecar.ts"
import { openJson } from "../../../message/stored-json.ts"
import type { Claim } from "../../store.ts"
import { type MessageRecord, type SessionRecord, type TurnRecord, turnOf } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { tellStarted } from "./lifecycle.ts"

export const WAITING = "('queued', 'paused', 'editing')"
export const LIVE = "('running', 'retrying', 'waiting_on_approval', 'waiting_on_user_input')"

/** Take the queue's head, if the session is idle and the head may fire. */
export function* claim(
  tx: Transaction,
  input: { session_id: string; owner: string },
): Program<Claim | null> {
  const session = yield* tx.session(input.session_id)
  if (session.archived_at !== null || (yield* liveTurn(tx, session.id))) return null
  const head = yield* firing(tx, session)
  if (!head) return null
  return yield* fire(tx, session, head, input.owner)
}

// A paused head holds what is behind it, and so does a drain that an error stopped; what was sent
// to run now fires all the same and lets the others go on.
function* firing(tx: Transaction, session: SessionRecord): Program<MessageRecord | undefined> {
  if (session.drain === "held") return undefined
  const steered = yield* firstWaiting(tx, session.id, "AND state = 'queued' AND mode = 'steer'")
  if (steered) return steered
  const head = yield* firstWaiting(tx, session.id, "")
  if (head && isReady(head, tx.now) && session.drain === "open") return head
  return yield* firstWaiting(tx, session.id, "AND state = 'queued' AND mode = 'immediate'")
}

// Whoever began to edit it and is gone must not hold the queue for ever.
function isReady({ state, metadata_json }: MessageRecord, now: number): boolean {
  if (state !== "editing") return state === "queued"
  return Number(openJson(metadata_json).editing_until ?? now) <= now
}

function* firstWaiting(tx: Transaction, session_id: string, also: string) {
  return yield* tx.get<MessageRecord>(
    `SELECT * FROM chat_messages WHERE session_id = ? AND state IN ${WAITING} ${also}
     ORDER BY position, id LIMIT 1`,
    session_id,
  )
}

function* fire(
  tx: Transaction,
  session: SessionRecord,
  head: MessageRecord,
  owner: string,
): Program<Claim> {
  const fired = place(tx, session, head, {})
  const { model } = openJson(fired.metadata_json)
  const model_json = model ? JSON.stringify(model) : session.model_json
  tx.write(
    `UPDATE chat_sessions SET next_seq = next_seq + 1, next_fence = next_fence + 1, drain = 'open',
       model_json = ?, updated_at = ? WHERE id = ?`,
    model_json,
    tx.now,
    session.id,
  )
  if (session.drain === "stopped" || session.model_json !== model_json)
    tx.tellSession(yield* tx.session(session.id))
  tx.tellMessage(fired)
  const turn = yield* openTurn(tx, {
    session_id: session.id,
    message_id: head.id,
    agent: session.agent,
    attempt: 1,
    model_json,
    fence: session.next_fence,
    owner,
    answer_id: null,
  })
  return claimOf(session, turn, fired)
}

/** Give a waiting message its place in history: from here on it has fired. */
export function place(
  tx: Transaction,
  session: SessionRecord,
  message: MessageRecord,
  more: Metadata,
): MessageRecord {
  const { queued_at: _, editing_until: __, ...metadata } = openJson(message.metadata_json)
  const fired: MessageRecord = {
    ...message,
    metadata_json: JSON.stringify({ ...metadata, ...more }),
    state: "fired",
    seq: session.next_seq,
    updated_at: tx.now,
  }
  tx.write(
    "UPDATE chat_messages SET metadata_json = ?, state = 'fired', seq = ?, updated_at = ? WHERE id = ?",
    fired.metadata_json,
    fired.seq,
    tx.now,
    fired.id,
  )
  return fired
}

export function claimOf(session: SessionRecord, turn: TurnRecord, fired: MessageRecord): Claim {
  const { action, trigger } = openJson(fired.metadata_json)
  return {
    turn: turnOf(turn),
    path: JSON.parse(session.path_json),
    path_revision: session.path_revision,
    workspace_root: session.workspace_root,
    action: (action ?? null) as Claim["action"],
    permissions: JSON.parse(session.permissions_json),
    headless: trigger !== undefined,
    read_only: isReadOnly(session),
    answer_id: turn.answer_id,
  }
}

function isReadOnly({ parent_id, metadata_json }: SessionRecord): boolean {
  return looksOnly({ parent_id, metadata: openJson(metadata_json) })
}

type NewTurn = Pick<
  TurnRecord,
  "session_id" | "message_id" | "agent" | "attempt" | "model_json" | "fence" | "owner" | "answer_id"
>

export function* openTurn(tx: Transaction, turn: NewTurn): Program<TurnRecord> {
  const id = newId("trn", tx.now)
  tx.write(
    `INSERT INTO turns (id, session_id, message_id, agent, attempt, state, model_json, fence, owner,
       answer_id, started_at) VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
    id,
    turn.session_id,
    turn.message_id,
    turn.agent,
    turn.attempt,
    turn.model_json,
    turn.fence,
    turn.owner,
    turn.answer_id,
    tx.now,
  )
  tx.write("INSERT INTO streams (id, session_id) VALUES (?, ?)", id, turn.session_id)
  const record = yield* tx.get<TurnRecord>("SELECT * FROM turns WHERE id = ?", id)
  if (!record) throw new Error(`turn ${id} was not written`)
  tx.tellTurn(record, "insert")
  tellStarted(tx, record)
  return record
}

export function* liveTurn(tx: Transaction, session_id: string): Program<TurnRecord | undefined> {
  return yield* tx.get<TurnRecord>(
    `SELECT * FROM turns WHERE session_id = ? AND state IN ${LIVE}`,
    session_id,
  )
}
