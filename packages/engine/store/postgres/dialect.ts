import type { Value, SqlWords } from "../sql/program.ts"

/** The number under which the database knows what becomes of a transaction. */
const XID = "CAST(pg_current_xact_id() AS TEXT) AS xid"
export const ASK_XID = `SELECT ${XID}`

/** What PostgreSQL says in words of its own.
 *
 *  JSON is kept as text: jsonb would give back other bytes than were stored, which digests, exports and
 *  the prompt's prefix need, and it refuses what JSON may hold (\u0000, half a surrogate pair). Where
 *  a statement looks into it, such escapes are left out first. Paths are made by the house alone:
 *  those are searched as jsonb. */
export const WORDS: SqlWords = {
  columns: `SELECT column_name AS name, CASE data_type WHEN 'bigint' THEN 'INTEGER'
      WHEN 'double precision' THEN 'REAL' ELSE 'TEXT' END AS type
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?`,
  field,
  isTrue: (column, key) => `coalesce(${field(column, key)} = 'true', false)`,
  hide: `left(rtrim(metadata_json), -1) || CASE WHEN metadata_json = '{}' THEN '' ELSE ',' END
    || '"hidden_at":' || CAST(? AS BIGINT) || '}'`,
  show: `regexp_replace(metadata_json, ',"hidden_at":[0-9]+|"hidden_at":[0-9]+,{0,1}', '')`,
  reads: `parent_id IS NOT NULL AND CAST(path_json AS JSONB)
    @> jsonb_build_array(jsonb_build_object('owner', CAST(? AS TEXT)))`,
  // Only columns of the locked row itself: of others it would tell what they were before it waited.
  own: {
    session: `SELECT *, ${XID} FROM chat_sessions WHERE id = ? FOR UPDATE`,
    session_of: `SELECT * FROM chat_sessions
      WHERE id = (SELECT session_id FROM turns WHERE id = ?) FOR UPDATE`,
    turn: `SELECT *, ${XID} FROM turns WHERE id = ? FOR UPDATE`,
  },
  numbersInOne: true,
}

const UNREADABLE = String.raw`'(\\\\)|\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})'`

function field(column: string, key: string): string {
  const readable = String.raw`regexp_replace(${column}, ${UNREADABLE}, '\1', 'g')`
  return `CASE WHEN ${column} LIKE '%"${key}"%' THEN CAST(${readable} AS JSON) ->> '${key}' END`
}

interface PreparedStatement {
  readonly name: string
  readonly text: string
}

const prepared = new Map<string, PreparedStatement>()

/** A statement under a name, with numbered places in the stead of question marks. */
export function prepare(sql: string): PreparedStatement {
  const known = prepared.get(sql)
  if (known) return known
  const text = numberPlaceholders(sql, (place) => `$${place + 1}`)
  const made = { name: `c${prepared.size}`, text }
  prepared.set(sql, made)
  return made
}

export function numberPlaceholders(sql: string, instead: (place: number) => string): string {
  let place = 0
  return sql.replace(QUOTED_OR_PLACE, (found) => (found === "?" ? instead(place++) : found))
}

const QUOTED_OR_PLACE = /'(?:[^']|'')*'|\?/g

/** Text in PostgreSQL holds every character but this one. */
export function sendable(value: Value): Value {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value
}
