// Messages that wait, for tests that edit them.

import type { Server } from "./product.ts"

// oxlint-disable-next-line typescript/no-explicit-any
export type Row = any

/** A session in which whatever is sent waits behind a paused message. */
export async function heldSession(server: Server): Promise<string> {
  const session = await server.session()
  await server.send(session, "the head", { mode: "paused" })
  return session
}

/** Send a body and give the message that waits. */
export async function sendWaiting(server: Server, session: string, body: object): Promise<Row> {
  const reply = await server.post(`/v1/sessions/${session}/messages`, { ...body, mode: "queued" })
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
  return reply.json.message
}

export async function waiting(server: Server, session: string): Promise<Row[]> {
  return (await server.get(`/v1/sessions/${session}/queue`)).json.queue
}

export async function waitingMessage(server: Server, session: string, id: string): Promise<Row> {
  return (await waiting(server, session)).find((message) => message.id === id)
}

/** The words that send a message to wait which came by a pipe and with a reference. */
export function pipedWords(session: string): string[] {
  const words = "send queued -r src/foo.ts#L3-4 --no-wait --mode queued -s"
  return [...words.split(" "), session]
}

/** What a message says, part by part, with the ids by which others know them. */
export function partsOf(message: Row): Row[] {
  return message.parts.map(({ id, type, data }: Row) => ({ id, type, data }))
}

/** The same without the ids: a message that is sent again has new ones. */
export function dataOf(message: Row): Row[] {
  return message.parts.map(({ data }: Row) => data)
}

/** A message as no composer makes it: text, a file, text with indented code, a context, an unknown part,
 *  text that touches text, carriage returns, and words that look like commands and references. */
export const FOREIGN_PARTS: readonly object[] = [
  { type: "editor-context", kind: "selection", payload: { text: "a  b" }, emitted_at: 7 },
  { type: "text", text: "fix this:\n\ndef f():\n    if x:\n        return 1\n" },
  { type: "file-attachment", name: "a.txt", mime: "text/plain", data: "aGVsbG8=" },
  { type: "text", text: "  after the file, /clear and @a.ts are words  " },
  { type: "quote", session_id: "ses_x", message_id: "msg_x", text: "quoted" },
  { type: "ticket-ref", id: 42, nested: { deep: [1, null, "two"] } },
  { type: "text", text: "the last one" },
  { type: "text", text: "touches it\r\nand has returns" },
  { type: "file-ref", ref: { kind: "path", path: "src/foo.ts", range: { start: 3, end: 4 } } },
]
