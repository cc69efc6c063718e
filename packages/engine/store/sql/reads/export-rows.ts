import type { ExportRow } from "../../store.ts"
import { TABLES } from "../operations/transfer.ts"
import type { SqlReader, StatementOutcome, Program, Statement, Value } from "../program.ts"
import { isBranch, type Standalone, standalone } from "./export-branch.ts"

type Row = ExportRow["data"]
type Select = (type: ExportRow["type"], where: string, ...values: Value[]) => Program<Row[]>

/** A program that gives rows as it goes, because all of them together may be more than memory holds. */
export type Listing = Generator<readonly Statement[] | ExportRow, void, readonly StatementOutcome[]>

/** The folder's rows in the documented order: each session, its messages by time each followed by
 *  its parts, then what its turns left; after the sessions what they share (DBG-002). One session alone
 *  carries what it inherited as rows of its own. */
export function* exportRows(asking: SqlReader, session_id: string | null): Listing {
  const select: Select = (type, where, ...values) => {
    const { table, order } = TABLES[type]
    return asking.all<Row>(`SELECT * FROM ${table} WHERE ${where} ORDER BY ${order}`, ...values)
  }
  if (session_id !== null) return yield* oneSession(asking, select, session_id)
  for (const session of yield* select("session", "true"))
    yield* rowsOf(select, yield* plain(select, session))
  for (const { seen: _, ...data } of yield* select("observation", "true"))
    yield { type: "observation", data }
  for (const data of yield* select("system_prompt", "true")) yield { type: "system_prompt", data }
  for (const data of yield* select("blob", "true")) yield { type: "blob", data }
}

function* oneSession(asking: SqlReader, select: Select, session_id: string): Listing {
  const [session] = yield* select("session", "id = ?", session_id)
  if (!session) return
  const rows = isBranch(session) ? yield* branch(select, session) : yield* plain(select, session)
  yield* rowsOf(select, rows)
  yield* shared(asking, select, { session_id, copied_parts: rows.copied_parts })
}

function* rowsOf(select: Select, rows: Standalone): Listing {
  yield { type: "session", data: withoutHost(rows.session) }
  for (const message of rows.messages) {
    yield { type: "message", data: message }
    for (const part of yield* rows.partsOf(message)) yield { type: "part", data: part }
  }
  for (const type of ["turn", "receipt"] as const)
    for (const data of yield* select(type, "session_id = ?", String(rows.session.id)))
      yield { type, data }
  for (const data of rows.captures) yield { type: "capture", data }
  yield* entityRows(select, String(rows.session.id))
}

/** What a session is as an entity. Whom it observes stands behind all sessions, and is left out of one
 *  alone. */
function* entityRows(select: Select, session_id: string): Listing {
  for (const { principal: _, ...data } of yield* select("entity", "session_id = ?", session_id))
    yield { type: "entity", data }
  for (const type of ["slash_command", "entity_row", "entity_effect"] as const)
    for (const data of yield* select(type, "session_id = ?", session_id)) yield { type, data }
}

function* plain(select: Select, session: Row): Program<Standalone> {
  const id = String(session.id)
  return {
    session,
    messages: yield* select("message", "session_id = ?", id),
    partsOf: (message) => select("part", "message_id = ?", String(message.id)),
    captures: yield* select("capture", "session_id = ?", id),
    copied_parts: [],
  }
}

function branch(select: Select, session: Row): Program<Standalone> {
  return standalone(
    {
      *fired({ owner, from, to }) {
        const found = yield* select(
          "message",
          "session_id = ? AND seq BETWEEN ? AND ? AND state = 'fired'",
          owner,
          from,
          to ?? Number.MAX_SAFE_INTEGER,
        )
        return found.sort((one, other) => Number(one.seq) - Number(other.seq))
      },
      messages: (id) => select("message", "session_id = ?", id),
      parts: (id) => select("part", "message_id = ?", id),
      captures: (id) => select("capture", "session_id = ?", id),
      *capture(part_id) {
        const [capture] = yield* select("capture", "part_id = ?", part_id)
        return capture
      },
    },
    session,
  )
}

// An imported session begins a stream of its own; whether its queue moves, and whose it is, is for its
// new host.
function withoutHost(row: Row): Row {
  const { first_event: _first, next_event: _next, drain: _drain, principal: _, ...session } = row
  return session
}

interface Shared {
  readonly session_id: string
  readonly copied_parts: readonly string[]
}

function* shared(asking: SqlReader, select: Select, { session_id, copied_parts }: Shared): Listing {
  const prompts = `digest IN (SELECT system_prompt_digest FROM turns WHERE session_id = ?)
    OR digest IN (SELECT tool_catalog_digest FROM turns WHERE session_id = ?)`
  for (const data of yield* select("system_prompt", prompts, session_id, session_id))
    yield { type: "system_prompt", data }
  const own = yield* asking.all<Named>(
    "SELECT DISTINCT content_id FROM blob_references WHERE session_id = ?",
    session_id,
  )
  const copied = yield* asking.each<Named>(
    "SELECT content_id FROM blob_references WHERE part_id = ?",
    copied_parts.map((id) => [id]),
  )
  const ids = new Set([...own, ...copied.flat()].map(({ content_id }) => content_id))
  for (const id of [...ids].sort())
    for (const data of yield* select("blob", "content_id = ?", id)) yield { type: "blob", data }
}

interface Named {
  readonly content_id: string
}
