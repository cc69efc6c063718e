import { Refusal } from "compositor-core/message/refusal"
import { openJson } from "compositor-core/message/stored-json"
import type { Append, Appended, Claim, MessageChanged, QueuedChange } from "../../store.ts"
import { readMessageRow, type MessageRecord, type PartRecord, type SessionRecord } from "../rows.ts"
import type { SessionHead } from "../group.ts"
import { type Program, together } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { insertMessage, insertParts, keepCaptures, partRecords, replaceParts } from "./messages.ts"
import { positionBetween, fireHead, headsOf, LIVE, positionAt, usedNow, WAITING } from "./claim.ts"
import { steersFirst } from "./steer.ts"

/** So long a message is left to whoever edits it, where nobody says how long. */
const EDITING_MS = 10 * 60 * 1000

/** What `append` answers across the thread. Of a new message that waits only what the sender cannot
 *  know goes back: copying the rest would cost more than storing it. */
export type RawAppended =
  | ({ readonly type: "queued"; readonly txid: string } & QueuePosition)
  | {
      readonly type: "claimed" | "replayed"
      readonly record: MessageRecord
      readonly parts: readonly PartRecord[] | null
      readonly claim: Claim | null
      readonly txid: string
    }

/** When a message came in, by its session's clock, and whether a turn was running. */
interface QueuePosition {
  readonly queued_at: number
  readonly created_at: number
  readonly busy: boolean
}

/** Every accepted message is first a queued row; on an idle session it is claimed in the same
 *  transaction (EA-022). */
export function* append(tx: Transaction, input: Append): Program<RawAppended> {
  const session = yield* headOf(tx, input.session_id)
  const place = placeIn(tx, session)
  const record = queuedRecord(input, place)
  if (!mayEnter(input, session)) return yield* replay(tx, input, session)
  yield* releaseQueue(tx, session)
  const fires = !place.busy && input.owner !== null
  const [entered, after] = fires
    ? yield* together(insertMessage(tx, record), firingIn(tx, session.id))
    : [yield* insertMessage(tx, record)]
  if (!entered) return yield* replay(tx, input, session)
  yield* remember(tx, input, session, place)
  const parts = yield* insertParts(tx, record, input.parts)
  yield* keepCaptures(tx, session.id, input.captures)
  tx.tellMessage(record, "insert")
  for (const part of parts) tx.tellPart(part, "insert")
  const { txid } = tx
  if (!after || input.owner === null) return { type: "queued", ...place, txid }
  const fired = yield* fireHead(tx, { ...after, owner: input.owner })
  const stored = fired?.message.id === record.id ? fired.message : record
  return { type: "claimed", record: stored, parts: null, claim: fired?.claim ?? null, txid }
}

/** What decides which message fires, with the new one among them. */
function* firingIn(tx: Transaction, session_id: string) {
  const [session, heads] = yield* together(tx.session(session_id), headsOf(tx, session_id))
  return { session, heads }
}

export function* changeQueued(tx: Transaction, input: QueuedChange): Program<MessageChanged> {
  const record = yield* waiting(tx, input.session_id, input.message_id)
  if (isRelease(record, input)) yield* reopenQueue(tx, input.session_id)
  if (input.parts) yield* replaceParts(tx, record, input.parts)
  if (input.captures) yield* keepCaptures(tx, record.session_id, input.captures)
  const { editing_until, ...before } = openJson(record.metadata_json)
  const metadata = { ...before, ...input.metadata, ...leaseOf(tx, input, editing_until) }
  tx.write(
    `UPDATE chat_messages SET metadata_json = ?, position = ?, state = ?, mode = ?,
       updated_at = ? WHERE id = ?`,
    JSON.stringify(metadata),
    yield* positionFor(tx, record, input),
    input.state ?? record.state,
    input.state === "queued" && record.mode === "paused" ? "queued" : record.mode,
    tx.now,
    record.id,
  )
  return yield* tellChanged(tx, record)
}

// Whoever edits says so again now and then; without a word the message goes on as it was.
function leaseOf(tx: Transaction, { state, lease_ms }: QueuedChange, editing_until: unknown) {
  if (state === "editing") return { editing_until: tx.now + (lease_ms ?? EDITING_MS) }
  return state === undefined && editing_until !== undefined ? { editing_until } : {}
}

// Someone says of a waiting message: let it go now. That restarts a queue which an error stopped.
function isRelease(record: MessageRecord, { state, parts }: QueuedChange): boolean {
  return state === "queued" && parts === undefined && record.state !== "editing"
}

/** A cancelled message keeps its row: a retry of the same send finds it and does not fire. */
export function* cancelQueued(
  tx: Transaction,
  input: { session_id: string; message_id: string },
): Program<MessageChanged> {
  const record = yield* waiting(tx, input.session_id, input.message_id)
  cancel(tx, record)
  return yield* tellChanged(tx, record)
}

export function* cancelAll(tx: Transaction, session_id: string): Program<string[]> {
  const records = yield* waitingInOrder(tx, session_id)
  for (const record of records) {
    cancel(tx, record)
    yield* tellChanged(tx, record)
  }
  return records.map((record) => record.id)
}

const SESSION_HEAD = `SELECT id, title, archived_at, last_queued_at, last_created_at, updated_at,
    next_event, drain,
    (SELECT id FROM turns WHERE session_id = chat_sessions.id AND state IN ${LIVE}) AS live_turn_id
  FROM chat_sessions WHERE id = ? AND deleted_at IS NULL`

function* headOf(tx: Transaction, id: string): Program<SessionHead> {
  const held = tx.group?.head(id)
  if (held) return held
  const head = yield* tx.get<SessionHead>(SESSION_HEAD, id)
  if (!head) throw new Refusal("not_found", `there is no session ${id}`)
  tx.group?.hold(head)
  return head
}

function mayEnter(input: Append, session: SessionHead): boolean {
  const { expected_turn_id } = input
  const turnIsOver = expected_turn_id !== null && expected_turn_id !== session.live_turn_id
  return session.archived_at === null && !turnIsOver
}

// The same send again gives the first answer, whatever has become of the message since.
function* replay(tx: Transaction, input: Append, session: SessionHead): Program<RawAppended> {
  const known = yield* tx.get<MessageRecord>(
    "SELECT * FROM chat_messages WHERE id = ?",
    input.message_id,
  )
  if (!known) throw refusedEntry(input, session)
  if (known.session_id !== input.session_id || known.payload_digest !== input.digest)
    throw new Refusal("conflict", `message ${known.id} exists already with another payload`)
  const parts = yield* tx.parts(known.id)
  return { type: "replayed", record: known, parts, claim: null, txid: tx.txid }
}

function refusedEntry(input: Append, session: SessionHead): Refusal {
  if (session.archived_at !== null)
    return new Refusal("conflict", `session ${session.id} is archived: restore it to write to it`)
  return new Refusal("conflict", `turn ${input.expected_turn_id} is not running any more`)
}

function placeIn(tx: Transaction, session: SessionHead): QueuePosition {
  return {
    queued_at: Math.max(tx.now, session.last_queued_at + 1),
    created_at: Math.max(tx.now, session.last_created_at),
    busy: session.live_turn_id !== null,
  }
}

function queuedRecord(input: Append, place: QueuePosition): MessageRecord {
  const { queued_at, created_at, busy } = place
  return {
    id: input.message_id,
    session_id: input.session_id,
    role: "user",
    metadata_json: JSON.stringify({ ...input.metadata, queued_at, queue_enqueued_at: queued_at }),
    state: input.mode === "paused" ? "paused" : "queued",
    // Behind a running turn an immediate message waits like any other.
    mode: busy && input.mode === "immediate" ? "queued" : input.mode,
    seq: null,
    position: input.position ?? positionAt(queued_at),
    payload_digest: input.digest,
    created_at,
    updated_at: created_at,
  }
}

/** The caller has what it sent: that need not cross the thread a second time. */
export function openAppended(input: Append, raw: RawAppended): Appended {
  const { txid } = raw
  if (raw.type === "queued") {
    const record = queuedRecord(input, raw)
    const message = readMessageRow(record, partRecords(record, input.parts))
    return { message, claim: null, replayed: false, txid }
  }
  const parts = raw.parts ?? partRecords(raw.record, input.parts)
  const replayed = raw.type === "replayed"
  return { message: readMessageRow(raw.record, parts), claim: raw.claim, replayed, txid }
}

function* remember(tx: Transaction, input: Append, session: SessionHead, place: QueuePosition) {
  tx.mark(session.id, {
    last_queued_at: place.queued_at,
    last_created_at: place.created_at,
    ...usedNow(session, tx.now),
  })
  if (session.title === null && input.title !== null) yield* giveTitle(tx, session.id, input.title)
}

function* giveTitle(tx: Transaction, session_id: string, title: string) {
  tx.write("UPDATE chat_sessions SET title = ? WHERE id = ?", title, session_id)
  tx.group?.entitle(session_id, title)
  tx.tellSession(yield* tx.session(session_id))
}

function* waiting(tx: Transaction, session_id: string, message_id: string): Program<MessageRecord> {
  yield* tx.session(session_id)
  const record = yield* tx.message(session_id, message_id)
  if (record.state === "queued" || record.state === "paused" || record.state === "editing")
    return record
  throw new Refusal("conflict", `message ${message_id} is ${record.state}: it waits no longer`)
}

function* waitingInOrder(tx: Transaction, session_id: string): Program<MessageRecord[]> {
  return yield* tx.all<MessageRecord>(
    `SELECT * FROM chat_messages WHERE session_id = ? AND state IN ${WAITING}
     ORDER BY position, id`,
    session_id,
  )
}

function cancel(tx: Transaction, record: MessageRecord) {
  const { queued_at: _, editing_until: __, ...metadata } = openJson(record.metadata_json)
  tx.write(
    `UPDATE chat_messages SET state = 'cancelled', metadata_json = ?, updated_at = ? WHERE id = ?`,
    JSON.stringify({ ...metadata, queue_canceled_at: tx.now }),
    tx.now,
    record.id,
  )
}

function* tellChanged(tx: Transaction, before: MessageRecord): Program<MessageChanged> {
  const record = yield* tx.message(before.session_id, before.id)
  tx.tellMessage(record)
  return { message: readMessageRow(record, yield* tx.parts(record.id)), txid: tx.txid }
}

function* positionFor(tx: Transaction, record: MessageRecord, input: QueuedChange) {
  if (input.position !== undefined) return input.position
  if (input.after === undefined) return record.position
  const others = (yield* waitingInOrder(tx, record.session_id)).filter(
    (other) => other.id !== record.id,
  )
  const at = input.after === null ? 0 : others.findIndex((other) => other.id === input.after) + 1
  if (input.after !== null && at === 0)
    throw new Refusal("conflict", `message ${input.after} waits no longer`)
  return positionBetween(others[at - 1]?.position ?? "", others[at]?.position ?? null)
}

/** A hard failure holds the queue; what waited to run now waits like the rest (UXH-003). */
export function* stopDrain(tx: Transaction, session_id: string) {
  yield* steersFirst(tx, session_id)
  tx.write("UPDATE chat_sessions SET drain = 'stopped' WHERE id = ?", session_id)
  tx.write(
    `UPDATE chat_messages SET mode = 'queued'
     WHERE session_id = ? AND state IN ('queued', 'paused', 'editing') AND mode = 'immediate'`,
    session_id,
  )
  tx.tellSession(yield* tx.session(session_id))
}

/** Somebody wants it to go on. */
function* reopenQueue(tx: Transaction, session_id: string) {
  yield* releaseQueue(tx, yield* tx.session(session_id))
  const changes = yield* tx.run(
    "UPDATE chat_sessions SET drain = 'open' WHERE id = ? AND drain = 'stopped'",
    session_id,
  )
  if (changes > 0) tx.tellSession(yield* tx.session(session_id))
}

/** What an import brought waits for a person, in the state in which it came. The first who touches the
 *  queue finds it like one that was stopped. */
function* releaseQueue(tx: Transaction, { id, drain }: Pick<SessionRecord, "id" | "drain">) {
  if (drain !== "held") return
  tx.group?.unhold(id)
  yield* stopDrain(tx, id)
}
