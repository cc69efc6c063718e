import type { ExportRow } from "../store.ts"
import type { Connection } from "./connection.ts"
import { isBranch, type Standalone, standalone } from "./export-branch.ts"
import { TABLES } from "./operations/transfer.ts"

type Row = ExportRow["data"]
type Select = (type: ExportRow["type"], where: string, ...values: (string | number)[]) => Row[]

/** The folder's rows in the documented order: each session, its messages by time each followed by
 *  its parts, then what its turns left; after the sessions what they share (DBG-002). One session alone
 *  carries what it inherited as rows of its own. */
export function* exportRows(
  connection: Connection,
  session_id: string | null,
): Iterable<ExportRow> {
  const select: Select = (type, where, ...values) =>
    connection
      .prepare(`SELECT * FROM ${TABLES[type].table} WHERE ${where} ORDER BY ${TABLES[type].order}`)
      .all(...values) as Row[]
  if (session_id !== null) return yield* oneSession(select, session_id)
  for (const session of select("session", "true")) yield* rowsOf(select, plain(select, session))
  for (const data of select("system_prompt", "true")) yield { type: "system_prompt", data }
  for (const data of select("blob", "true")) yield { type: "blob", data }
}

function* oneSession(select: Select, session_id: string): Iterable<ExportRow> {
  const [session] = select("session", "id = ?", session_id)
  if (!session) return
  const rows = isBranch(session) ? branch(select, session) : plain(select, session)
  yield* rowsOf(select, rows)
  yield* shared(select, session_id, rows.copied_parts)
}

function* rowsOf(select: Select, rows: Standalone): Iterable<ExportRow> {
  yield { type: "session", data: withoutHost(rows.session) }
  for (const message of rows.messages) {
    yield { type: "message", data: message }
    for (const part of rows.partsOf(message)) yield { type: "part", data: part }
  }
  for (const type of ["turn", "receipt"] as const)
    for (const data of select(type, "session_id = ?", String(rows.session.id))) yield { type, data }
  for (const data of rows.captures) yield { type: "capture", data }
}

function plain(select: Select, session: Row): Standalone {
  const id = String(session.id)
  return {
    session,
    messages: select("message", "session_id = ?", id),
    partsOf: (message) => select("part", "message_id = ?", String(message.id)),
    captures: select("capture", "session_id = ?", id),
    copied_parts: [],
  }
}

function branch(select: Select, session: Row): Standalone {
  return standalone(
    {
      fired: ({ owner, from, to }) =>
        select(
          "message",
          "session_id = ? AND seq BETWEEN ? AND ? AND state = 'fired'",
          owner,
          from,
          to ?? Number.MAX_SAFE_INTEGER,
        ).sort((one, other) => Number(one.seq) - Number(other.seq)),
      messages: (id) => select("message", "session_id = ?", id),
      parts: (id) => select("part", "message_id = ?", id),
      captures: (id) => select("capture", "session_id = ?", id),
      capture: (part_id) => select("capture", "part_id = ?", part_id)[0],
    },
    session,
  )
}

// An imported session begins a stream of its own, and whether its queue moves is for its new host.
function withoutHost({ first_event: _first, next_event: _next, drain: _drain, ...session }: Row) {
  return session
}

function* shared(
  select: Select,
  session_id: string,
  copied_parts: readonly string[],
): Iterable<ExportRow> {
  const prompts = `digest IN (SELECT system_prompt_digest FROM turns WHERE session_id = ?)
    OR digest IN (SELECT tool_catalog_digest FROM turns WHERE session_id = ?)`
  for (const data of select("system_prompt", prompts, session_id, session_id))
    yield { type: "system_prompt", data }
  const blobs = `content_id IN (SELECT content_id FROM blob_references
    WHERE session_id = ? OR part_id IN (SELECT value FROM json_each(?)))`
  for (const data of select("blob", blobs, session_id, JSON.stringify(copied_parts)))
    yield { type: "blob", data }
}
