import type { Segment } from "../../message/row.ts"
import type { RawMessage, RawPart } from "../store.ts"
import type { Statements } from "./transaction.ts"

type Row = Omit<RawMessage, "parts">
type PartRow = RawPart & { readonly message_id: string }

/** The messages of a path and their parts as they are stored: two statements for each segment, and
 *  nothing opened, because most of a long history is only passed on. */
export function rawHistory(statements: Statements, path: readonly Segment[]): RawMessage[] {
  return path.flatMap((segment) => rawSegment(statements, segment))
}

function rawSegment(statements: Statements, { owner, from, to }: Segment): RawMessage[] {
  const last = to ?? Number.MAX_SAFE_INTEGER
  const rows = statements.of(MESSAGES).all(owner, from, last) as Row[]
  const parts = statements.of(PARTS).all(owner, from, last) as PartRow[]
  let at = 0
  return rows.map((row) => {
    const own: RawPart[] = []
    for (let part = parts[at]; part?.message_id === row.id; part = parts[++at]) own.push(part)
    return { ...row, parts: own }
  })
}

const MESSAGES = `SELECT id, role, seq, created_at, metadata_json FROM chat_messages
  WHERE session_id = ? AND seq BETWEEN ? AND ? AND state = 'fired' ORDER BY seq`
const PARTS = `SELECT chat_parts.message_id, chat_parts.id, chat_parts.type, chat_parts.data_json
  FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
  WHERE chat_messages.session_id = ? AND chat_messages.seq BETWEEN ? AND ?
    AND chat_messages.state = 'fired'
  ORDER BY chat_messages.seq, chat_parts."index"`
