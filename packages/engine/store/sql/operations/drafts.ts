import { MAX_PARTS } from "compositor-core/message/limits"
import { Refusal } from "compositor-core/message/refusal"
import type { DraftRecord, DraftAttachment, DraftSave, DraftSaved } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"

const MAX_STASHED = 50

/** One row, overwritten: what was typed and deleted again is gone (BEY-10). The stream only tells
 *  that there is a newer draft, and by whom. */
export function* saveDraft(tx: Transaction, input: DraftSave): Program<DraftSaved> {
  yield* tx.session(input.session_id)
  const current = yield* tx.get<DraftRecord>(
    "SELECT * FROM drafts WHERE session_id = ?",
    input.session_id,
  )
  if (current && current.revision !== input.base_revision) return stash(tx, input, current)
  return { type: "saved", ...write(tx, input, current) }
}

/** One commit reads and writes, so that what is being typed meanwhile is neither lost nor stashed by
 *  this. */
export function* attachToDraft(
  tx: Transaction,
  { session_id, part_json, updated_by }: DraftAttachment,
): Program<{ revision: number; txid: string }> {
  yield* tx.session(session_id)
  const current = yield* tx.get<DraftRecord>(
    "SELECT * FROM drafts WHERE session_id = ?",
    session_id,
  )
  const draft: { attachments?: readonly unknown[] } = current
    ? JSON.parse(current.body_json)
    : { source: "" }
  const { attachments = [] } = draft
  if (attachments.length >= MAX_PARTS)
    throw new Refusal("too_large", `the draft holds ${attachments.length} attachments already`)
  const body = { ...draft, attachments: [...attachments, JSON.parse(part_json)] }
  return write(tx, { session_id, body_json: JSON.stringify(body), updated_by }, current)
}

type Written = Pick<DraftSave, "session_id" | "body_json" | "updated_by">

function write(tx: Transaction, input: Written, current: DraftRecord | undefined) {
  const revision = (current?.revision ?? 0) + 1
  tx.write(
    `INSERT INTO drafts (session_id, revision, body_json, updated_by, updated_at)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET revision = excluded.revision,
       body_json = excluded.body_json, updated_by = excluded.updated_by,
       updated_at = excluded.updated_at`,
    input.session_id,
    revision,
    input.body_json,
    input.updated_by,
    tx.now,
  )
  const told = JSON.stringify({ revision, updated_by: input.updated_by })
  tx.tell(input.session_id, "draft", input.session_id, "update", told)
  return { revision, txid: tx.txid }
}

function stash(tx: Transaction, input: DraftSave, current: DraftRecord): DraftSaved {
  if (input.body_json === current.body_json) return { type: "stashed", current }
  tx.write(
    `INSERT INTO stashed_drafts (session_id, body_json, updated_by, stashed_at)
     VALUES (?, ?, ?, ?)`,
    input.session_id,
    input.body_json,
    input.updated_by,
    tx.now,
  )
  tx.write(
    `DELETE FROM stashed_drafts WHERE session_id = ? AND id NOT IN
       (SELECT id FROM stashed_drafts WHERE session_id = ? ORDER BY id DESC LIMIT ${MAX_STASHED})`,
    input.session_id,
    input.session_id,
  )
  return { type: "stashed", current }
}
