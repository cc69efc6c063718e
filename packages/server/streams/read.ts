import { hash } from "node:crypto"
import type { Context } from "hono"
import { isJson } from "compositor-engine/streams/content"
import { nextCursor } from "compositor-engine/streams/cursor"
import { printOffset } from "compositor-engine/streams/offset"
import type { StreamChunk, StreamHead } from "compositor-engine/streams/stream"
import { readLive, readOffset, bad } from "./ask.ts"
import { liveEvents } from "./live.ts"
import { streamRefusal, STREAM_HEADERS } from "./answers.ts"
import { ChangeNotifier } from "./change-notifier.ts"
import { isEnd, type StreamPosition, pageOf, type StreamReading } from "./page.ts"

const LONG_POLL_MS = 20_000

/** What stands in a stream from an offset on; live, also what comes. */
export async function answerStreamRead(
  store: StreamReading,
  context: Context,
  path: string,
): Promise<Response> {
  const live = readLive(context)
  const offset = readOffset(context)
  if (live && !offset) throw bad("a live read says its offset")
  const head = await use(store, path)
  const from = offset?.type === "now" ? head.tail : (offset?.position ?? 0)
  if (from > head.tail) throw bad("the offset is beyond the end of the stream")
  const place: StreamPosition = { head, from, cursor: context.req.query("cursor") }
  if (live === "sse") return liveEvents(store, context, place)
  if (live === "long-poll") return longPoll(store, place)
  if (offset?.type === "now") return atTail(head)
  return catchUp(store, context, place)
}

/** The stream, whose time to live begins anew with a read. */
async function use(store: StreamReading, path: string): Promise<StreamHead> {
  const found = await store.stream(path, Date.now())
  if (found.type !== "found") throw streamRefusal(found)
  if (found.head.ttl_seconds !== null) await store.useStream({ id: found.head.id })
  return found.head
}

function atTail(head: StreamHead): Response {
  const headers = { ...tailHeaders(head, head.tail), "cache-control": "no-store" }
  return new Response(bodyOf(head, []), { headers: { ...contentHeaders(head), ...headers } })
}

async function catchUp(
  store: StreamReading,
  context: Context,
  place: StreamPosition,
): Promise<Response> {
  const { head, from } = place
  const page = await pageOf(store, head, from)
  const body = bodyOf(head, page.chunks)
  const etag = etagOf(head, { from, next: page.next, body })
  const headers = {
    ...contentHeaders(head),
    ...tailHeaders(head, page.next),
    ...caching(head, etag),
  }
  if (context.req.header("if-none-match") === etag)
    return new Response(null, { status: 304, headers })
  return new Response(body, { headers })
}

async function longPoll(
  store: StreamReading,
  { head, from, cursor }: StreamPosition,
): Promise<Response> {
  const bell = new ChangeNotifier(store, head.id)
  const deadline = Date.now() + LONG_POLL_MS
  try {
    for (;;) {
      const now = await store.stream(head.path, Date.now())
      if (now.type !== "found" || now.head.id !== head.id)
        throw streamRefusal(
          now.type === "found" ? { type: "missing", message: "it was made anew" } : now,
        )
      if (now.head.tail > from) return polled(store, now.head, { from, cursor })
      const left = deadline - Date.now()
      if (isEnd(now.head, from) || left <= 0 || !(await bell.rung(left)))
        return nothing(now.head, cursor)
    }
  } finally {
    bell.stop()
  }
}

async function polled(
  store: StreamReading,
  head: StreamHead,
  { from, cursor }: { from: number; cursor: string | undefined },
): Promise<Response> {
  const page = await pageOf(store, head, from)
  const body = bodyOf(head, page.chunks)
  const headers = {
    ...contentHeaders(head),
    ...tailHeaders(head, page.next),
    "stream-cursor": nextCursor(cursor, Date.now()),
    ...caching(head, etagOf(head, { from, next: page.next, body })),
  }
  return new Response(body, { headers })
}

interface Read {
  readonly from: number
  readonly next: number
  readonly body: Uint8Array
}

/** What was appended never changes, so a place in it names its bytes. Rows do, so theirs are named by
 *  what they are, and whoever kept them asks again each time: the same tag is always the same bytes. */
function etagOf(head: StreamHead, { from, next, body }: Read): string {
  const closed = isEnd(head, next) ? ":closed" : ""
  if (!head.rows) return `"${head.id}:${from}:${next}${closed}"`
  return `"${hash("sha256", body, "base64url").slice(0, 22)}:${next}${closed}"`
}

function caching(head: StreamHead, etag: string): Record<string, string> {
  const how = head.rows ? "private, no-cache" : "private, max-age=60, stale-while-revalidate=300"
  return { etag, "cache-control": how }
}

function nothing(head: StreamHead, cursor: string | undefined): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...STREAM_HEADERS,
      ...tailHeaders(head, head.tail),
      "stream-cursor": nextCursor(cursor, Date.now()),
      "cache-control": "no-store",
    },
  })
}

function contentHeaders(head: StreamHead): Record<string, string> {
  return { ...STREAM_HEADERS, "content-type": head.content_type }
}

function tailHeaders(head: StreamHead, next: number): Record<string, string> {
  return {
    "stream-next-offset": printOffset(next),
    ...(next >= head.tail ? { "stream-up-to-date": "true" } : {}),
    ...(isEnd(head, next) ? { "stream-closed": "true" } : {}),
  }
}

function bodyOf(head: StreamHead, chunks: readonly StreamChunk[]): Uint8Array<ArrayBuffer> {
  const data = chunks.map((chunk) => chunk.data)
  if (!isJson(head.content_type)) return Buffer.concat(data)
  const between = data.flatMap((one, index) => (index === 0 ? [one] : [COMMA, one]))
  return Buffer.concat([OPEN, ...between, CLOSE])
}

const OPEN = Buffer.from("[")
const COMMA = Buffer.from(",")
const CLOSE = Buffer.from("]")
