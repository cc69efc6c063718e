import { type QueueEffect, readQueueEffect } from "compositor-core/commands/queue-effect"
import { newId } from "compositor-core/message/id"
import { looksOnly, type Metadata, type Turn } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import type { Claim, TurnKey } from "../../store.ts"
import { type MessageRecord, type SessionRecord, readTurnRow, type TurnRecord } from "../rows.ts"
import type { SessionMarks } from "../group.ts"
import { type Program, together } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { Refusal } from "compositor-core/message/refusal"

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

export function usedNow(
  { updated_at }: Pick<SessionRecord, "updated_at">,
  now: number,
): SessionMarks {
  return now - updated_at >= UPDATED_STEP_MS ? { updated_at: now } : {}
}

interface Idle {
  /** As it is in this transaction. */
  readonly session: SessionRecord
  readonly heads: Heads
  readonly owner: string
}

interface ClaimedMessage {
  readonly claim: Claim
  readonly message: MessageRecord
}

/** Fire what may fire of an idle session's queue. */
export function* fireHead(
  tx: Transaction,
  { session, heads, owner }: Idle,
): Program<ClaimedMessage | undefined> {
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
): Program<ClaimedMessage> {
  const message = placeMessage(tx, session, head, {})
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
export function placeMessage(
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
    turn: readTurnRow(turn),
    path: JSON.parse(session.path_json),
    path_revision: session.path_revision,
    workspace_root: session.workspace_root,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only we write a queue's effects
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

/** The turn that this key may still write to. A stale key is refused: someone else took over. */
export function* requireOwnTurn(tx: Transaction, key: TurnKey): Program<TurnRecord> {
  const turn = yield* tx.ownTurn(key.turn_id)
  if (turn?.fence === key.fence && (turn.state === "running" || turn.state === "retrying"))
    return turn
  throw new Refusal("stale", `turn ${key.turn_id} is over: its writer was replaced`)
}

/** Positions compare as strings; the default is 16 digits of milliseconds and `:a0` (QUE-005). */
export function positionAt(queued_at: number): string {
  return `${String(queued_at).padStart(16, "0")}:a0`
}

// Positions compare as strings. One between two others is the left one with a longer tail; first
// place is found by counting down the right one's milliseconds, or its last character.
export function positionBetween(left: string, right: string | null): string {
  if (left !== "") return middle(left, right)
  if (right === null) return positionAt(0)
  const milliseconds = Number(right.slice(0, 16))
  const earlier = positionAt(milliseconds >= 1 ? Math.ceil(milliseconds) - 1 : 0)
  return earlier < right ? earlier : lowered(right)
}

function lowered(right: string): string {
  const last = right.charCodeAt(right.length - 1)
  return middle(`${right.slice(0, -1)}${String.fromCharCode(last - 1)}`, right)
}

function middle(left: string, right: string | null): string {
  for (let tail = "n"; ; tail = `0${tail}`) {
    const candidate = `${left}${tail}`
    if (right === null || candidate < right) return candidate
    if (tail.length > 64) throw new Refusal("conflict", "there is no room between these messages")
  }
}

/** What happens to turns, told as rows of the session's own stream (EVT-001). */
function tellStarted(tx: Transaction, turn: TurnRecord) {
  tell(tx, turn, "turn-started", {})
}

export function tellApprovalRequested(tx: Transaction, turn: TurnRecord, call_ids: string[]) {
  tell(tx, turn, "approval-requested", { call_ids })
}

export function tellFinished(tx: Transaction, turn: TurnRecord) {
  const reason = REASONS[turn.state]
  tell(tx, turn, "turn-finished", { reason, pending_approval: false })
}

const REASONS: Readonly<Record<Turn["state"], "finish" | "abort" | "error" | null>> = {
  running: null,
  retrying: null,
  waiting_on_approval: null,
  waiting_on_user_input: null,
  finished: "finish",
  aborted: "abort",
  interrupted: "abort",
  error: "error",
}

function tell(tx: Transaction, turn: TurnRecord, type: string, more: object) {
  const { id: turn_id, session_id, message_id } = turn
  const value = { session_id, message_id, turn_id, ...more, at: tx.now }
  tx.tell(session_id, type, turn_id, "insert", JSON.stringify(value))
}
