import { elementsOf, isJson } from "../../streams/content.ts"
import type { StreamOffsetPosition } from "../../streams/offset.ts"
import type { SqlReader, Program } from "./program.ts"
import type { StreamChunk, StreamData, StreamHead, StreamPage } from "../../streams/stream.ts"

export interface DurableRecord {
  readonly id: string
  readonly path: string
  readonly content_type: string
  readonly ttl_seconds: number | null
  readonly expires_at: number | null
  readonly used_at: number
  readonly closed: number
  readonly closed_by: string | null
  readonly deleted: number
  readonly tail: StreamOffsetPosition
  readonly last_order: string | null
  readonly source_id: string | null
  /** Where its own data begins; what is before it is its source's. */
  readonly source_position: StreamOffsetPosition | null
  readonly fork_within: number
}

interface AppendRecord {
  readonly start: StreamOffsetPosition
  readonly end: StreamOffsetPosition
  readonly data: Uint8Array
}

export function headOf(record: DurableRecord): StreamHead {
  const { id, path, content_type, ttl_seconds, expires_at, tail } = record
  return { id, path, content_type, ttl_seconds, expires_at, closed: record.closed === 1, tail }
}

/** A few appends are asked for at a time: they may be large. */
const ROWS = 64

export function* pageOf(
  asking: SqlReader,
  record: DurableRecord,
  { from, max_bytes }: { readonly from: StreamOffsetPosition; readonly max_bytes: number },
): Program<StreamPage> {
  const chunks: StreamChunk[] = []
  let next = from
  let bytes = 0
  for (const span of yield* spansOf(asking, record)) {
    while (next < span.to) {
      const rows = yield* appendsOf(asking, span, next)
      if (rows.length === 0) break
      for (const row of rows) {
        if (bytes > 0 && bytes + row.data.length > max_bytes) return { chunks, next }
        const data = cut(row, { from: next, to: span.to }, isJson(record.content_type))
        next = Math.min(row.end, span.to)
        chunks.push({ data, end: next })
        bytes += data.length
      }
    }
  }
  return { chunks, next }
}

interface Span {
  readonly stream_id: string
  readonly to: StreamOffsetPosition
}

/** Whose rows hold which part of a stream: a fork reads its source's up to where it began. */
function* spansOf(asking: SqlReader, record: DurableRecord): Program<Span[]> {
  const spans: Span[] = []
  let current: DurableRecord | undefined = record
  let to = record.tail
  while (current) {
    spans.unshift({ stream_id: current.id, to })
    to = Math.min(to, current.source_position ?? 0)
    current = yield* asking.get<DurableRecord>(
      "SELECT * FROM durable_streams WHERE id = ?",
      current.source_id,
    )
  }
  return spans
}

function appendsOf(
  asking: SqlReader,
  { stream_id, to }: Span,
  from: StreamOffsetPosition,
): Program<AppendRecord[]> {
  return asking.all<AppendRecord>(
    `SELECT "start", "end", data FROM durable_appends
     WHERE stream_id = ? AND "end" > ? AND "start" < ? ORDER BY "end" LIMIT ${ROWS}`,
    stream_id,
    from,
    to,
  )
}

function cut(
  { start, end, data }: AppendRecord,
  { from, to }: { from: StreamOffsetPosition; to: StreamOffsetPosition },
  json: boolean,
): Uint8Array {
  if (from <= start && end <= to) return data
  const [first, last] = [Math.max(0, from - start), Math.min(end, to) - start]
  if (!json) return data.subarray(first, last)
  return Buffer.from(messagesOf(data).slice(first, last).join(","))
}

function messagesOf(data: Uint8Array): string[] {
  return elementsOf(`[${Buffer.from(data).toString("utf8")}]`)
}

/** The beginning of the append that follows a place; undefined when it has not so many units. */
export function* prefixOf(
  asking: SqlReader,
  record: DurableRecord,
  { position, within }: { readonly position: StreamOffsetPosition; readonly within: number },
): Program<StreamData | undefined> {
  for (const span of yield* spansOf(asking, record)) {
    if (position >= span.to) continue
    const [row] = yield* appendsOf(asking, span, position)
    if (!row || Math.min(row.end, span.to) - position < within) return undefined
    const json = isJson(record.content_type)
    const data = cut(row, { from: position, to: position + within }, json)
    return json ? { type: "messages", messages: messagesOf(data) } : { type: "bytes", bytes: data }
  }
  return undefined
}
