import type { ExportRow } from "../store.ts"
import type { Connection } from "./connection.ts"
import { TABLES } from "./operations/transfer.ts"

type Row = ExportRow["data"]

/** The folder's rows in the documented order: each session, its messages by time each followed by
 *  its parts, then what its turns left; after the sessions what they share (DBG-002). */
export function* exportRows(
  connection: Connection,
  session_id: string | null,
): Iterable<ExportRow> {
  const select = (type: ExportRow["type"], where: string, ...values: string[]) =>
    connection
      .prepare(`SELECT * FROM ${TABLES[type].table} WHERE ${where} ORDER BY ${TABLES[type].order}`)
      .all(...values) as Row[]
  const sessions =
    session_id === null ? select("session", "true") : select("session", "id = ?", session_id)
  for (const session of sessions) {
    yield { type: "session", data: withoutStream(session) }
    const id = String(session.id)
    for (const message of select("message", "session_id = ?", id)) {
      yield { type: "message", data: message }
      for (const part of select("part", "message_id = ?", String(message.id)))
        yield { type: "part", data: part }
    }
    for (const type of ["turn", "receipt", "capture"] as const)
      for (const data of select(type, "session_id = ?", id)) yield { type, data }
  }
  yield* shared(select, session_id)
}

// A stream is not carried along: an imported session begins its own.
function withoutStream({ first_event: _first, next_event: _next, ...session }: Row): Row {
  return session
}

function* shared(
  select: (type: ExportRow["type"], where: string, ...values: string[]) => Row[],
  session_id: string | null,
): Iterable<ExportRow> {
  const prompts = `digest IN (SELECT system_prompt_digest FROM turns WHERE session_id = ?)
    OR digest IN (SELECT tool_catalog_digest FROM turns WHERE session_id = ?)`
  const blobs = "content_id IN (SELECT content_id FROM blob_references WHERE session_id = ?)"
  const all = session_id === null
  for (const data of all
    ? select("system_prompt", "true")
    : select("system_prompt", prompts, session_id, session_id))
    yield { type: "system_prompt", data }
  for (const data of all ? select("blob", "true") : select("blob", blobs, session_id))
    yield { type: "blob", data }
}
