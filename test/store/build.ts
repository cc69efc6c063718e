import { onTestFinished } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import type { ModelChoice } from "../../packages/core/message/message.ts"
import type {
  Session,
  StoredMessage,
  StreamEvent,
  Turn,
  Usage,
} from "../../packages/core/message/row.ts"
import type {
  Append,
  Appended,
  Claim,
  ExportRow,
  NewBlob,
  NewCapture,
  NewPart,
  NewSession,
  Store,
  TurnKey,
} from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"

/** How a store is opened over a folder, and how a test reaches behind it. */
export interface Maker {
  open(folder: string): Promise<Store>
  sql(folder: string, statement: string): Promise<void>
}

/** A store of its own for one test. */
export async function openStore(maker: Maker, folder?: string): Promise<Store> {
  const place = folder ?? (await temporaryFolder())
  const store = await maker.open(place)
  onTestFinished(() => store.close())
  return store
}

export const MODEL: ModelChoice = { provider_id: "scripted", model_id: "scripted" }
export const OWNER = "a test"
export const USAGE: Usage = { input: 1, output: 20, reasoning: 300, cache_read: 4, cache_write: 5 }
export const NOTHING_USED: Usage = {
  input: 0,
  output: 0,
  reasoning: 0,
  cache_read: 0,
  cache_write: 0,
}

export async function begin(store: Store, more: Partial<NewSession> = {}): Promise<Session> {
  const { session } = await store.createSession({
    id: newId("ses"),
    agent: "assistant",
    title: null,
    workspace_root: null,
    model: MODEL,
    metadata: {},
    ...more,
  })
  return session
}

export function textPart(text: string): NewPart {
  return {
    id: newId("prt"),
    type: "text",
    data_json: JSON.stringify({ type: "text", text }),
    blob: null,
  }
}

export function blobPart(blob: NewBlob): NewPart {
  const { content_id, size, mime } = blob
  const part = { type: "file-attachment", name: "a.bin", mime, size, content_id }
  return { id: newId("prt"), type: part.type, data_json: JSON.stringify(part), blob }
}

export function blobOf(letter: string, more: Partial<NewBlob> = {}): NewBlob {
  const mime = "application/octet-stream"
  return { content_id: `sha256:${letter.repeat(64)}`, size: 3, mime, stored: true, ...more }
}

export function captureOf(part_id: string, blob: NewBlob | null, note = "first"): NewCapture {
  return { part_id, blob, data_json: JSON.stringify({ part_id, note }) }
}

export function textMessage(session_id: string, text: string, more: Partial<Append> = {}): Append {
  return {
    session_id,
    message_id: newId("msg"),
    metadata: { schema_version: 1 },
    digest: text,
    parts: [textPart(text)],
    mode: "immediate",
    position: null,
    expected_turn_id: null,
    captures: [],
    title: null,
    owner: null,
    ...more,
  }
}

/** Append a message that nobody claims: it waits. */
export async function enqueue(
  store: Store,
  session_id: string,
  text: string,
  more: Partial<Append> = {},
): Promise<StoredMessage> {
  return (await store.append(textMessage(session_id, text, more))).message
}

/** Append a message and claim it: the session must be idle. */
export async function fire(
  store: Store,
  session_id: string,
  text: string,
  more: Partial<Append> = {},
): Promise<Appended & { readonly claim: Claim }> {
  const appended = await store.append(textMessage(session_id, text, { owner: OWNER, ...more }))
  if (!appended.claim) throw new Error(`${text} was not claimed`)
  return { ...appended, claim: appended.claim }
}

/** Record the request of a turn; gives the id of the answer's row. */
export async function ask(
  store: Store,
  turn: Turn,
  more: Partial<Parameters<Store["recordRequest"]>[0]> = {},
): Promise<string> {
  const message_id = newId("msg")
  await store.recordRequest({
    ...keyOf(turn),
    api: "scripted",
    capabilities_revision: "1",
    system_prompt: { digest: "sha256:system", body: "Be kind." },
    tool_catalog: { digest: "sha256:tools", body: "[]" },
    receipts: [],
    captures: [],
    answer: { message_id, metadata: { turn_id: turn.id } },
    ...more,
  })
  return message_id
}

export interface Ending {
  readonly state?: "finished" | "aborted" | "error"
  readonly usage?: Usage
  readonly owner?: string | null
}

/** End a turn that was asked, with one part of text. */
export async function finish(
  store: Store,
  turn: Turn,
  answer: { message_id: string; text: string; part_id?: string } | null,
  { state = "finished", usage = NOTHING_USED, owner = null }: Ending = {},
) {
  return store.endTurn({
    ...keyOf(turn),
    state,
    usage,
    error: state === "error" ? { code: "overloaded", message: "too much to do" } : null,
    answer: answer && {
      message_id: answer.message_id,
      metadata: { finish: state },
      parts: [answerPart(answer.text, answer.part_id)],
    },
    owner,
  })
}

/** One whole exchange. */
export async function exchange(store: Store, session_id: string, text: string, answer: string) {
  const { claim, message } = await fire(store, session_id, text)
  const message_id = await ask(store, claim.turn)
  await finish(store, claim.turn, { message_id, text: answer })
  return { question: message.id, answer: message_id, turn: claim.turn }
}

export function answerPart(text: string, id = newId("prt"), index = 0) {
  return { id, index, type: "text", data_json: JSON.stringify({ type: "text", text }) }
}

export function keyOf(turn: Turn): TurnKey {
  return { turn_id: turn.id, fence: turn.fence }
}

export function interruptionOf(turn: Turn, beat = 0, owner: string | null = "another") {
  return { ...keyOf(turn), beat, owner, refire: true }
}

export function wordsOf(message: StoredMessage | null | undefined): string {
  return message?.parts.map(({ data }) => data.text).join("") ?? ""
}

/** All of a session's history, as words. */
export async function saidIn(store: Store, session_id: string): Promise<string[]> {
  const { messages } = await store.history(session_id, { limit: 500 })
  return messages.map(wordsOf)
}

export async function waitingIn(store: Store, session_id: string): Promise<string[]> {
  return (await store.queue(session_id)).map(wordsOf)
}

export async function allEvents(store: Store, stream: string): Promise<StreamEvent[]> {
  const { first_seq } = await store.head(stream)
  return store.events(stream, first_seq, 10_000)
}

export async function exported(store: Store, session_id: string | null = null) {
  const rows: ExportRow[] = []
  for await (const row of store.exportRows(session_id)) rows.push(row)
  return rows
}
