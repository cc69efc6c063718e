import { readCompactionPart } from "compositor-core/message/compaction-part"
import { Refusal } from "compositor-core/message/refusal"
import type { Segment, Turn } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import type { CarriedPart, RawMessage, RawPart } from "../../store.ts"
import type { SqlReader, Program } from "../program.ts"
import { type TurnRecord, readTurnRow } from "../rows.ts"
import { rawHistory } from "./session-reads.ts"

/** Reads what a turn needs of a history, however long that is: from the newest summary on, and single
 *  parts of it. */
export class HistoryReads {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *toldHistory(session_id: string, including: string | null): Program<RawMessage[]> {
    const path = yield* this.#path(session_id)
    const tail = yield* this.#tail(path)
    const own = tail && including !== null ? yield* this.#placeOf(path, including) : undefined
    const from = own && tail && isBehind(tail, own) ? own : tail
    return yield* rawHistory(this.#asking, from ? cut(path, from) : path)
  }

  *carriedParts(session_id: string, type: string, after?: number): Program<CarriedPart[]> {
    const path =
      after === undefined
        ? yield* this.#path(session_id)
        : [{ owner: session_id, from: after + 1, to: null }]
    const found = yield* this.#asking.each<CarriedPart>(
      CARRIED,
      path.map(({ owner, from, to }) => [owner, from, to ?? Number.MAX_SAFE_INTEGER, type]),
    )
    return found.flat()
  }

  *partsReferring(session_id: string, content_prefix: string): Program<RawPart[]> {
    const path = yield* this.#path(session_id)
    const rows = yield* this.#asking.all<RawPart & { owner: string; seq: number; index: number }>(
      REFERRING,
      content_prefix,
      // Behind every digit that may follow.
      `${content_prefix}g`,
    )
    return rows
      .flatMap(({ owner, seq, index, ...part }) => {
        const place = placeOn(path, owner, seq)
        return place ? [{ place, index, part }] : []
      })
      .sort((one, other) => compare(one.place, other.place) || one.index - other.index)
      .map(({ part }) => part)
  }

  *lastAsked(session_id: string, state?: Turn["state"]): Program<Turn | null> {
    const record = yield* this.#asking.get<TurnRecord>(
      `SELECT * FROM turns WHERE session_id = ? AND api IS NOT NULL
         AND state = COALESCE(CAST(? AS TEXT), state) ORDER BY fence DESC LIMIT 1`,
      session_id,
      state ?? null,
    )
    return record ? readTurnRow(record) : null
  }

  *#path(session_id: string): Program<Segment[]> {
    const row = yield* this.#asking.get<{ path_json: string }>(
      "SELECT path_json FROM chat_sessions WHERE id = ? AND deleted_at IS NULL",
      session_id,
    )
    if (!row) throw new Refusal("not_found", `there is no session ${session_id}`)
    return JSON.parse(row.path_json)
  }

  /** Where the newest summary that counts leaves off: one whose tail is not there any more does not,
   *  and neither does one that a user wrote. */
  *#tail(path: readonly Segment[]): Program<Place | undefined> {
    let rest = path
    for (;;) {
      const marker = yield* this.#newestMarker(rest)
      if (!marker) return undefined
      const part = readCompactionPart(openJson(marker.data_json))
      const start = part && (yield* this.#startOf(path, part.tail_start_id, marker.place))
      if (start && !isBehind(start, marker.place)) return start
      rest = before(rest, marker.place)
    }
  }

  *#newestMarker(path: readonly Segment[]): Program<Marker | undefined> {
    for (const [at, { owner, from, to }] of [...path.entries()].toReversed()) {
      const row = yield* this.#asking.get<{ seq: number; data_json: string }>(
        MARKER,
        owner,
        from,
        to ?? Number.MAX_SAFE_INTEGER,
      )
      if (row) return { place: { at, seq: row.seq }, data_json: row.data_json }
    }
    return undefined
  }

  *#startOf(path: readonly Segment[], tail_start_id: string | null, marker: Place) {
    return tail_start_id === null ? marker : yield* this.#placeOf(path, tail_start_id)
  }

  *#placeOf(path: readonly Segment[], message_id: string): Program<Place | undefined> {
    const row = yield* this.#asking.get<{ session_id: string; seq: number | null }>(
      "SELECT session_id, seq FROM chat_messages WHERE id = ? AND state = 'fired'",
      message_id,
    )
    return row && row.seq !== null ? placeOn(path, row.session_id, row.seq) : undefined
  }
}

/** The number of a segment, and a place on it. */
interface Place {
  readonly at: number
  readonly seq: number
}

interface Marker {
  readonly place: Place
  readonly data_json: string
}

const MARKER = `SELECT chat_messages.seq, chat_parts.data_json
  FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
  WHERE chat_messages.session_id = ? AND chat_messages.seq BETWEEN ? AND ?
    AND chat_messages.state = 'fired' AND chat_messages.role = 'assistant'
    AND chat_parts.type = 'data-compaction' AND chat_parts."index" = 0
  ORDER BY chat_messages.seq DESC LIMIT 1`

const CARRIED = `SELECT chat_messages.seq, chat_parts.id, chat_parts.data_json
  FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
  WHERE chat_messages.session_id = ? AND chat_messages.seq BETWEEN ? AND ?
    AND chat_messages.state = 'fired' AND chat_parts.type = ?
  ORDER BY chat_messages.seq, chat_parts."index"`

const REFERRING = `SELECT DISTINCT chat_messages.session_id AS owner, chat_messages.seq,
    chat_parts."index", chat_parts.id, chat_parts.type, chat_parts.data_json
  FROM blob_references
  JOIN chat_parts ON chat_parts.id = blob_references.part_id
  JOIN chat_messages ON chat_messages.id = chat_parts.message_id
  WHERE blob_references.content_id >= ? AND blob_references.content_id < ?
    AND chat_messages.state = 'fired'`

function placeOn(path: readonly Segment[], owner: string, seq: number): Place | undefined {
  const at = path.findIndex(
    (segment) => segment.owner === owner && seq >= segment.from && seq <= (segment.to ?? Infinity),
  )
  return at < 0 ? undefined : { at, seq }
}

function compare(one: Place, other: Place): number {
  return one.at - other.at || one.seq - other.seq
}

function isBehind(one: Place, other: Place): boolean {
  return compare(one, other) > 0
}

function cut(path: readonly Segment[], { at, seq }: Place): Segment[] {
  return path.slice(at).map((segment, more) => (more === 0 ? { ...segment, from: seq } : segment))
}

function before(path: readonly Segment[], { at, seq }: Place): Segment[] {
  return path
    .slice(0, at + 1)
    .map((segment, here) => (here === at ? { ...segment, to: seq - 1 } : segment))
}
