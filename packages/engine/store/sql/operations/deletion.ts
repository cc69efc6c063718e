import { Refusal } from "compositor-core/message/refusal"
import type { Segment } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import type { Deleted } from "../../store.ts"
import type { MessageRecord, SessionRecord } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { detach, dropUnreferenced } from "./messages.ts"
import { LIVE, liveTurn } from "./claim.ts"
import { forgetContextOf, removeEntity, tellEntityAnew } from "./entities.ts"

/** Remove a session's content from rows, events and blobs (decision 17). What living branches read
 *  stays, hidden, until the last of them goes (SES-021). */
export function* deleteSession(
  tx: Transaction,
  input: { session_id: string; cascade: boolean },
): Program<Deleted> {
  const session = yield* tx.session(input.session_id)
  const branches = yield* readersOf(tx, session.id)
  const deleted = input.cascade ? [session.id, ...branches.map(({ id }) => id)] : [session.id]
  for (const id of deleted) hide(tx, id)
  for (const id of deleted) yield* removeUnreachable(tx, id)
  yield* removeForgottenParents(tx)
  const content_ids = yield* dropUnreferenced(tx)
  return { deleted, branches: input.cascade ? [] : branches.map(({ id }) => id), content_ids }
}

/** Remove one message's content. Its row stays as a tombstone of id and digest; the session's stream
 *  starts anew, because the old one told of it. */
export function* purgeMessage(
  tx: Transaction,
  input: { session_id: string; message_id: string },
): Program<{ content_ids: string[]; txid: string }> {
  const session = yield* tx.session(input.session_id)
  const record = yield* tx.message(session.id, input.message_id)
  const live = yield* liveTurn(tx, session.id)
  if (live && (live.message_id === record.id || turnIdOf(record) === live.id))
    throw new Refusal("conflict", `message ${record.id} belongs to a turn that is still running`)
  const readers = [session, ...(yield* branchesWith(tx, record))]
  for (const one of [record, ...(yield* summariesOf(tx, readers, record))]) yield* erase(tx, one)
  // A title may be this message's first words, and a branch's title begins with its parent's.
  const words = record.role === "user" ? session.title : null
  for (const reader of readers) yield* startAnew(tx, reader, words)
  return { content_ids: yield* dropUnreferenced(tx), txid: tx.txid }
}

function* erase(tx: Transaction, message: MessageRecord) {
  yield* removeParts(tx, message)
  removeTurnText(tx, message)
  forgetContextOf(tx, message.session_id, message.id)
  tx.write(
    `UPDATE chat_messages SET state = 'cancelled', metadata_json = ?, updated_at = ? WHERE id = ?`,
    JSON.stringify({ purged_at: tx.now }),
    tx.now,
    message.id,
  )
}

// A summary may say what the message said: those written since go with it, and history is told whole.
function* summariesOf(
  tx: Transaction,
  readers: readonly SessionRecord[],
  { session_id, seq }: MessageRecord,
): Program<MessageRecord[]> {
  if (seq === null) return []
  const found = yield* tx.each<MessageRecord>(
    `SELECT * FROM chat_messages WHERE session_id = ? AND seq > ? AND role = 'assistant'
       AND ${tx.words.isTrue("metadata_json", "compaction")}`,
    readers.map(({ id }) => [id, id === session_id ? seq : 0]),
  )
  return found.flat()
}

export function* sweep(
  tx: Transaction,
  input: { uploads_before: number; streams_before: number },
): Program<{ content_ids: string[] }> {
  tx.write("DELETE FROM uploads WHERE uploaded_at < ?", input.uploads_before)
  const streams = yield* tx.all<{ id: string }>(
    "SELECT id FROM streams WHERE closed_at < ? AND first_seq < next_seq",
    input.streams_before,
  )
  for (const { id } of streams) restartStream(tx, id)
  return { content_ids: yield* dropUnreferenced(tx) }
}

function* branchesWith(
  tx: Transaction,
  { session_id, seq }: MessageRecord,
): Program<SessionRecord[]> {
  return (yield* readersOf(tx, session_id)).filter((reader) =>
    pathOf(reader).some((segment) => segment.owner === session_id && within(segment, seq)),
  )
}

function* startAnew(tx: Transaction, session: SessionRecord, words: string | null) {
  const { id, title } = session
  tx.write(
    `UPDATE chat_sessions SET title = ?, path_revision = path_revision + 1, updated_at = ?
     WHERE id = ?`,
    words !== null && title?.startsWith(words) ? null : title,
    tx.now,
    id,
  )
  restartStream(tx, id)
  tx.tellSession(yield* tx.session(id))
  yield* tellEntityAnew(tx, id)
}

function* readersOf(tx: Transaction, owner: string): Program<SessionRecord[]> {
  return (yield* tx.all<SessionRecord>(
    `SELECT * FROM chat_sessions
       WHERE deleted_at IS NULL AND id <> ? AND ${tx.words.reads}`,
    owner,
    owner,
  )).filter((session) => pathOf(session).some((segment) => segment.owner === owner))
}

function pathOf(session: SessionRecord): Segment[] {
  return JSON.parse(session.path_json)
}

// Branches may keep the row for its path, but nothing of what it said; whoever runs its turn is out.
function hide(tx: Transaction, id: string) {
  tx.write(
    "UPDATE chat_sessions SET deleted_at = ?, title = NULL, metadata_json = '{}' WHERE id = ?",
    tx.now,
    id,
  )
  tx.write(
    `UPDATE turns SET state = 'aborted', ended_at = ? WHERE session_id = ? AND state IN ${LIVE}`,
    tx.now,
    id,
  )
  tx.write("DELETE FROM triggers WHERE session_id = ?", id)
  removeEntity(tx, id)
  tx.tell(id, "session", id, "delete", "null")
}

function* removeUnreachable(tx: Transaction, id: string) {
  const reach = (yield* readersOf(tx, id)).flatMap(pathOf).filter((segment) => segment.owner === id)
  const turns = yield* tx.all<{ id: string }>("SELECT id FROM streams WHERE session_id = ?", id)
  for (const stream of [{ id }, ...turns]) restartStream(tx, stream.id)
  if (reach.length === 0) return removeAll(tx, id)
  const messages = yield* tx.all<MessageRecord>(
    "SELECT * FROM chat_messages WHERE session_id = ?",
    id,
  )
  for (const message of messages) {
    if (reach.some((segment) => within(segment, message.seq))) continue
    yield* removeParts(tx, message)
    removeTurnText(tx, message)
    tx.write("DELETE FROM turns WHERE message_id = ?", message.id)
    tx.write("DELETE FROM chat_messages WHERE id = ?", message.id)
  }
}

function within(segment: Segment, seq: number | null): boolean {
  return seq !== null && seq >= segment.from && seq <= (segment.to ?? Number.MAX_SAFE_INTEGER)
}

function removeAll(tx: Transaction, id: string) {
  tx.write("DELETE FROM streams WHERE session_id = ? AND id <> ?", id, id)
  // The head of its stream outlives the session: who follows it hears the last word.
  tx.write(
    `INSERT INTO streams (id, first_seq, next_seq)
     SELECT id, next_event, next_event FROM chat_sessions WHERE id = ?
     ON CONFLICT (id) DO UPDATE SET session_id = NULL, first_seq = excluded.first_seq,
       next_seq = excluded.next_seq, closed_at = NULL`,
    id,
  )
  tx.write("DELETE FROM chat_sessions WHERE id = ?", id)
  // Prompts are kept by digest for every session that used them.
  tx.write(
    `DELETE FROM system_prompts WHERE digest NOT IN
       (SELECT system_prompt_digest FROM turns WHERE system_prompt_digest IS NOT NULL)
     AND digest NOT IN
       (SELECT tool_catalog_digest FROM turns WHERE tool_catalog_digest IS NOT NULL)`,
  )
}

function* removeForgottenParents(tx: Transaction) {
  const hidden = yield* tx.all<{ id: string }>(
    "SELECT id FROM chat_sessions WHERE deleted_at IS NOT NULL",
  )
  for (const { id } of hidden) yield* removeUnreachable(tx, id)
}

function* removeParts(tx: Transaction, message: MessageRecord) {
  for (const part of yield* tx.parts(message.id)) detach(tx, message.session_id, part.id)
  tx.write("DELETE FROM chat_parts WHERE message_id = ?", message.id)
  tx.write(
    "DELETE FROM receipts WHERE session_id = ? AND message_id = ?",
    message.session_id,
    message.id,
  )
}

// The answer's text also stands in the stream of the turn that wrote it.
function removeTurnText(tx: Transaction, message: MessageRecord) {
  const turn_id = turnIdOf(message)
  if (turn_id !== undefined) restartStream(tx, turn_id)
}

// The turn in which it was said, or into which it was steered.
function turnIdOf({ metadata_json }: MessageRecord): string | undefined {
  const { turn_id, steered } = openJson(metadata_json)
  const id = turn_id ?? steered
  return typeof id === "string" ? id : undefined
}

// One number is left out: a reader who had heard everything stands before the new beginning too, and
// so learns that there is one.
function restartStream(tx: Transaction, id: string) {
  tx.write("DELETE FROM events WHERE stream_id = ?", id)
  tx.write("UPDATE streams SET first_seq = next_seq + 1, next_seq = next_seq + 1 WHERE id = ?", id)
  tx.write(
    "UPDATE chat_sessions SET first_event = next_event + 1, next_event = next_event + 1 WHERE id = ?",
    id,
  )
}
