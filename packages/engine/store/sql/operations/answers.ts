import type { Delta, Metadata } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import { toolNameOf } from "compositor-core/message/tool-part"
import type { StepAnswer, PartUpsert } from "../../store.ts"
import type { EventsRecord, MessageRecord, PartRecord, SessionRecord, TurnRecord } from "../rows.ts"
import { type Program, together } from "../program.ts"
import { inSession, type Transaction } from "../transaction.ts"
import { attach, insertPart, writeMessage } from "./messages.ts"

/** `session` is the turn's, as it is in this transaction. */
export function openAnswer(
  tx: Transaction,
  session: SessionRecord,
  answer: { message_id: string; metadata: Metadata },
) {
  const created_at = Math.max(tx.now, session.last_created_at)
  const record: MessageRecord = {
    id: answer.message_id,
    session_id: session.id,
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
  writeMessage(tx, record)
  tx.write(
    "UPDATE chat_sessions SET next_seq = next_seq + 1, last_created_at = ? WHERE id = ?",
    created_at,
    session.id,
  )
  tx.tellMessage(record, "insert")
}

export function* closeAnswer(tx: Transaction, turn: TurnRecord, answer: StepAnswer): Program<void> {
  yield* changeAnswer(tx, turn, { answer, before: yield* answerBefore(tx, answer) })
}

/** What an answer is before it changes. */
interface AnswerBefore {
  readonly parts: readonly PartRecord[]
  readonly message: MessageRecord | undefined
}

/** Asked for without its turn, so that it can be asked for together with that. */
export function* answerBefore(tx: Transaction, answer: StepAnswer): Program<AnswerBefore> {
  const [parts, message] = yield* together(
    partsOf(tx, answer.parts),
    tx.messageAnywhere(answer.message_id),
  )
  return { parts, message }
}

export function* changeAnswer(
  tx: Transaction,
  { session_id }: TurnRecord,
  { answer, before }: { answer: StepAnswer; before: AnswerBefore },
): Program<void> {
  const { message_id, parts, metadata } = answer
  const message = inSession(session_id, message_id, before.message)
  yield* writeParts(tx, { session_id, message_id, parts, known: before.parts })
  changeMetadata(tx, message, metadata)
}

/** Parts of an answer as they are now: those that changed are written, and told of. */
export function* upsertParts(
  tx: Transaction,
  answer: { session_id: string; message_id: string; parts: readonly PartUpsert[] },
): Program<void> {
  yield* writeParts(tx, { ...answer, known: yield* partsOf(tx, answer.parts) })
}

export function* partsOf(tx: Transaction, parts: readonly PartUpsert[]): Program<PartRecord[]> {
  const found = yield* tx.each<PartRecord>(
    "SELECT * FROM chat_parts WHERE id = ?",
    parts.map(({ id }) => [id]),
  )
  return found.flat()
}

interface PartWrites {
  readonly session_id: string
  readonly message_id: string
  readonly parts: readonly PartUpsert[]
  readonly known: readonly PartRecord[]
}

export function* writeParts(tx: Transaction, writes: PartWrites): Program<void> {
  const { session_id, message_id, parts } = writes
  const known = new Map(writes.known.map((part) => [part.id, part]))
  for (const part of parts) {
    const record = yield* writePart(tx, { session_id, message_id, part, known: known.get(part.id) })
    if (record) known.set(part.id, record)
  }
}

/** The turn's last answer, if the model had not said all of it. */
export function* unfinishedAnswer(
  tx: Transaction,
  turn: TurnRecord,
): Program<MessageRecord | undefined> {
  if (turn.answer_id === null) return undefined
  const answer = yield* tx.message(turn.session_id, turn.answer_id)
  return openJson(answer.metadata_json).finish === undefined ? answer : undefined
}

// Deltas that came after the part's last row are folded into it: what was told stays told.
export function* freezeAnswer(
  tx: Transaction,
  turn: TurnRecord,
  frozen: { answer: MessageRecord; superseded: boolean; finish: string },
) {
  const { answer, superseded, finish } = frozen
  const rows = new Map((yield* tx.parts(answer.id)).map((part) => [part.id, part]))
  const deltas = [...(yield* foldDeltas(tx, turn.id, answer.id))]
  const parts = deltas
    .filter((delta) => !isWhole(rows.get(delta.part_id), delta))
    .map((delta) => partOfDelta(delta))
  yield* upsertParts(tx, { session_id: turn.session_id, message_id: answer.id, parts })
  changeMetadata(tx, answer, { finish, ...(superseded ? { superseded: true } : {}) })
}

// The row of a part that was said to its end holds more than its text.
function isWhole(row: PartRecord | undefined, { text }: Delta): boolean {
  if (!row) return false
  if (row.tool_state !== null) return row.tool_state !== "input-streaming"
  const said: unknown = JSON.parse(row.data_json).text
  return typeof said === "string" && said.length >= text.length
}

interface PartWrite {
  readonly session_id: string
  readonly message_id: string
  readonly part: PartUpsert
  readonly known: PartRecord | undefined
}

function* writePart(tx: Transaction, write: PartWrite): Program<PartRecord | undefined> {
  const { session_id, message_id, part, known } = write
  if (known?.data_json === part.data_json) return undefined
  const record: PartRecord = {
    id: part.id,
    message_id,
    session_id,
    index: part.index,
    type: part.type,
    data_json: part.data_json,
    tool_call_id: part.tool_call_id ?? null,
    tool_state: part.tool_state ?? null,
    created_at: known?.created_at ?? tx.now,
    updated_at: tx.now,
  }
  if (known)
    tx.write(
      "UPDATE chat_parts SET data_json = ?, tool_state = ?, updated_at = ? WHERE id = ?",
      part.data_json,
      record.tool_state,
      tx.now,
      part.id,
    )
  else insertPart(tx, record)
  for (const blob of part.blobs ?? []) yield* attach(tx, session_id, part.id, blob)
  tx.tellPart(record, known ? "update" : "insert")
  return record
}

/** Add to what a message's metadata say. */
export function changeMetadata(tx: Transaction, record: MessageRecord, metadata: Metadata) {
  const changed: MessageRecord = {
    ...record,
    metadata_json: JSON.stringify({ ...openJson(record.metadata_json), ...metadata }),
    updated_at: tx.now,
  }
  tx.write(
    "UPDATE chat_messages SET metadata_json = ?, updated_at = ? WHERE id = ?",
    changed.metadata_json,
    tx.now,
    record.id,
  )
  tx.tellMessage(changed)
}

function* foldDeltas(
  tx: Transaction,
  stream: string,
  message_id: string,
): Program<Iterable<Delta>> {
  const folded = new Map<string, Delta>()
  for (const delta of yield* deltasOf(tx, stream)) {
    if (delta.message_id !== message_id) continue
    const before = folded.get(delta.part_id)?.text ?? ""
    folded.set(delta.part_id, { ...delta, text: before.slice(0, delta.offset) + delta.text })
  }
  return folded.values()
}

function partOfDelta(delta: Delta): PartUpsert {
  const { part_id: id, part_index: index, part_type: type, tool_call_id, text } = delta
  if (toolNameOf(type) === undefined || tool_call_id === undefined)
    return { id, index, type, data_json: JSON.stringify({ type, text }) }
  const state = "input-streaming"
  const data_json = JSON.stringify({ type, tool_call_id, state, input_text: text })
  return { id, index, type, data_json, tool_call_id, tool_state: state }
}

function* deltasOf(tx: Transaction, stream: string): Program<Delta[]> {
  return (yield* tx.all<EventsRecord>(
    "SELECT * FROM events WHERE stream_id = ? ORDER BY seq",
    stream,
  ))
    .flatMap((record): { value: Delta }[] => JSON.parse(record.body_json))
    .map((event) => event.value)
}
