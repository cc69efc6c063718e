import { Refusal } from "compositor-core/message/refusal"
import type { NewBlob, NewCapture, NewUpload } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"

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
