import { namesOf } from "compositor-core/message/untyped"
import {
  isJson,
  readMessages,
  stamp,
  typeOnly,
  DEFAULT_CONTENT_TYPE,
} from "../../../streams/content.ts"
import type { StreamOffsetPosition } from "../../../streams/offset.ts"
import { judgeProducer, type Producer, type ProducerState } from "../../../streams/producer.ts"
import {
  type Fork,
  lifeOf,
  type StreamAppend,
  type StreamAppended,
  type StreamCreated,
  type StreamCreation,
  type StreamData,
} from "../../../streams/stream.ts"
import { type DurableRecord, headOf, prefixOf } from "../durable-rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"

export function* createStream(
  tx: Transaction,
  input: StreamCreation & { readonly id: string },
): Program<StreamCreated> {
  const known = yield* liveStream(tx, input.path)
  if (known?.deleted)
    return { type: "conflict", message: `${input.path} is deleted, and forks read it` }
  if (known) return yield* sameStream(tx, known, input)
  const source = input.fork ? yield* sourceOf(tx, input.fork, input) : null
  if (source && source.type !== "source") return source
  const content_type = input.content_type ?? source?.record.content_type ?? DEFAULT_CONTENT_TYPE
  const body = dataOf(content_type, input.body)
  if (body.type === "fault") return { type: "invalid", message: body.message }
  const record = insertStream(tx, input, { content_type, source })
  const withPrefix = source?.prefix ? addData(tx, record, source.prefix) : record
  const filled = addData(tx, withPrefix, body)
  return { type: "created", head: headOf(filled) }
}

function* sameStream(
  tx: Transaction,
  known: DurableRecord,
  input: StreamCreation,
): Program<StreamCreated> {
  const inherits = input.fork !== null && input.ttl_seconds === null && input.expires_at === null
  const same =
    typeOnly(input.content_type ?? known.content_type) === typeOnly(known.content_type) &&
    (inherits ||
      (input.ttl_seconds === known.ttl_seconds && input.expires_at === known.expires_at)) &&
    input.closed === (known.closed === 1) &&
    (yield* isSameFork(tx, known, input.fork))
  if (same) return { type: "same", head: headOf(known) }
  return { type: "conflict", message: `${input.path} is there already, and is another stream` }
}

function* isSameFork(tx: Transaction, known: DurableRecord, fork: Fork | null): Program<boolean> {
  if (!fork) return known.source_id === null
  const source = yield* tx.get<DurableRecord>(
    "SELECT * FROM durable_streams WHERE id = ?",
    known.source_id,
  )
  if (source?.path !== fork.path) return false
  const position = fork.position ?? known.source_position
  return position === known.source_position && fork.within === known.fork_within
}

type Source =
  | {
      readonly type: "source"
      readonly record: DurableRecord
      readonly position: StreamOffsetPosition
      readonly prefix: StreamData | null
    }
  | Extract<StreamCreated, { message: string }>

function* sourceOf(tx: Transaction, fork: Fork, input: StreamCreation): Program<Source> {
  const record = yield* liveStream(tx, fork.path)
  if (!record) return { type: "missing", message: `there is no stream ${fork.path} to fork` }
  if (record.deleted) return { type: "conflict", message: `${fork.path} is deleted` }
  if (input.content_type !== null && typeOnly(input.content_type) !== typeOnly(record.content_type))
    return { type: "conflict", message: `${fork.path} is ${record.content_type}` }
  const position = fork.position ?? record.tail
  if (position > record.tail)
    return { type: "invalid", message: "the offset is beyond the end of the stream" }
  if (fork.within === 0) return { type: "source", record, position, prefix: null }
  const prefix = yield* prefixOf(tx, record, { position, within: fork.within })
  if (!prefix)
    return { type: "invalid", message: `no append has ${fork.within} units behind that offset` }
  return { type: "source", record, position, prefix }
}

function insertStream(
  tx: Transaction,
  input: StreamCreation & { readonly id: string },
  {
    content_type,
    source,
  }: { content_type: string; source: Extract<Source, { type: "source" }> | null },
): DurableRecord {
  const inherits = source && input.ttl_seconds === null && input.expires_at === null
  const life = inherits ? source.record : input
  const record: DurableRecord = {
    id: input.id,
    path: input.path,
    content_type,
    ttl_seconds: life.ttl_seconds,
    expires_at: life.expires_at,
    used_at: tx.now,
    closed: input.closed ? 1 : 0,
    closed_by: null,
    deleted: 0,
    tail: source?.position ?? 0,
    last_order: null,
    source_id: source?.record.id ?? null,
    source_position: source?.position ?? null,
    fork_within: input.fork?.within ?? 0,
  }
  const columns = namesOf(record)
  tx.write(
    `INSERT INTO durable_streams (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...columns.map((column) => record[column]),
  )
  return record
}

export function* appendStream(tx: Transaction, input: StreamAppend): Program<StreamAppended> {
  const record = yield* liveStream(tx, input.path)
  if (!record) return { type: "missing", message: `there is no stream ${input.path}` }
  if (record.deleted) return { type: "gone", message: `${input.path} was deleted` }
  const verdict = yield* producerVerdict(tx, record, input.producer)
  if (verdict) return verdict
  if (record.closed) return closedAnswer(record, input)
  const fault = appendFault(record, input)
  if (fault) return fault
  const data = dataOf(record.content_type, input.body)
  if (data.type === "fault") return { type: "invalid", message: data.message }
  if (input.body && unitsOf(data) === 0)
    return { type: "invalid", message: "an append of nothing has no meaning" }
  const filled = addData(tx, record, data)
  settle(tx, record, input)
  if (input.producer) keepProducer(tx, record.id, input.producer)
  return {
    type: "appended",
    tail: filled.tail,
    closed: input.close,
    seq: input.producer?.seq ?? null,
  }
}

function* producerVerdict(
  tx: Transaction,
  record: DurableRecord,
  producer: Producer | null,
): Program<StreamAppended | undefined> {
  if (!producer) return undefined
  const known = yield* tx.get<ProducerState>(
    "SELECT epoch, seq FROM durable_producers WHERE stream_id = ? AND producer_id = ?",
    record.id,
    producer.id,
  )
  const verdict = judgeProducer(producer, known)
  switch (verdict.type) {
    case "next":
      return undefined
    case "again": {
      // Only the append that closed a stream may be said again once it is closed.
      const closed = record.closed === 1
      if (closed && record.closed_by !== tupleOf(producer))
        return { type: "closed", tail: record.tail }
      return { type: "again", tail: record.tail, closed, seq: known?.seq ?? producer.seq }
    }
    case "gap":
      if (record.closed) return { type: "closed", tail: record.tail }
      return { type: "gap", expected: verdict.expected, received: producer.seq }
    case "stale":
    case "invalid":
      return verdict
  }
}

function closedAnswer(
  record: DurableRecord,
  { close, body, producer }: StreamAppend,
): StreamAppended {
  if (close && !body && !producer)
    return { type: "appended", tail: record.tail, closed: true, seq: null }
  return { type: "closed", tail: record.tail }
}

function appendFault(record: DurableRecord, input: StreamAppend): StreamAppended | undefined {
  if (!input.body) return undefined
  if (input.content_type === null)
    return { type: "invalid", message: "an append says its Content-Type" }
  if (typeOnly(input.content_type) !== typeOnly(record.content_type))
    return { type: "conflict", message: `the stream is ${record.content_type}` }
  if (input.order !== null && record.last_order !== null && input.order <= record.last_order)
    return { type: "conflict", message: `${input.order} does not come after ${record.last_order}` }
  return undefined
}

function settle(tx: Transaction, record: DurableRecord, { order, close, producer }: StreamAppend) {
  const closed_by = close && producer ? tupleOf(producer) : null
  if (order === null && !close && record.ttl_seconds === null) return
  tx.write(
    `UPDATE durable_streams SET last_order = coalesce(?, last_order), closed = ?, closed_by = ?,
       used_at = ? WHERE id = ?`,
    order,
    close ? 1 : 0,
    closed_by,
    tx.now,
    record.id,
  )
  tx.streams.add(record.id)
}

function tupleOf({ id, epoch, seq }: Producer): string {
  return JSON.stringify([id, epoch, seq])
}

function keepProducer(tx: Transaction, stream_id: string, { id, epoch, seq }: Producer) {
  tx.write(
    `INSERT INTO durable_producers (stream_id, producer_id, epoch, seq) VALUES (?, ?, ?, ?)
     ON CONFLICT (stream_id, producer_id) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq`,
    stream_id,
    id,
    epoch,
    seq,
  )
}

type Read = StreamData | { readonly type: "fault"; readonly message: string }

function dataOf(content_type: string, body: Uint8Array | null): Read {
  if (!body || body.length === 0) return { type: "bytes", bytes: new Uint8Array() }
  return isJson(content_type) ? readMessages(body) : { type: "bytes", bytes: body }
}

function unitsOf(data: StreamData): number {
  return data.type === "bytes" ? data.bytes.length : data.messages.length
}

function addData(tx: Transaction, record: DurableRecord, data: StreamData): DurableRecord {
  const units = unitsOf(data)
  if (units === 0) return record
  const tail = record.tail + units
  tx.write(
    'INSERT INTO durable_appends (stream_id, "start", "end", data) VALUES (?, ?, ?, ?)',
    record.id,
    record.tail,
    tail,
    bytesOf(data, record.tail),
  )
  tx.write("UPDATE durable_streams SET tail = ? WHERE id = ?", tail, record.id)
  tx.streams.add(record.id)
  return { ...record, tail }
}

function bytesOf(data: StreamData, start: StreamOffsetPosition): Uint8Array {
  if (data.type === "bytes") return data.bytes
  const stamped = data.messages.map((message, index) => stamp(message, start + index + 1))
  return Buffer.from(stamped.join(","))
}

export function* deleteStream(
  tx: Transaction,
  { path }: { readonly path: string },
): Program<{ readonly type: "deleted" | "missing" | "gone" }> {
  const record = yield* liveStream(tx, path)
  if (!record) return { type: "missing" }
  if (record.deleted) return { type: "gone" }
  yield* removeStream(tx, record)
  return { type: "deleted" }
}

/** A stream with a time to live was used. */
export function* useStream(tx: Transaction, { id }: { readonly id: string }): Program<null> {
  yield* tx.run("UPDATE durable_streams SET used_at = ? WHERE id = ?", tx.now, id)
  return null
}

/** The stream at a path, unless its time is over. */
function* liveStream(tx: Transaction, path: string): Program<DurableRecord | undefined> {
  const record = yield* tx.get<DurableRecord>("SELECT * FROM durable_streams WHERE path = ?", path)
  if (!record || record.deleted) return record
  const ends = lifeOf(record, record.used_at)
  if (ends === null || tx.now < ends) return record
  yield* removeStream(tx, record)
  return yield* tx.get<DurableRecord>("SELECT * FROM durable_streams WHERE path = ?", path)
}

// What forks read stays until the last of them is gone.
function* removeStream(tx: Transaction, record: DurableRecord): Program<void> {
  tx.streams.add(record.id)
  const fork = yield* tx.get("SELECT 1 FROM durable_streams WHERE source_id = ? LIMIT 1", record.id)
  if (fork) {
    tx.write("UPDATE durable_streams SET deleted = 1 WHERE id = ?", record.id)
    return
  }
  for (const table of ["durable_appends", "durable_producers"])
    tx.write(`DELETE FROM ${table} WHERE stream_id = ?`, record.id)
  tx.write("DELETE FROM durable_streams WHERE id = ?", record.id)
  const source = yield* tx.get<DurableRecord>(
    "SELECT * FROM durable_streams WHERE id = ?",
    record.source_id,
  )
  if (source?.deleted) yield* removeStream(tx, source)
}
