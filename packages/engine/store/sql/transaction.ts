import { Refusal } from "compositor-core/message/refusal"
import { statusOf } from "compositor-core/message/row"
import { type Group, INSERT_EVENTS, type SessionMarks } from "./group.ts"
import type { SqlReader, Engine, Program, Value, SqlWords } from "./program.ts"
import {
  type MessageRecord,
  type PartRecord,
  type SessionRecord,
  sessionOf,
  type TurnRecord,
  readTurnRow,
} from "./rows.ts"

type Operation = "insert" | "update" | "delete"

/** What one operation writes with. Rows are told of as they change; `finish` gives the events their
 *  numbers from the head rows of their streams, so that within a stream commit order is seq order. */
export class Transaction implements SqlReader {
  readonly txid: string
  readonly streams = new Set<string>()
  /** Whether anything was written: if not, a refusal leaves nothing to undo. */
  wrote = false
  readonly #engine: Engine
  readonly #clock: () => number
  #now: number | undefined
  readonly #pending = new Map<string, string[]>()
  readonly #marks = new Map<string, SessionMarks>()

  /** Heads that the operations of one commit share; null where each stands for itself. */
  readonly group: Group | null

  constructor(engine: Engine, about: { clock: () => number; txid: string; group: Group | null }) {
    this.#engine = engine
    this.#clock = about.clock
    this.txid = about.txid
    this.group = about.group
  }

  /** The moment of this operation: when it first asked, which is when it had its rows to itself. */
  get now(): number {
    this.#now ??= this.#clock()
    return this.#now
  }

  get words(): SqlWords {
    return this.#engine.words
  }

  get<Row>(sql: string, ...values: Value[]): Program<Row | undefined> {
    this.wrote ||= !isQuestion(sql)
    return this.#engine.get(sql, ...values)
  }

  all<Row>(sql: string, ...values: Value[]): Program<Row[]> {
    this.wrote ||= !isQuestion(sql)
    return this.#engine.all(sql, ...values)
  }

  each<Row>(sql: string, values: readonly (readonly Value[])[]): Program<Row[][]> {
    this.wrote ||= !isQuestion(sql)
    return this.#engine.each(sql, values)
  }

  /** Write, and hear how many rows that changed. */
  run(sql: string, ...values: Value[]): Program<number> {
    this.wrote = true
    return this.#engine.run(sql, ...values)
  }

  /** Write, and go on: nobody needs to hear what came of it before the commit. */
  write(sql: string, ...values: Value[]) {
    this.wrote = true
    this.#engine.write(sql, ...values)
  }

  *session(id: string): Program<SessionRecord> {
    this.#writeMarks(id)
    const record = yield* this.get<SessionRecord>("SELECT * FROM chat_sessions WHERE id = ?", id)
    return existing(record, `session ${id}`)
  }

  /** The session that this operation is about, which nobody else changes meanwhile. */
  *ownSession(id: string): Program<SessionRecord> {
    this.#writeMarks(id)
    const record = yield* this.get<SessionRecord>(this.words.own.session, id)
    return existing(record, `session ${id}`)
  }

  /** The session of the turn that this operation is about, as it was when it began. */
  *ownSessionOf(turn_id: string): Program<SessionRecord> {
    const record = yield* this.get<SessionRecord>(this.words.own.session_of, turn_id)
    return existing(record, `session of turn ${turn_id}`)
  }

  /** The turn that this operation is about. */
  ownTurn(id: string): Program<TurnRecord | undefined> {
    return this.get<TurnRecord>(this.words.own.turn, id)
  }

  *message(session_id: string, id: string): Program<MessageRecord> {
    return inSession(session_id, id, yield* this.messageAnywhere(id))
  }

  /** Whoever asks for it does not know its session yet. */
  messageAnywhere(id: string): Program<MessageRecord | undefined> {
    return this.get<MessageRecord>("SELECT * FROM chat_messages WHERE id = ?", id)
  }

  parts(message_id: string): Program<PartRecord[]> {
    return this.all<PartRecord>(
      'SELECT * FROM chat_parts WHERE message_id = ? ORDER BY "index"',
      message_id,
    )
  }

  tellSession(record: SessionRecord, operation: Operation = "update") {
    this.tell(record.id, "session", record.id, operation, JSON.stringify(sessionOf(record)))
  }

  tellMessage(record: MessageRecord, operation: Operation = "update") {
    this.tell(record.session_id, "message", record.id, operation)
  }

  tellPart(record: PartRecord, operation: Operation = "update") {
    this.tell(record.session_id, "part", record.id, operation)
  }

  tellTurn(record: TurnRecord, operation: Operation = "update") {
    const turn = readTurnRow(record)
    this.tell(record.session_id, "turn", record.id, operation, JSON.stringify(turn))
    const status = JSON.stringify(statusOf(turn))
    this.tell(record.session_id, "status", record.session_id, "update", status)
  }

  /** Without a value, the event stands for the row it names as it is when the event is read. */
  tell(stream: string, type: string, key: string, operation: Operation, value_json?: string) {
    const value = value_json === undefined ? "" : `,"value":${value_json}`
    // An entity gives its rows their keys.
    const named = `"type":${JSON.stringify(type)},"key":${JSON.stringify(key)}`
    const event = `{${named},"operation":"${operation}"${value}}`
    const events = this.#pending.get(stream)
    if (events) events.push(event)
    else this.#pending.set(stream, [event])
  }

  /** How much this operation tells a stream, so far. */
  told(stream: string): number {
    return this.#pending.get(stream)?.length ?? 0
  }

  /** Change columns of a session's row in the same statement that numbers its events, or before the
   *  row is read again. */
  mark(session_id: string, marks: SessionMarks) {
    if (Object.keys(marks).length === 0) return
    this.#marks.set(session_id, { ...this.#marks.get(session_id), ...marks })
  }

  #writeMarks(session_id: string) {
    const marks = this.#marks.get(session_id)
    // What several messages of one commit change is the group's to write.
    if (!marks || this.group?.holds(session_id)) return
    this.#marks.delete(session_id)
    const columns = Object.keys(marks).map((name) => `${name} = ?`)
    this.write(
      `UPDATE chat_sessions SET ${columns.join(", ")} WHERE id = ?`,
      ...Object.values(marks),
      session_id,
    )
  }

  *finish(): Program<void> {
    for (const id of this.#marks.keys()) if (!this.#pending.has(id)) this.#writeMarks(id)
    // Two streams in one transaction are numbered in the order of their ids.
    const ids = [...this.#pending.keys()].sort()
    for (const id of ids) yield* this.#number(id, this.#pending.get(id) ?? [])
  }

  *#number(stream: string, events: readonly string[]): Program<void> {
    this.streams.add(stream)
    if (this.group?.holds(stream)) {
      const marks = this.#marks.get(stream)
      return this.group.tell(stream, events, { txid: this.txid, ...(marks ? { marks } : {}) })
    }
    const body = `[${events.join(",")}]`
    if (this.words.numbersInOne) return this.#numberInOne(stream, events.length, body)
    const next = yield* this.#moveHead(stream, events.length)
    if (next === undefined) throw new Error(`there is no stream ${stream} to tell of this`)
    const first = next - events.length
    this.write(INSERT_EVENTS, stream, first, events.length, body, this.txid)
  }

  #numberInOne(stream: string, count: number, body: string) {
    const marks = this.#marks.get(stream) ?? {}
    const sql = numberingOf(stream.startsWith("ses_"), marks)
    this.write(sql, stream, count, body, this.txid, ...Object.values(marks))
  }

  *#moveHead(stream: string, count: number): Program<number | undefined> {
    const { sql, values } = this.#mover(stream, count)
    const own = stream.startsWith("ses_") ? yield* this.get<Head>(sql, ...values) : undefined
    return (own ?? (yield* this.get<Head>(MOVE_OTHER, count, stream)))?.next
  }

  // `updated_at` has several indexes: a statement that names it pays for that, changed or not.
  #mover(stream: string, count: number): { sql: string; values: Value[] } {
    const marks = this.#marks.get(stream) ?? {}
    const columns = Object.keys(marks).map((name) => `, ${name} = ?`)
    return {
      sql: `UPDATE chat_sessions SET next_event = next_event + ?${columns.join("")}
        WHERE id = ? RETURNING next_event AS next`,
      values: [count, ...Object.values(marks), stream],
    }
  }
}

/** The message, if it is one of this session. */
export function inSession(
  session_id: string,
  id: string,
  record: MessageRecord | undefined,
): MessageRecord {
  if (record?.session_id === session_id) return record
  throw new Refusal("not_found", `there is no message ${id} in session ${session_id}`)
}

// A change that gives its rows back writes all the same.
function isQuestion(sql: string): boolean {
  return sql.startsWith("SELECT")
}

function existing(record: SessionRecord | undefined, name: string): SessionRecord {
  if (record && record.deleted_at === null) return record
  throw new Refusal("not_found", `there is no ${name}`)
}

interface Head {
  readonly next: number
}

const MOVE_OTHER =
  "UPDATE streams SET next_seq = next_seq + ? WHERE id = ? RETURNING next_seq AS next"

const numberings = new Map<string, string>()

function numberingOf(isSession: boolean, marks: SessionMarks): string {
  const key = `${isSession} ${Object.keys(marks).join()}`
  const sql = numberings.get(key) ?? numbering(isSession, marks)
  numberings.set(key, sql)
  return sql
}

// Said so that what several operations tell can be told in one. A stream that is not there gives no
// number, and a row without one is refused.
function numbering(isSession: boolean, marks: SessionMarks): string {
  const types = Object.values(marks).map((value) => (typeof value === "number" ? "BIGINT" : "TEXT"))
  const names = ["stream", "count", "body", "txid", ...types.map((_, at) => `m${at}`)]
  const values = ["TEXT", "BIGINT", "TEXT", "TEXT", ...types].map((type) => `CAST(? AS ${type})`)
  const given = `given (${names.join(", ")}) AS (VALUES (${values.join(", ")}))`
  const set = Object.keys(marks).map((name, at) => `, ${name} = given.m${at}`)
  const own = `UPDATE chat_sessions SET next_event = next_event + given.count${set.join("")}
    FROM given WHERE id = given.stream RETURNING id, next_event AS next`
  const other = `UPDATE streams SET next_seq = next_seq + given.count FROM given
    WHERE id = given.stream ${isSession ? "AND id NOT IN (SELECT id FROM own)" : ""}
    RETURNING id, next_seq AS next`
  const heads = `${isSession ? "SELECT * FROM own UNION ALL " : ""}SELECT * FROM other`
  return `WITH ${given}, ${isSession ? `own AS (${own}),` : ""} other AS (${other}),
    heads AS (${heads})
    INSERT INTO events (stream_id, seq, count, body_json, txid)
    SELECT stream, next - count, count, body, txid FROM given LEFT JOIN heads ON id = stream`
}
