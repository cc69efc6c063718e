import type { Segment } from "compositor-core/message/row"
import type { RawMessage, RawPart } from "../../store.ts"
import type { Asking, Program } from "../program.ts"

type Row = Omit<RawMessage, "parts">
type PartRow = RawPart & { readonly message_id: string }

/** The messages of a path and their parts as they are stored: two statements for all segments, and
 *  nothing opened, because most of a long history is only passed on. */
export function* rawHistory(asking: Asking, path: readonly Segment[]): Program<RawMessage[]> {
  const spans = path.map(({ owner, from, to }) => [owner, from, to ?? Number.MAX_SAFE_INTEGER])
  const rows = yield* asking.each<Row>(MESSAGES, spans)
  const parts = yield* asking.each<PartRow>(PARTS, spans)
  return rows.flatMap((segment, at) => together(segment, parts[at] ?? []))
}

function together(rows: readonly Row[], parts: readonly PartRow[]): RawMessage[] {
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
