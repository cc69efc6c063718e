import type { Context } from "hono"
import { newId } from "compositor-core/message/id"
import type { Principals } from "compositor-engine/principals/principals"
import { printOffset } from "compositor-engine/streams/offset"
import type {
  Fork,
  StreamAppend,
  StreamAppended,
  StreamHead,
} from "compositor-engine/streams/stream"
import { type Caller, callerOf } from "../caller.ts"
import { HttpError } from "../errors.ts"
import { readClose, readFork, readLife, readProducer, bad, pathOf, readAppend } from "./ask.ts"
import { streamRefusal, reply } from "./answers.ts"
import type { StreamReading, StreamStore } from "./page.ts"
import { answerStreamRead } from "./read.ts"
import { refuseWriting, type RowStore, rowStreams } from "./row-streams.ts"

interface StreamEngine {
  readonly store: StreamStore & RowStore
  readonly principals: Pick<Principals, "holds">
}

/** Durable Streams: whoever may come in may make a stream, append to it and read it, also while it
 *  grows. */
export async function serveStream(
  { store, principals }: StreamEngine,
  context: Context,
): Promise<Response> {
  const caller = callerOf(context)
  const path = pathOf(context.req.path)
  const rows = rowStreams(store, path, caller)
  if (rows) return serveRows(whileAdmitted(principals, caller, rows), context, path)
  const own = within(caller, path)
  if (context.req.method === "GET")
    return answerStreamRead(whileAdmitted(principals, caller, store), context, own)
  return serveOwn(store, context, own)
}

/** A stream is looked at anew whenever something comes: who was shut out meanwhile finds none. */
function whileAdmitted(
  principals: StreamEngine["principals"],
  caller: Caller,
  reading: StreamReading,
): StreamReading {
  if (caller.type === "operator") return reading
  return {
    of: reading.of ?? reading,
    watch: (listener) => reading.watch(listener),
    useStream: (input) => reading.useStream(input),
    streamPage: (id, page) => reading.streamPage(id, page),
    stream: async (path, now) =>
      (await principals.holds(caller))
        ? reading.stream(path, now)
        : { type: "missing", message: `there is no stream ${path}` },
  }
}

/** Everybody has streams of their own: the same address is another stream for another principal. What
 *  is stored for one begins with its name, and no address does. */
function within(caller: Caller, path: string): string {
  return caller.type === "operator" ? path : `${caller.principal.id}${path}`
}

function serveRows(rows: StreamReading, context: Context, path: string): Promise<Response> {
  const { method } = context.req
  if (method === "GET") return answerStreamRead(rows, context, path)
  return method === "HEAD" ? describe(rows, path) : refuseWriting(method)
}

async function serveOwn(store: StreamStore, context: Context, path: string): Promise<Response> {
  switch (context.req.method) {
    case "PUT":
      return create(store, context, path)
    case "POST":
      return append(store, context, path)
    case "HEAD":
      return describe(store, path)
    case "DELETE":
      return remove(store, path)
    default:
      throw new HttpError(405, "method_not_allowed", `a stream takes no ${context.req.method}`)
  }
}

async function create(store: StreamStore, context: Context, path: string): Promise<Response> {
  const asked = {
    path,
    content_type: context.req.header("content-type") || null,
    closed: readClose(context),
    fork: forkIn(context),
    ...readLife(context),
  }
  const body = await readAppend(context)
  const answer = await store.createStream({ ...asked, body, id: newId("str") })
  switch (answer.type) {
    case "created":
    case "same": {
      const created = answer.type === "created"
      const headers = { ...headOf(answer.head), ...(created ? { location: context.req.url } : {}) }
      return reply(created ? 201 : 200, headers)
    }
    case "missing":
    case "gone":
    case "conflict":
    case "invalid":
      throw streamRefusal(answer)
  }
}

function forkIn(context: Context): Fork | null {
  const fork = readFork(context)
  return fork && { ...fork, path: within(callerOf(context), fork.path) }
}

async function append(store: StreamStore, context: Context, path: string): Promise<Response> {
  const close = readClose(context)
  const producer = readProducer(context)
  const body = await readAppend(context)
  if (body.length === 0 && !close) throw bad("an append has a body")
  const input: StreamAppend = {
    path,
    content_type: context.req.header("content-type") || null,
    body: body.length === 0 ? null : body,
    order: context.req.header("stream-seq") ?? null,
    producer,
    close,
  }
  return appendAnswer(await store.appendStream(input), input)
}

function appendAnswer(answer: StreamAppended, { producer, body }: StreamAppend): Response {
  switch (answer.type) {
    case "appended":
    case "again": {
      const first = answer.type === "appended" && producer !== null && body !== null
      return reply(first ? 200 : 204, {
        "stream-next-offset": printOffset(answer.tail),
        ...(answer.closed ? CLOSED : {}),
        ...(producer
          ? { "producer-epoch": `${producer.epoch}`, "producer-seq": `${answer.seq}` }
          : {}),
      })
    }
    case "closed":
      return reply(
        409,
        { ...CLOSED, "stream-next-offset": printOffset(answer.tail) },
        "the stream is closed",
      )
    case "stale":
      return reply(
        403,
        { "producer-epoch": `${answer.epoch}` },
        "another epoch of this producer began",
      )
    case "gap": {
      const headers = {
        "producer-expected-seq": `${answer.expected}`,
        "producer-received-seq": `${answer.received}`,
      }
      return reply(409, headers, "an append of this producer is missing before this one")
    }
    case "missing":
    case "gone":
    case "conflict":
    case "invalid":
      throw streamRefusal(answer)
  }
}

async function describe(store: StreamReading, path: string): Promise<Response> {
  const found = await store.stream(path, Date.now())
  if (found.type !== "found") throw streamRefusal(found)
  return reply(200, { ...headOf(found.head), "cache-control": "no-store" })
}

async function remove(store: StreamStore, path: string): Promise<Response> {
  const { type } = await store.deleteStream({ path })
  if (type !== "deleted") throw streamRefusal({ type, message: `there is no stream ${path}` })
  return reply(204, {})
}

const CLOSED = { "stream-closed": "true" }

function headOf(head: StreamHead): Record<string, string> {
  return {
    "content-type": head.content_type,
    "stream-next-offset": printOffset(head.tail),
    ...(head.closed ? CLOSED : {}),
    ...(head.ttl_seconds === null ? {} : { "stream-ttl": `${head.ttl_seconds}` }),
    ...(head.expires_at === null
      ? {}
      : { "stream-expires-at": new Date(head.expires_at).toISOString() }),
  }
}
