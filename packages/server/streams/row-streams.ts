import type { EntityAddress } from "compositor-engine/entities/address"
import { entityEvent } from "compositor-engine/entities/stream-view"
import type { StreamEvent } from "compositor-core/message/row"
import type { Store } from "compositor-engine/store/store"
import { printOffset } from "compositor-engine/streams/offset"
import type {
  StreamChunk,
  StreamFound,
  StreamHead,
  StreamPage,
} from "compositor-engine/streams/stream"
import { type Caller, callerOwner } from "../caller.ts"
import { HttpError } from "../errors.ts"
import type { StreamReading } from "./page.ts"

const EVENTS = 500

/** What the rows of sessions, turns and entities are read from. */
export type RowStore = Pick<Store, "session" | "turn" | "entity" | "head" | "events" | "watch">

type View =
  | { readonly type: "session" | "turn"; readonly id: string }
  | { readonly type: "entity"; readonly address: EntityAddress }

/** Sessions, turns and entities as streams that anyone may read and nobody may append to: their rows
 *  are written by the rest of the API, in the commit that changes them. */
export function rowStreams(
  store: RowStore,
  path: string,
  caller: Caller,
): StreamReading | undefined {
  const view = viewOf(path, callerOwner(caller))
  if (!view) return undefined
  const found = () => find(store, view, path)
  return {
    stream: found,
    streamPage: (id, page) => pageOf(store, view, { id, ...page }),
    useStream: async () => null,
    watch: (listener) => store.watch(listener),
    of: store,
  }
}

/** These may only be read. */
export function refuseWriting(method: string): never {
  throw new HttpError(
    405,
    "method_not_allowed",
    `rows are not written by ${method} to their stream`,
  )
}

const PATH = /^\/v1\/stream\/(sessions|turns|entities)\/([^/]+)(?:\/([^/]+))?$/

function viewOf(path: string, principal: string | null): View | undefined {
  const [, kind, first = "", second] = PATH.exec(path) ?? []
  const id = decodeURIComponent(second ?? first)
  switch (kind ?? "") {
    case "sessions":
    case "turns":
      return second === undefined ? { type: kind === "turns" ? "turn" : "session", id } : undefined
    case "entities":
      return second === undefined
        ? undefined
        : { type: "entity", address: { type: first, id, principal } }
    default:
      return undefined
  }
}

async function find(store: RowStore, view: View, path: string): Promise<StreamFound> {
  const found = await streamOf(store, view)
  if (!found) return { type: "missing", message: `there is no stream ${path}` }
  const { next_seq } = await store.head(found.id)
  const head: StreamHead = {
    id: found.id,
    path,
    content_type: "application/json",
    ttl_seconds: null,
    expires_at: null,
    closed: found.closed,
    tail: next_seq,
    rows: true,
  }
  return { type: "found", head }
}

async function streamOf(store: RowStore, view: View) {
  switch (view.type) {
    case "session": {
      const session = await store.session(view.id)
      return session && { id: session.id, closed: false }
    }
    case "turn": {
      const turn = await store.turn(view.id)
      return turn && { id: turn.id, closed: turn.ended_at !== null }
    }
    case "entity": {
      const { type, id, principal = null } = view.address
      const entity = await store.entity(type, id, principal)
      return entity && { id: entity.session_id, closed: entity.killed_at !== null }
    }
  }
}

interface Asked {
  readonly id: string
  readonly from: number
  readonly max_bytes: number
}

/** The rows behind a place. Where the stream began anew since, a reader is told to forget what it has
 *  before it is told the rest (decision 17). */
async function pageOf(
  store: RowStore,
  view: View,
  { id, from, max_bytes }: Asked,
): Promise<StreamPage> {
  const { first_seq } = await store.head(id)
  const anew = from > 0 && from < first_seq
  const start = Math.max(from, first_seq)
  const chunks: StreamChunk[] = anew ? [reset(start)] : []
  let next = start
  let bytes = 0
  for (const events of byCommit(await store.events(id, start, EVENTS))) {
    const last = events.at(-1)
    if (!last || (bytes > 0 && bytes >= max_bytes)) break
    next = last.seq + 1
    const data = Buffer.from(events.map((event) => print(view, event)).join(","))
    bytes += data.length
    chunks.push({ data, end: next })
  }
  return { chunks, next }
}

function reset(position: number): StreamChunk {
  const event = { headers: { control: "reset", offset: printOffset(position) } }
  return { data: Buffer.from(JSON.stringify(event)), end: position }
}

/** What committed together arrives together. */
function byCommit(events: readonly StreamEvent[]): StreamEvent[][] {
  const groups: StreamEvent[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last?.[0]?.headers.txid === event.headers.txid) last.push(event)
    else groups.push([event])
  }
  return groups
}

function print(view: View, event: StreamEvent): string {
  const { type, key, value, headers } = view.type === "entity" ? entityEvent(event) : event
  const offset = printOffset(event.seq + 1)
  const told = value === null ? {} : { value: whole(type, value) }
  return JSON.stringify({ type, key, ...told, headers: { ...headers, offset } })
}

const STATUS = { attempt: null, message: null, started_at: null, message_id: null, turn_id: null }

// A status says only what there is to say; a reader that lays updates over each other must hear what
// there no longer is.
function whole(type: string, value: NonNullable<StreamEvent["value"]>): object {
  return type === "status" ? { ...STATUS, ...value } : value
}
