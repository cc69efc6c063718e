import { type QueueEffect, readQueueEffect } from "compositor-core/commands/queue-effect"
import { newId } from "compositor-core/message/id"
import type { Metadata } from "compositor-core/message/row"
import { looksOnly } from "compositor-core/message/sidecar"
import { openJson } from "compositor-core/message/stored-json"
import type { Claim } from "../../store.ts"
import { type MessageRecord, type SessionRecord, type TurnRecord, turnOf } from "../rows.ts"
import type { Marks } from "../group.ts"
import { type Program, together } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { tellStarted } from "./lifecycle.ts"

export const WAITING = "('queued', 'paused', 'editing')"
export const LIVE = "('running', 'retrying', 'waiting_on_approval', 'waiting_on_user_input')"

/** Take the queue's head, if the session is idle and the head may fire. */
export function* claim(
  tx: Transaction,
  input: { session_id: string; owner: string },
): Program<Claim | null> {
  const { session_id } = input
  const [session, live, heads] = yield* together(
    tx.ownSession(session_id),
    liveTurn(tx, session_id),
    headsOf(tx, session_id),
  )
  if (live) return null
  const fired = yield* fireHead(tx, { session, heads, owner: input.owner })
  return fired?.claim ?? null
}

/** How often `updated_at` of a busy session moves: its indexes need not change with every message. */
const UPDATED_STEP_MS = 1000

export function usedNow({ updated_at }: Pick<SessionRecord, "updated_at">, now: number): Marks {
  return now - updated_at >= UPDATED_STEP_MS ? { updated_at: now } : {}
}

interface Idle {
  /** As it is in this transaction. */
  readonly session: SessionRecord
  readonly heads: Heads
  readonly owner: string
}

export interface Fired {
  readonly claim: Claim
  readonly message: MessageRecord
}

/** Fire what may fire of an idle session's queue. */
export function* fireHead(
  tx: Transaction,
  { session, heads, owner }: Idle,
): Program<Fired | undefined> {
  const head = session.archived_at === null ? yield* firing(tx, session, heads) : undefined
  return head && (yield* fire(tx, session, head, owner))
}

/** The first of those that wait, and of those that are steered in. */
export interface Heads {
  readonly first: MessageRecord | undefined
  readonly steered: MessageRecord | undefined
}

export function headsOf(tx: Transaction, session_id: string): Program<Heads> {
  return headsBy(tx, HEADS, session_id)
}

/** Of the session of a turn. */
export function headsBehind(tx: Transaction, turn_id: string): Program<Heads> {
  return headsBy(tx, HEADS_BEHIND, turn_id)
}

function* headsBy(tx: Transaction, sql: string, id: string): Program<Heads> {
  const rows = yield* tx.all<MessageRecord & { head: keyof Heads }>(sql, id, id)
  const heads: { -readonly [Name in keyof Heads]: Heads[Name] } = {
    first: undefined,
    steered: undefined,
  }
  for (const { head, ...message } of rows) heads[head] = message
  return heads
}

/** Said so that it is no help to a planner, which would take another index for it than the one of what
 *  waits, and look through all that was ever said. */
export const IS_QUEUED = "state || '' = 'queued'"

const HEADS = headsWhere("session_id = ?")
const HEADS_BEHIND = headsWhere("session_id = (SELECT session_id FROM turns WHERE id = ?)")

function headsWhere(where: string): string {
  return [
    headOf("first", where),
    headOf("steered", `${where} AND mode = 'steer' AND ${IS_QUEUED}`),
  ].join(" UNION ALL ")
}

function headOf(name: keyof Heads, where: string): string {
  return `SELECT * FROM (SELECT '${name}' AS head, chat_messages.* FROM chat_messages
    WHERE state IN ${WAITING} AND ${where} ORDER BY position, id LIMIT 1) AS ${name}`
}

// A paused head holds what is behind it, and so does a drain that an error stopped; what was sent
// to run now fires all the same and lets the others go on.
function* firing(
  tx: Transaction,
  session: SessionRecord,
  { steered, first }: Heads,
): Program<MessageRecord | undefined> {
  if (session.drain === "held") return undefined
  if (steered) return steered
  if (!first || (isReady(first, tx.now) && session.drain === "open")) return first
  return yield* tx.get<MessageRecord>(TO_RUN_NOW, session.id)
}

const TO_RUN_NOW = `SELECT * FROM chat_messages
  WHERE session_id = ? AND state IN ${WAITING} AND mode = 'immediate' AND ${IS_QUEUED}
  ORDER BY position, id LIMIT 1`

// Whoever began to edit it and is gone must not hold the queue for ever.
function isReady({ state, mode, metadata_json }: MessageRecord, now: number): boolean {
  if (state !== "editing") return state === "queued"
  if (mode === "paused") return false
  return Number(openJson(metadata_json).editing_until ?? now) <= now
}

function* fire(
  tx: Transaction,
  session: SessionRecord,
  head: MessageRecord,
  owner: string,
): Program<Fired> {
  const message = place(tx, session, head, {})
  const { model } = openJson(message.metadata_json)
  const model_json = model ? JSON.stringify(model) : session.model_json
  tx.mark(session.id, {
    next_seq: session.next_seq + 1,
    next_fence: session.next_fence + 1,
    drain: "open",
    model_json,
    ...usedNow(session, tx.now),
  })
  if (session.drain === "stopped" || session.model_json !== model_json)
    tx.tellSession(yield* tx.session(session.id))
  tx.tellMessage(message)
  const turn = openTurn(tx, {
    session_id: session.id,
    message_id: head.id,
    agent: session.agent,
    attempt: 1,
    model_json,
    fence: session.next_fence,
    owner,
    answer_id: null,
  })
  return { claim: claimOf(session, turn, message), message }
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
    action: action ? readQueueEffect(action as QueueEffect) : null,
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

export function openTurn(tx: Transaction, turn: NewTurn): TurnRecord {
  const record: TurnRecord = {
    id: newId("trn", tx.now),
    ...turn,
    state: "running",
    api: null,
    beat: 0,
    abort_requested_at: null,
    side_effects: 0,
    system_prompt_digest: null,
    tool_catalog_digest: null,
    capabilities_revision: null,
    usage_json: null,
    error_json: null,
    waiting_json: "[]",
    retry_json: null,
    notices_json: "[]",
    started_at: tx.now,
    ended_at: null,
  }
  tx.write(
    `INSERT INTO turns (id, session_id, message_id, agent, attempt, state, model_json, fence, owner,
       answer_id, started_at) VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
    record.id,
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
  tx.write("INSERT INTO streams (id, session_id) VALUES (?, ?)", record.id, turn.session_id)
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
