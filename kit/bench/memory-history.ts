import { newId } from "../../packages/core/message/id.ts"
import type { ExportRow, Store } from "../../packages/engine/store/store.ts"

const MESSAGE_BYTES = 50 * 1024
const AT_ONCE = 200

/** A session with so many bytes of messages that were said, written as an import writes them. */
export async function longSession(store: Store, bytes: number): Promise<string> {
  const id = newId("ses")
  const model = { provider_id: "scripted", model_id: "scripted" }
  const about = { agent: "assistant", title: null, workspace_root: null, metadata: {} }
  await store.createSession({ id, model, ...about })
  const session = await sessionRow(store, id)
  await store.deleteSession({ session_id: id, cascade: false })
  const count = Math.ceil(bytes / MESSAGE_BYTES)
  const data = { ...session.data, next_seq: count + 1 }
  await store.importRows({ rows: [{ type: "session", data }] })
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, more) => at + more)
    await store.importRows({ rows: some.flatMap((seq) => messageRows(id, seq)) })
  }
  return id
}

async function sessionRow(store: Store, id: string): Promise<ExportRow> {
  for await (const row of store.exportRows(id) as unknown as AsyncIterable<ExportRow>)
    if (row.type === "session") return row
  throw new Error(`session ${id} is not there`)
}

function messageRows(session_id: string, at: number): ExportRow[] {
  const [id, part] = [newId("msg"), newId("prt")]
  const when = { created_at: at, updated_at: at }
  const role = at % 2 === 0 ? "user" : "assistant"
  const message = { id, session_id, role, metadata_json: "{}", state: "fired", seq: at + 1 }
  const text = `message ${at} `.repeat(Math.ceil(MESSAGE_BYTES / `message ${at} `.length))
  const data_json = JSON.stringify({ type: "text", text })
  const about = { id: part, message_id: id, session_id, index: 0, type: "text", data_json }
  return [
    { type: "message", data: { ...message, ...when } },
    { type: "part", data: { ...about, ...when } },
  ]
}
