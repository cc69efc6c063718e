import { Refusal } from "compositor-core/message/refusal"
import type { Segment } from "compositor-core/message/row"
import type { Rewound, SessionChanged } from "../../store.ts"
import { type SessionRecord, sessionOf } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { LIVE, liveTurn } from "./claim.ts"
import { snapshotsOn } from "./steps.ts"

/** How many rewinds can be taken back. */
const MAX_PREVIOUS_PATHS = 50

/** Go back to before a message. Its rows and those behind it stay; only the path changes, and the
 *  path before is kept so that this can be taken back (SES-010, decision 2). */
export function* rewind(
  tx: Transaction,
  input: { session_id: string; before_message_id: string | null },
): Program<Rewound> {
  const session = yield* tx.session(input.session_id)
  if (yield* liveTurn(tx, session.id))
    throw new Refusal("conflict", "a turn is running: stop it before going back")
  const snapshot_ids = yield* rewindTo(tx, session, input.before_message_id)
  return { session: sessionOf(yield* tx.session(session.id)), txid: tx.txid, snapshot_ids }
}

/** Take the last rewind back. What is left and was not part of it is hidden in its stead, and comes back
 *  when all other rewinds were taken back. */
export function* unrewind(tx: Transaction, input: { session_id: string }): Program<SessionChanged> {
  const session = yield* tx.session(input.session_id)
  if (yield* liveTurn(tx, session.id))
    throw new Refusal("conflict", "a turn is running: stop it before going back")
  const previous: Segment[][] = JSON.parse(session.previous_paths_json)
  const last = previous.pop()
  if (!last) throw new Refusal("conflict", "nothing was rewound here that could be restored")
  // A folder of an earlier version may hold it open.
  const restored = closed(last, session)
  const left = closed(pathOf(session), session)
  const kept = isBeginning(left, restored) ? previous : [left, ...previous]
  writePath(tx, session, opened(restored, session), kept)
  return yield* told(tx, session.id)
}

/** Whoever follows the session hears of its new path, also where a command went back. Answers with the
 *  snapshots that it goes behind. */
export function* rewindTo(
  tx: Transaction,
  session: SessionRecord,
  before_message_id: string | null,
): Program<string[]> {
  const path = pathOf(session)
  const kept = before_message_id === null ? [] : yield* before(tx, path, before_message_id)
  const before_it: Segment[][] = JSON.parse(session.previous_paths_json)
  const previous = [...before_it, closed(path, session)]
  const snapshot_ids = yield* snapshotsOn(tx, behind(path, kept))
  writePath(tx, session, opened(kept, session), previous.slice(-MAX_PREVIOUS_PATHS))
  yield* told(tx, session.id)
  return snapshot_ids
}

// What a path holds behind its own beginning.
function behind(path: readonly Segment[], beginning: readonly Segment[]): Segment[] {
  const cut = beginning.at(-1)
  const at = Math.max(0, beginning.length - 1)
  return path.slice(at).flatMap((segment, index) => {
    if (index > 0 || !cut) return [segment]
    if (cut.to === null || cut.to === segment.to) return []
    return [{ ...segment, from: cut.to + 1 }]
  })
}

// A path that is left must not grow with what is said on another.
function closed(path: readonly Segment[], { next_seq }: SessionRecord): Segment[] {
  return path
    .map((segment) => (segment.to === null ? { ...segment, to: next_seq - 1 } : segment))
    .filter(({ from, to }) => to === null || to >= from)
}

/** The path with an end where the session goes on; what stands side by side is one segment. */
function opened(path: readonly Segment[], { id: owner, next_seq }: SessionRecord): Segment[] {
  const last = path.at(-1)
  if (last?.owner === owner && last.to === next_seq - 1)
    return [...path.slice(0, -1), { ...last, to: null }]
  return [...path, { owner, from: next_seq, to: null }]
}

function isBeginning(path: readonly Segment[], of: readonly Segment[]): boolean {
  return path.every(({ owner, from, to }, at) => {
    const same = of[at]
    if (same?.owner !== owner || same.from !== from) return false
    return same.to === to || (at === path.length - 1 && Number(to) <= Number(same.to))
  })
}

function pathOf(session: SessionRecord): Segment[] {
  return JSON.parse(session.path_json)
}

// Segments that end before they begin hold nothing and are left out.
function* before(
  tx: Transaction,
  path: readonly Segment[],
  message_id: string,
): Program<Segment[]> {
  const point = yield* pointOf(tx, path, message_id)
  const at = path.findIndex((segment) => contains(segment, point))
  const segment = path[at]
  if (!segment) throw new Error(`message ${point.id} is on no segment of its own path`)
  const cut = { ...segment, to: point.seq - 1 }
  return [...path.slice(0, at), ...(cut.to >= cut.from ? [cut] : [])]
}

// `hidden_at` is for readers of the documents' tables; history itself is read by path.
function writePath(
  tx: Transaction,
  session: SessionRecord,
  path: readonly Segment[],
  previous: readonly (readonly Segment[])[],
) {
  tx.write(
    `UPDATE chat_sessions SET path_json = ?, previous_paths_json = ?,
       path_revision = path_revision + 1, updated_at = ? WHERE id = ?`,
    JSON.stringify(path),
    JSON.stringify(previous),
    tx.now,
    session.id,
  )
  tx.write(
    `UPDATE chat_messages SET metadata_json = ${tx.words.show}
     WHERE session_id = ? AND ${tx.words.field("metadata_json", "hidden_at")} IS NOT NULL`,
    session.id,
  )
  for (const [from, to] of gaps(path, session.id, session.next_seq))
    tx.write(
      `UPDATE chat_messages SET metadata_json = ${tx.words.hide}
       WHERE session_id = ? AND seq BETWEEN ? AND ?`,
      tx.now,
      session.id,
      from,
      to,
    )
}

// The stretches of a session's own messages that its path leaves out.
function gaps(path: readonly Segment[], owner: string, next_seq: number): [number, number][] {
  const found: [number, number][] = []
  let at = 1
  for (const segment of path.filter((one) => one.owner === owner)) {
    if (segment.from > at) found.push([at, segment.from - 1])
    at = (segment.to ?? next_seq) + 1
  }
  return found
}

function* told(tx: Transaction, id: string): Program<SessionChanged> {
  const record = yield* tx.session(id)
  tx.tellSession(record)
  return { session: sessionOf(record), txid: tx.txid }
}

interface Cut {
  readonly path: readonly Segment[]
  readonly message_id: string | null
}

/** The path up to a message, or up to the last settled one. A point inside an unfinished turn is
 *  refused (SES-020). */
export function* cutAt(
  tx: Transaction,
  parent: SessionRecord,
  message_id: string | null,
): Program<Cut> {
  const path: Segment[] = JSON.parse(parent.path_json)
  const point =
    message_id === null ? yield* lastSettled(tx, path) : yield* pointOf(tx, path, message_id)
  if (!point) return { path: [], message_id: null }
  yield* refuseUnsettled(tx, parent, point)
  const at = path.findIndex((segment) => contains(segment, point))
  const before = path.slice(0, at)
  const segment = path[at]
  if (!segment) throw new Error(`message ${point.id} is on no segment of its own path`)
  return { path: [...before, { ...segment, to: point.seq }], message_id: point.id }
}

interface Point {
  readonly id: string
  readonly session_id: string
  readonly seq: number
}

export function contains(segment: Segment, point: { session_id: string; seq: number }): boolean {
  if (segment.owner !== point.session_id || point.seq < segment.from) return false
  return segment.to === null || point.seq <= segment.to
}

export function* isInHistory(
  tx: Transaction,
  session: SessionRecord,
  message_id: string,
): Program<boolean> {
  return (yield* findPoint(tx, pathOf(session), message_id)) !== undefined
}

function* pointOf(tx: Transaction, path: readonly Segment[], message_id: string): Program<Point> {
  const point = yield* findPoint(tx, path, message_id)
  if (point) return point
  throw new Refusal("not_found", `message ${message_id} is not in this session's history`)
}

function* findPoint(tx: Transaction, path: readonly Segment[], message_id: string) {
  const point = yield* tx.get<Point>(
    "SELECT id, session_id, seq FROM chat_messages WHERE id = ? AND seq IS NOT NULL",
    message_id,
  )
  return point && path.some((segment) => contains(segment, point)) ? point : undefined
}

function* lastSettled(tx: Transaction, path: readonly Segment[]): Program<Point | undefined> {
  const owner = path.at(-1)?.owner
  const live = yield* liveTurnStart(tx, owner)
  for (const segment of path.toReversed()) {
    const end = segment.to ?? Number.MAX_SAFE_INTEGER
    const last = segment.owner === owner ? Math.min(end, live ?? end) : end
    const point = yield* tx.get<Point>(
      `SELECT id, session_id, seq FROM chat_messages
       WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`,
      segment.owner,
      segment.from,
      last,
    )
    if (point) return point
  }
  return undefined
}

function* refuseUnsettled(tx: Transaction, parent: SessionRecord, point: Point) {
  const live = yield* liveTurnStart(tx, parent.id)
  if (live !== undefined && point.session_id === parent.id && point.seq > live)
    throw new Refusal("conflict", `message ${point.id} belongs to a turn that is still running`)
}

// The last place before the live turn's own message.
function* liveTurnStart(
  tx: Transaction,
  session_id: string | undefined,
): Program<number | undefined> {
  if (session_id === undefined) return undefined
  const row = yield* tx.get<{ seq: number }>(
    `SELECT chat_messages.seq FROM turns JOIN chat_messages ON chat_messages.id = turns.message_id
     WHERE turns.session_id = ?
       AND turns.state IN ${LIVE}`,
    session_id,
  )
  return row && row.seq - 1
}
