import { Refusal } from "compositor-core/message/refusal"
import type { Segment, Session, StoredMessage } from "compositor-core/message/row"
import type {
  AbandonedEdit,
  Canonical,
  DraftRecord,
  HistoryPage,
  RawMessage,
  RawPart,
  SessionFilter,
  StashedDraft,
} from "../../store.ts"
import { LIVE, WAITING } from "../operations/claim.ts"
import {
  readMessageRow,
  type MessageRecord,
  type PartRecord,
  sessionOf,
  type SessionRecord,
} from "../rows.ts"
import type { SqlReader, Program } from "../program.ts"

/** Reads sessions: their messages by path, what waits in them, and what is typed to them. */
export class SessionReads {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *session(id: string): Program<Session | null> {
    const record = yield* this.#session(id)
    return record ? sessionOf(record) : null
  }

  *sessions(filter: SessionFilter): Program<Session[]> {
    const before = filter.before === undefined ? undefined : yield* this.#session(filter.before)
    const { principal } = filter
    const records = yield* this.#asking.all<SessionRecord>(
      `SELECT * FROM chat_sessions
       WHERE deleted_at IS NULL ${principal === undefined ? "" : "AND principal = ?"}
         AND (? = 1 OR archived_at IS NULL)
         AND CASE WHEN ${this.#asking.words.isTrue("metadata_json", "ephemeral")}
           THEN 1 ELSE 0 END IN (?, ?)
         AND (updated_at, id) < (?, ?)
       ORDER BY updated_at DESC, id DESC LIMIT ?`,
      ...(principal === undefined ? [] : [principal]),
      filter.archived ? 1 : 0,
      filter.ephemeral === "only" ? 1 : 0,
      filter.ephemeral ? 1 : 0,
      before?.updated_at ?? Number.MAX_SAFE_INTEGER,
      before?.id ?? "",
      filter.limit,
    )
    return records.map(sessionOf)
  }

  *message(session_id: string, message_id: string): Program<StoredMessage | null> {
    const record = yield* this.#asking.get<MessageRecord>(MESSAGE, message_id)
    const session = record && (yield* this.#session(session_id))
    if (!session) return null
    if (record.session_id !== session_id && !isOnPath(pathOf(session), record)) return null
    const [message] = yield* this.#withParts([record])
    return message ?? null
  }

  *history(
    session_id: string,
    page: { limit: number; before?: string | undefined },
  ): Program<HistoryPage> {
    const session = yield* this.#existing(session_id)
    const before = cursorOf(page.before)
    const records = yield* this.#newestFirst(pathOf(session), page.limit + 1, before)
    const shown = records.slice(0, page.limit).toReversed()
    const oldest = shown[0]
    return {
      messages: yield* this.#withParts(shown),
      next: records.length > page.limit && oldest ? `${oldest.session_id}:${oldest.seq}` : null,
      stream_next_offset: session.next_event,
    }
  }

  *historyAfter(session_id: string, after: number): Program<StoredMessage[]> {
    const records = yield* this.#asking.all<MessageRecord>(
      `SELECT * FROM chat_messages WHERE session_id = ? AND seq > ? AND state = 'fired'
       ORDER BY seq`,
      session_id,
      after,
    )
    return yield* this.#withParts(records)
  }

  *rawHistory(session_id: string, after?: number): Program<RawMessage[]> {
    const path =
      after === undefined
        ? pathOf(yield* this.#existing(session_id))
        : [{ owner: session_id, from: after + 1, to: null }]
    return yield* rawHistory(this.#asking, path)
  }

  *queue(session_id: string): Program<StoredMessage[]> {
    yield* this.#existing(session_id)
    const records = yield* this.#asking.all<MessageRecord>(
      `SELECT * FROM chat_messages WHERE session_id = ? AND state IN ${WAITING}
       ORDER BY position, id`,
      session_id,
    )
    return yield* this.#withParts(records)
  }

  *queuedCount(session_id: string): Program<number> {
    const row = yield* this.#asking.get<{ count: number }>(
      `SELECT count(*) AS count FROM chat_messages WHERE session_id = ? AND state IN ${WAITING}`,
      session_id,
    )
    return row?.count ?? 0
  }

  *blob(content_id: string): Program<KnownBlob | null> {
    const row = yield* this.#asking.get<KnownBlob>(
      "SELECT content_id, size, mime FROM blobs WHERE content_id = ?",
      content_id,
    )
    return row ?? null
  }

  *sessionHasBlob(session_id: string, content_id: string): Program<boolean> {
    const session = yield* this.#session(session_id)
    if (!session) return false
    const readable = yield* this.#asking.all<{ session_id: string; seq: number | null }>(
      `SELECT blob_references.session_id, chat_messages.seq FROM blob_references
       LEFT JOIN chat_parts ON chat_parts.id = blob_references.part_id
       LEFT JOIN chat_messages ON chat_messages.id = chat_parts.message_id
       WHERE blob_references.content_id = ?`,
      content_id,
    )
    const path = pathOf(session)
    return readable.some((row) => row.session_id === session_id || isOnPath(path, row))
  }

  *claimable(): Program<string[]> {
    const until = this.#asking.words.field("metadata_json", "editing_until")
    const rows = yield* this.#asking.all<{ session_id: string }>(
      `SELECT DISTINCT session_id FROM chat_messages
       WHERE state IN ${WAITING} AND (state = 'queued' OR
           (state = 'editing' AND CAST(${until} AS BIGINT) <= ?))
         AND session_id NOT IN (SELECT session_id FROM turns WHERE state IN ${LIVE})`,
      Date.now(),
    )
    return rows.map((row) => row.session_id)
  }

  *abandonedEdits(): Program<AbandonedEdit[]> {
    const until = this.#asking.words.field("metadata_json", "editing_until")
    const rows = yield* this.#asking.all<{ session_id: string; id: string; mode: string }>(
      `SELECT session_id, id, mode FROM chat_messages
       WHERE state IN ${WAITING} AND state = 'editing' AND CAST(${until} AS BIGINT) <= ?
       ORDER BY session_id, position, id`,
      Date.now(),
    )
    return rows.map(({ session_id, id, mode }) => ({
      session_id,
      message_id: id,
      paused: mode === "paused",
    }))
  }

  *canonical(session_id: string, message_ids: readonly string[]): Program<Canonical | null> {
    const session = yield* this.#session(session_id)
    if (!session) return null
    const ids = message_ids.map((id) => [id])
    const found = yield* this.#asking.each<MessageRecord>(MESSAGE, ids)
    const parts = yield* this.#asking.each<PartRecord>(PARTS, ids)
    return {
      session: { ...session },
      messages: found.flatMap(([message], at) =>
        message
          ? [{ message: { ...message }, parts: parts[at]?.map((one) => ({ ...one })) ?? [] }]
          : [],
      ),
    }
  }

  *draft(session_id: string): Program<DraftRecord | null> {
    yield* this.#existing(session_id)
    const draft = yield* this.#asking.get<DraftRecord>(
      "SELECT * FROM drafts WHERE session_id = ?",
      session_id,
    )
    return draft ?? null
  }

  *stashedDrafts(session_id: string): Program<StashedDraft[]> {
    yield* this.#existing(session_id)
    return yield* this.#asking.all<StashedDraft>(
      `SELECT id, body_json, updated_by, stashed_at FROM stashed_drafts
       WHERE session_id = ? ORDER BY id DESC`,
      session_id,
    )
  }

  *knownBlobs(): Program<string[]> {
    const rows = yield* this.#asking.all<{ content_id: string }>(
      "SELECT content_id FROM blobs ORDER BY content_id",
    )
    return rows.map((row) => row.content_id)
  }

  *#newestFirst(path: readonly Segment[], limit: number, before: Cursor | undefined) {
    const found: MessageRecord[] = []
    let skipping = before !== undefined
    for (const segment of path.toReversed()) {
      const here = before !== undefined && skipping && segmentHolds(segment, before)
      if (skipping && !here) continue
      const last = here ? before.seq - 1 : (segment.to ?? Number.MAX_SAFE_INTEGER)
      skipping = false
      found.push(...(yield* this.#segment(segment, last, limit - found.length)))
      if (found.length >= limit) break
    }
    return found
  }

  #segment(segment: Segment, last: number, limit: number): Program<MessageRecord[]> {
    return this.#asking.all<MessageRecord>(
      `SELECT * FROM chat_messages
       WHERE session_id = ? AND seq BETWEEN ? AND ? AND state = 'fired'
       ORDER BY seq DESC LIMIT ?`,
      segment.owner,
      segment.from,
      last,
      limit,
    )
  }

  *#withParts(records: readonly MessageRecord[]): Program<StoredMessage[]> {
    const parts = yield* this.#asking.each<PartRecord>(
      PARTS,
      records.map(({ id }) => [id]),
    )
    return records.map((record, at) => readMessageRow(record, parts[at] ?? []))
  }

  #session(id: string): Program<SessionRecord | undefined> {
    return this.#asking.get<SessionRecord>(
      "SELECT * FROM chat_sessions WHERE id = ? AND deleted_at IS NULL",
      id,
    )
  }

  *#existing(id: string): Program<SessionRecord> {
    const record = yield* this.#session(id)
    if (!record) throw new Refusal("not_found", `there is no session ${id}`)
    return record
  }
}

interface KnownBlob {
  readonly content_id: string
  readonly size: number
  readonly mime: string
}

const MESSAGE = "SELECT * FROM chat_messages WHERE id = ?"
const PARTS = 'SELECT * FROM chat_parts WHERE message_id = ? ORDER BY "index"'

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

type Row = Omit<RawMessage, "parts">
type PartRow = RawPart & { readonly message_id: string }

/** The messages of a path and their parts as they are stored: two statements for all segments, and
 *  nothing opened, because most of a long history is only passed on. */
export function* rawHistory(asking: SqlReader, path: readonly Segment[]): Program<RawMessage[]> {
  const spans = path.map(({ owner, from, to }) => [owner, from, to ?? Number.MAX_SAFE_INTEGER])
  const rows = yield* asking.each<Row>(MESSAGES, spans)
  const parts = yield* asking.each<PartRow>(RAW_PARTS, spans)
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
const RAW_PARTS = `SELECT chat_parts.message_id, chat_parts.id, chat_parts.type, chat_parts.data_json
  FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
  WHERE chat_messages.session_id = ? AND chat_messages.seq BETWEEN ? AND ?
    AND chat_messages.state = 'fired'
  ORDER BY chat_messages.seq, chat_parts."index"`
