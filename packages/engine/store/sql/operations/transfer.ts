import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { readPart } from "compositor-core/parts/read-part"
import { definitionOf } from "compositor-core/parts/table"
import { Refusal } from "compositor-core/message/refusal"
import { readToolPart, type ToolPart } from "compositor-core/message/tool-part"
import type { ExportRow, Imported } from "../../store.ts"
import type { SessionRecord } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { WAITING } from "./claim.ts"
import { tellEntityAnew } from "./entities.ts"

/** Where each kind of line lives, and the order of its rows within a session. */
export const TABLES = {
  session: { table: "chat_sessions", order: "id" },
  message: { table: "chat_messages", order: "created_at, id" },
  part: { table: "chat_parts", order: '"index", id' },
  turn: { table: "turns", order: "fence" },
  receipt: { table: "receipts", order: "turn_id, part_id" },
  capture: { table: "captures", order: "part_id" },
  entity: { table: "entities", order: "session_id" },
  slash_command: { table: "slash_commands", order: "name, position, owner" },
  entity_row: { table: "entity_rows", order: "collection, key" },
  entity_effect: { table: "entity_effects", order: "wake, ordinal" },
  observation: { table: "observations", order: "observer, observed" },
  system_prompt: { table: "system_prompts", order: "digest" },
  blob: { table: "blobs", order: "content_id" },
} as const satisfies Record<ExportRow["type"], { table: string; order: string }>

/** Write exported rows as they stand. All or nothing: a row that is there already is a conflict. */
export function* importRows(
  tx: Transaction,
  input: { rows: ExportRow[]; lines?: readonly number[] },
): Program<Imported> {
  const columns = new Map<string, Columns>()
  const renamed: string[] = []
  for (const [at, given] of input.rows.entries()) {
    const row = yield* named(tx, given, renamed)
    const { table } = TABLES[row.type]
    const known = columns.get(table) ?? (yield* columnsOf(tx, table))
    columns.set(table, known)
    yield* insertRow(tx, { table, known, row, line: input.lines?.[at] ?? at + 1 })
    referBlobs(tx, row)
  }
  const sessions = input.rows.flatMap(({ type, data }) =>
    type === "session" ? [String(data.id)] : [],
  )
  const held: string[] = []
  for (const id of sessions) if (yield* hold(tx, id)) held.push(id)
  for (const id of sessions) yield* tellImported(tx, id)
  yield* observeAnew(tx, input.rows)
  return { rows: input.rows.length, held, renamed }
}

// Whose an entity was is not told, so that two of different owners may come with one name; and what
// is here already keeps its own.
function* named(tx: Transaction, row: ExportRow, renamed: string[]): Program<ExportRow> {
  if (row.type === "observation") return { ...row, data: { ...row.data, seen: 0 } }
  if (row.type !== "entity") return row
  const { type = null, name = null, session_id } = row.data
  const taken = yield* tx.get(
    "SELECT 1 FROM entities WHERE principal = '' AND type = ? AND name = ?",
    type,
    name,
  )
  if (!taken) return row
  const other = `${name}-${String(session_id).slice(-6)}`
  renamed.push(`/${type}/${other}`)
  return { ...row, data: { ...row.data, name: other } }
}

// Nothing that an import brought goes on by itself: a turn that ran elsewhere has ended here, and what
// waited waits until somebody lets it go. The rows stay as they came.
function* hold(tx: Transaction, session_id: string): Program<boolean> {
  tx.write(
    `UPDATE turns SET state = 'interrupted', ended_at = ?
     WHERE session_id = ? AND state IN ('running', 'retrying')`,
    tx.now,
    session_id,
  )
  const held = yield* tx.run(
    `UPDATE chat_sessions SET drain = 'held' WHERE id = ? AND EXISTS
       (SELECT 1 FROM chat_messages WHERE session_id = ? AND state IN ${WAITING} AND state <> 'paused')`,
    session_id,
    session_id,
  )
  return held > 0
}

/** The type of each column, by its name. */
type Columns = ReadonlyMap<string, string>

function* columnsOf(tx: Transaction, table: string): Program<Columns> {
  const rows = yield* tx.all<{ name: string; type: string }>(tx.words.columns, table)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

interface Insertion {
  readonly table: string
  readonly known: Columns
  readonly row: ExportRow
  readonly line: number
}

function* insertRow(tx: Transaction, { table, known, row, line }: Insertion): Program<void> {
  const names = Object.keys(row.data)
  const stranger = names.find((name) => !known.has(name))
  if (stranger !== undefined)
    throw new Refusal("invalid", `line ${line}: a ${row.type} has no column ${stranger}`)
  const unfit = names.find((name) => !fits(known.get(name), row.data[name]))
  if (unfit !== undefined)
    throw new Refusal(
      "invalid",
      `line ${line}: ${unfit} of a ${row.type} is no ${known.get(unfit)}`,
    )
  const shared = row.type === "blob" || row.type === "system_prompt"
  const list = names.map((name) => `"${name}"`).join(", ")
  const slots = names.map(() => "?").join(", ")
  try {
    yield* tx.run(
      `INSERT INTO ${table} (${list}) VALUES (${slots}) ${shared ? "ON CONFLICT DO NOTHING" : ""}`,
      ...Object.values(row.data),
    )
  } catch (error) {
    throw explain(error, row, line)
  }
}

// SQLite takes any value in any column; whoever reads it later does not.
function fits(type: string | undefined, value: string | number | null | undefined): boolean {
  if (value === null) return true
  if (type === "TEXT") return typeof value === "string"
  return type === "INTEGER" ? Number.isSafeInteger(value) : typeof value === "number"
}

function explain(error: unknown, row: ExportRow, line: number): unknown {
  const code = errorCode(error) ?? ""
  const name = `${row.type} ${row.data.id ?? ""}`.trim()
  if (TAKEN.test(code))
    return new Refusal("conflict", `line ${line}: ${name} is in this data folder already`)
  if (UNFIT.test(code))
    return new Refusal("invalid", `line ${line}: ${name} does not fit: ${errorMessage(error)}`)
  return error
}

// As SQLite calls them, and as PostgreSQL does.
const TAKEN = /PRIMARYKEY|UNIQUE|^23505$/
const UNFIT = /^SQLITE_CONSTRAINT|^2[23]...$/

function referBlobs(tx: Transaction, row: ExportRow) {
  for (const content_id of contentsOf(row))
    tx.write(
      `INSERT INTO blob_references (session_id, part_id, content_id) VALUES (?, ?, ?)
       ON CONFLICT DO NOTHING`,
      row.data.session_id ?? null,
      (row.type === "part" ? row.data.id : row.data.part_id) ?? null,
      content_id,
    )
}

function contentsOf(row: ExportRow): string[] {
  if (row.type === "capture") return row.data.content_id ? [String(row.data.content_id)] : []
  if (row.type !== "part") return []
  const data: unknown = JSON.parse(String(row.data.data_json))
  const part = readPart(data)
  const [content_id] = definitionOf(part).blobs(part)
  return content_id === undefined ? shownIn(readToolPart(data)) : [content_id]
}

/** The media that a tool showed the model. */
function shownIn(call: ToolPart | undefined): string[] {
  return (call?.output?.blocks ?? []).flatMap(({ media }) => {
    const { content_id } = (media ?? {}) as { content_id?: unknown }
    return typeof content_id === "string" ? [content_id] : []
  })
}

function* tellImported(tx: Transaction, id: string) {
  const record = yield* tx.get<SessionRecord>("SELECT * FROM chat_sessions WHERE id = ?", id)
  if (!record || record.deleted_at !== null) return
  tx.tellSession(record, "insert")
  yield* tellEntityAnew(tx, id)
}

/** Who observes another is told of what happens from now on; the import itself is no news. */
function* observeAnew(tx: Transaction, rows: readonly ExportRow[]): Program<void> {
  for (const { type, data } of rows) {
    if (type !== "observation") continue
    const { observer = null, observed = null } = data
    const { next_event } = yield* tx.session(String(observed))
    tx.write(
      "UPDATE observations SET seen = ? WHERE observer = ? AND observed = ?",
      next_event + tx.told(String(observed)),
      observer,
      observed,
    )
  }
}
