import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import { isJson, isText } from "compositor-engine/streams/content"
import { nextCursor } from "compositor-engine/streams/cursor"
import { printOffset } from "compositor-engine/streams/offset"
import type { StreamChunk, StreamHead } from "compositor-engine/streams/stream"
import { ChangeNotifier } from "./change-notifier.ts"
import { STREAM_HEADERS } from "./answers.ts"
import { isEnd, type StreamPosition, pageOf, type StreamReading } from "./page.ts"

/** A connection is made anew now and then, so that readers can share one on their way here. */
const CONNECTION_MS = 60_000

/** A stream as server-sent events: what is there and then what comes, each `data` with the `control`
 *  that says where its reader stands. */
export function liveEvents(
  store: StreamReading,
  context: Context,
  place: StreamPosition,
): Response {
  const tail = new LiveTail(store, place)
  const headers = {
    ...STREAM_HEADERS,
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    ...(isText(place.head.content_type) ? {} : { "stream-sse-data-encoding": "base64" }),
  }
  const outgoing: ServerResponse | undefined = context.env?.outgoing
  if (!outgoing) return new Response(bodyOf(tail), { headers })
  outgoing.writeHead(200, headers)
  void writeTo(outgoing, tail)
  return RESPONSE_ALREADY_SENT
}

/** Straight to the socket: many readers only wait, and each costs what it holds. */
async function writeTo(outgoing: ServerResponse, tail: LiveTail) {
  outgoing.on("close", () => tail.stop())
  for (;;) {
    const text = await tail.next()
    if (text === undefined || outgoing.destroyed) break
    if (outgoing.write(text)) continue
    await Promise.race([once(outgoing, "drain"), once(outgoing, "close")]).catch(() => undefined)
  }
  outgoing.end()
}

// In process there is no socket.
function bodyOf(tail: LiveTail): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = await tail.next()
      if (text === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(text))
    },
    cancel: () => tail.stop(),
  })
}

class LiveTail {
  readonly #store: StreamReading
  readonly #bell: ChangeNotifier
  readonly #ends_at = Date.now() + CONNECTION_MS
  #head: StreamHead
  #from: number
  #cursor: string | undefined
  #told = false
  #ended = false

  constructor(store: StreamReading, { head, from, cursor }: StreamPosition) {
    this.#store = store
    this.#bell = new ChangeNotifier(store, head.id)
    this.#head = head
    this.#from = from
    this.#cursor = cursor
  }

  async next(): Promise<string | undefined> {
    const text = this.#ended ? undefined : await this.#tell().catch(() => undefined)
    if (text === undefined) this.#bell.stop()
    return text
  }

  stop() {
    this.#bell.stop()
  }

  async #tell(): Promise<string | undefined> {
    for (;;) {
      const { chunks } = await pageOf(this.#store, this.#head, this.#from)
      if (chunks.length > 0) return chunks.map((chunk) => this.#data(chunk)).join("")
      if (!this.#told || isEnd(this.#head, this.#from)) return this.#control()
      const left = this.#ends_at - Date.now()
      if (left <= 0 || !(await this.#bell.rung(left)) || this.#bell.stopped) return undefined
      if (!(await this.#look())) return undefined
    }
  }

  /** Read the head anew: whether the stream grew, was closed, or is another by now. */
  async #look(): Promise<boolean> {
    const found = await this.#store.stream(this.#head.path, Date.now())
    if (found.type !== "found" || found.head.id !== this.#head.id) return false
    this.#head = found.head
    return true
  }

  #data({ data, end }: StreamChunk): string {
    this.#from = end
    return `event: data\n${dataLines(data, this.#head)}\n${this.#control()}`
  }

  #control(): string {
    this.#told = true
    const offset = { streamNextOffset: printOffset(this.#from) }
    if (isEnd(this.#head, this.#from)) {
      this.#ended = true
      return event({ ...offset, streamClosed: true, upToDate: true })
    }
    this.#cursor = nextCursor(this.#cursor, Date.now())
    const upToDate = this.#from >= this.#head.tail ? { upToDate: true } : {}
    return event({ ...offset, streamCursor: this.#cursor, ...upToDate })
  }
}

function event(control: object): string {
  return `event: control\ndata:${JSON.stringify(control)}\n\n`
}

// Every line end that a browser knows begins a new line of data: nothing in it can end the event.
function dataLines(data: Uint8Array, head: StreamHead): string {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (!isText(head.content_type)) return `data:${bytes.toString("base64")}\n`
  const text = bytes.toString("utf8")
  const whole = isJson(head.content_type) ? `[${text}]` : text
  return whole
    .split(/\r\n|\r|\n/)
    .map(dataLine)
    .join("")
}

// A reader takes one space away behind the colon: a line that begins with one needs another.
function dataLine(line: string): string {
  return line.startsWith(" ") ? `data: ${line}\n` : `data:${line}\n`
}
