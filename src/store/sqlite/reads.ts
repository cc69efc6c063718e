import { Refusal } from "../../message/refusal.ts"
import type { Segment, Session, StoredMessage, StreamEvent, Turn } from "../../message/row.ts"
import type {
  Canonical,
  Draft,
  ExportRow,
  HistoryPage,
  LiveTurn,
  RawMessage,
  Reads,
  SessionFilter,
  StashedDraft,
  StoredCapture,
  StoredReceipt,
} from "../store.ts"
import type { StreamFound, StreamPage } from "../../stream/stream.ts"
import type { Connection } from "./connection.ts"
import { exportRows } from "./export-rows.ts"
import { LIVE, WAITING } from "./operations/claim.ts"
import { rawHistory } from "./raw-history.ts"
import {
  type MessageRecord,
  messageOf,
  type PartRecord,
  type SessionRecord,
  sessionOf,
} from "./rows.ts"
import { DurableReads } from "./durable-reads.ts"
import { StreamReads } from "./stream-reads.ts"
import { Statements } from "./transaction.ts"
import { TurnReads } from "./turn-reads.ts"

type Value = string | number | null

/** Reads on a connection of their own, each a short look that ends before it returns. */
export class SqliteReads implements Reads {
  readonly #connection: Connection
  readonly #statements: Statements
  readonly #streams: StreamReads
  readonly #turns: TurnReads
  readonly #durable: DurableReads

  constructor(connection: Connection) {
    this.#connection = connection
    this.#statements = new Statements(connection)
    this.#streams = new StreamReads(this.#statements)
    this.#turns = new TurnReads(this.#statements)
    this.#durable = new DurableReads(this.#statements)
  }

  session(id: string): Session | null {
    const record = this.#session(id)
    return record ? sessionOf(record) : null
  }

  sessions(filter: SessionFilter): Session[] {
    const before = filter.before === undefined ? undefined : this.#session(filter.before)
    return this.#all<SessionRecord>(
      `SELECT * FROM chat_sessions
       WHERE deleted_at IS NULL AND (? OR archived_at IS NULL)
         AND (json_extract(metadata_json, '$.ephemeral') IS 1) IN (?, ?)
         AND (updated_at, id) < (?, ?)
       ORDER BY updated_at DESC, id DESC LIMIT ?`,
      filter.archived ? 1 : 0,
      filter.ephemeral === "only" ? 1 : 0,
      filter.ephemeral ? 1 : 0,
      before?.updated_at ?? Number.MAX_SAFE_INTEGER,
      before?.id ?? "",
      filter.limit,
    ).map(sessionOf)
  }

  message(session_id: string, message_id: string): StoredMessage | null {
    const record = this.#get<MessageRecord>("SELECT * FROM chat_messages WHERE id = ?", message_id)
    if (!record || !this.#session(session_id)) return null
    if (record.session_id !== session_id && !this.#onPath(session_id, record)) return null
    return this.#withParts([record])[0] ?? null
  }

  history(session_id: string, page: { limit: number; before?: string | undefined }): HistoryPage {
    // One snapshot for the page and the offset from which its reader follows the stream.
    return this.#snapshot(() => {
      const session = this.#existing(session_id)
      const records = this.#newestFirst(pathOf(session), page.limit + 1, cursorOf(page.before))
      const shown = records.slice(0, page.limit).toReversed()
      const oldest = shown[0]
      return {
        messages: this.#withParts(shown),
        next: records.length > page.limit && oldest ? `${oldest.session_id}:${oldest.seq}` : null,
        stream_next_offset: this.head(session_id).next_seq,
      }
    })
  }

  historyAfter(session_id: string, after: number): StoredMessage[] {
    const records = this.#all<MessageRecord>(
      `SELECT * FROM chat_messages WHERE session_id = ? AND seq > ? AND state = 'fired'
       ORDER BY seq`,
      session_id,
      after,
    )
    return this.#withParts(records)
  }

  rawHistory(session_id: string, after?: number): RawMessage[] {
    const path =
      after === undefined
        ? pathOf(this.#existing(session_id))
        : [{ owner: session_id, from: after + 1, to: null }]
    return rawHistory(this.#statements, path)
  }

  queue(session_id: string): StoredMessage[] {
    this.#existing(session_id)
    const records = this.#all<MessageRecord>(
      `SELECT * FROM chat_messages WHERE session_id = ? AND state IN ${WAITING}
       ORDER BY position, id`,
      session_id,
    )
    return this.#withParts(records)
  }

  queuedCount(session_id: string): number {
    const row = this.#get<{ count: number }>(
      `SELECT count(*) AS count FROM chat_messages WHERE session_id = ? AND state IN ${WAITING}`,
      session_id,
    )
    return row?.count ?? 0
  }

  turn(id: string): Turn | null {
    return this.#turns.turn(id)
  }

  latestTurn(session_id: string): Turn | null {
    return this.#turns.latest(session_id)
  }

  turns(session_id: string, message_id?: string): Turn[] {
    return this.#turns.of(session_id, message_id)
  }

  receipts(session_id: string, turn_id: string): StoredReceipt[] {
    return this.#turns.receipts(session_id, turn_id)
  }

  capture(part_id: string): StoredCapture | null {
    return this.#turns.capture(part_id)
  }

  systemPrompt(digest: string): string | null {
    return this.#turns.systemPrompt(digest)
  }

  refusals(api: string, model_id: string): string[] {
    return this.#turns.refusals(api, model_id)
  }

  blob(content_id: string): { content_id: string; size: number; mime: string } | null {
    return (
      this.#get<{ content_id: string; size: number; mime: string }>(
        "SELECT content_id, size, mime FROM blobs WHERE content_id = ?",
        content_id,
      ) ?? null
    )
  }

  sessionHasBlob(session_id: string, content_id: string): boolean {
    const session = this.#session(session_id)
    if (!session) return false
    const readable = this.#all<{ session_id: string; seq: number | null }>(
      `SELECT blob_references.session_id, chat_messages.seq FROM blob_references
       LEFT JOIN chat_parts ON chat_parts.id = blob_references.part_id
       LEFT JOIN chat_messages ON chat_messages.id = chat_parts.message_id
       WHERE blob_references.content_id = ?`,
      content_id,
    )
    const path = pathOf(session)
    return readable.some((row) => row.session_id === session_id || isOnPath(path, row))
  }

  claimable(): string[] {
    return this.#all<{ session_id: string }>(
      `SELECT DISTINCT session_id FROM chat_messages
       WHERE state IN ${WAITING} AND (state = 'queued' OR
           (state = 'editing' AND json_extract(metadata_json, '$.editing_until') <= ?))
         AND session_id NOT IN (SELECT session_id FROM turns WHERE state IN ${LIVE})`,
      Date.now(),
    ).map((row) => row.session_id)
  }

  liveTurns(): LiveTurn[] {
    return this.#turns.live()
  }

  head(stream_id: string): { first_seq: number; next_seq: number } {
    return this.#streams.head(stream_id)
  }

  events(stream_id: string, from: number, limit: number): StreamEvent[] {
    return this.#streams.events(stream_id, from, limit)
  }

  exportRows(session_id: string | null): Iterable<ExportRow> {
    return exportRows(this.#connection, session_id)
  }

  canonical(session_id: string, message_ids: readonly string[]): Canonical | null {
    const session = this.#session(session_id)
    if (!session) return null
    const messages = message_ids.flatMap((id) =>
      this.#all<MessageRecord>("SELECT * FROM chat_messages WHERE id = ?", id),
    )
    return {
      session: { ...session },
      messages: messages.map((message) => ({
        message: { ...message },
        parts: this.#parts(message.id).map((part) => ({ ...part })),
      })),
    }
  }

  draft(session_id: string): Draft | null {
    this.#existing(session_id)
    return this.#get<Draft>("SELECT * FROM drafts WHERE session_id = ?", session_id) ?? null
  }

  stashedDrafts(session_id: string): StashedDraft[] {
    this.#existing(session_id)
    return this.#all<StashedDraft>(
      `SELECT id, body_json, updated_by, stashed_at FROM stashed_drafts
       WHERE session_id = ? ORDER BY id DESC`,
      session_id,
    )
  }

  stream(path: string, now: number): StreamFound {
    return this.#durable.find(path, now)
  }

  streamPage(id: string, page: { from: number; max_bytes: number }): StreamPage | null {
    return this.#durable.page(id, page)
  }

  knownBlobs(): string[] {
    const rows = this.#all<{ content_id: string }>(
      "SELECT content_id FROM blobs ORDER BY content_id",
    )
    return rows.map((row) => row.content_id)
  }

  #newestFirst(path: readonly Segment[], limit: number, before: Cursor | undefined) {
    const found: MessageRecord[] = []
    let skipping = before !== undefined
    for (const segment of path.toReversed()) {
      const here = before !== undefined && skipping && segmentHolds(segment, before)
      if (skipping && !here) continue
      const last = here ? before.seq - 1 : (segment.to ?? Number.MAX_SAFE_INTEGER)
      skipping = false
      found.push(...this.#segment(segment, last, limit - found.length))
      if (found.length >= limit) break
    }
    return found
  }

  #segment(segment: Segment, last: number, limit: number): MessageRecord[] {
    return this.#all<MessageRecord>(
      `SELECT * FROM chat_messages
       WHERE session_id = ? AND seq BETWEEN ? AND ? AND state = 'fired'
       ORDER BY seq DESC LIMIT ?`,
      segment.owner,
      segment.from,
      last,
      limit,
    )
  }

  #withParts(records: readonly MessageRecord[]): StoredMessage[] {
    return records.map((record) => messageOf(record, this.#parts(record.id)))
  }

  #parts(message_id: string): PartRecord[] {
    return this.#all<PartRecord>(
      'SELECT * FROM chat_parts WHERE message_id = ? ORDER BY "index"',
      message_id,
    )
  }

  #session(id: string): SessionRecord | undefined {
    return this.#get<SessionRecord>(
      "SELECT * FROM chat_sessions WHERE id = ? AND deleted_at IS NULL",
      id,
    )
  }

  #existing(id: string): SessionRecord {
    const record = this.#session(id)
    if (!record) throw new Refusal("not_found", `there is no session ${id}`)
    return record
  }

  #onPath(session_id: string, record: MessageRecord): boolean {
    const session = this.#session(session_id)
    return session !== undefined && isOnPath(pathOf(session), record)
  }

  #snapshot<T>(look: () => T): T {
    return this.#connection.transaction(look)()
  }

  #get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statements.of(sql).get(...values) as Row | undefined
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statements.of(sql).all(...values) as Row[]
  }
}

interface Cursor {
  readonly owner: string
  readonly seq: number
}

function cursorOf(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined
  const [owner, seq] = text.split(":")
  if (!owner || !Number.isInteger(Number(seq)))
    throw new Refusal("invalid", `${text} is not a place in this history`)
  return { owner, seq: Number(seq) }
}

function pathOf(session: SessionRecord): Segment[] {
  return JSON.parse(session.path_json)
}

function segmentHolds(segment: Segment, { owner, seq }: Cursor): boolean {
  if (segment.owner !== owner || seq < segment.from) return false
  return segment.to === null || seq <= segment.to
}

function isOnPath(path: readonly Segment[], row: { session_id: string; seq: number | null }) {
  const { session_id: owner, seq } = row
  return seq !== null && path.some((segment) => segmentHolds(segment, { owner, seq }))
}
