import { WORDS } from "./dialect.ts"
import type { OperationName } from "../sql/operations/operations.ts"
import type { Statement } from "../sql/program.ts"
import type { ExportRow, NewBlob, NewCapture, NewPart, PartUpsert, Writes } from "../store.ts"

/** The rows that an operation is about. It has them for itself before it reads anything: a row that is
 *  picked first and locked afterwards may have been picked by another in the meantime, and fires twice. */
export interface Lock {
  readonly sessions?: readonly string[]
  /** A turn, and the session that it is of. */
  readonly turn?: string
  /** A session that goes, what reads its messages, and what only waits for its last reader. */
  readonly readers?: string
  readonly streams?: readonly string[]
  readonly trigger?: string
  /** `used`: bytes are referred to; `collected`: those that nobody refers to are dropped. Neither
   *  happens while the other does. */
  readonly blobs?: "used" | "collected" | undefined
}

type Locks = { [Name in OperationName]: (input: Parameters<Writes[Name]>[0]) => Lock }

export const LOCKS: Locks = {
  // What is new has nobody to share with; who comes second fails on its key, runs again and sees it.
  createSession: () => ({}),
  spawnEntity: ({ wake }) => ({ blobs: usedIn(wake?.parts, wake?.captures) }),
  createStream: ({ path, fork }) => ({ streams: fork ? [path, fork.path] : [path] }),
  importRows: ({ rows }) => ({ sessions: sessionsIn(rows), blobs: "used" }),
  recordUpload: () => ({ blobs: "used" }),

  changeSession: ({ id }) => ({ sessions: [id] }),
  branch: ({ parent_id }) => ({ sessions: [parent_id] }),
  rewind: ofSession,
  unrewind: ofSession,
  append: ({ session_id, parts, captures }) => ({
    sessions: [session_id],
    blobs: usedIn(parts, captures),
  }),
  changeQueued: ({ session_id, parts, captures }) => ({
    sessions: [session_id],
    blobs: usedIn(parts, captures),
  }),
  cancelQueued: ofSession,
  claim: ofSession,
  requestAbort: ofSession,
  saveDraft: ofSession,
  attachToDraft: ofSession,
  addTrigger: ({ trigger }) => ({ sessions: [trigger.session_id] }),
  killEntity: ofSession,
  tagEntity: ofSession,
  forkEntity: ({ branch }) => ({ sessions: [branch.parent_id] }),
  declareCommands: ofSession,
  changeCommands: ofSession,
  writeRow: ofSession,
  putContext: ({ session_id, part }) => ({ sessions: [session_id], blobs: usedIn([part]) }),
  removeContext: ofSession,
  recordEffect: ofSession,
  reserveKey: ofSession,
  remode: ofSession,
  observe: ofPair,
  unobserve: ofPair,

  recordRequest: ({ turn_id, captures }) => ({ turn: turn_id, blobs: usedIn([], captures) }),
  recordStream: ({ turn_id, parts }) => ({ turn: turn_id, blobs: shownIn(parts) }),
  recordRetry: ofTurn,
  recordCompaction: ofTurn,
  recordInstructions: ofTurn,
  recordSnapshot: ofTurn,
  endAnswer: ({ turn_id, answer }) => ({ turn: turn_id, blobs: shownIn(answer.parts) }),
  recordCalls: ({ turn_id, parts }) => ({ turn: turn_id, blobs: shownIn(parts) }),
  takeSteers: ofTurn,
  waitFor: ofTurn,
  resolveCall: ofTurn,
  resumeTurn: ofTurn,
  endTurn: ({ turn_id, answer }) => ({ turn: turn_id, blobs: shownIn(answer?.parts ?? []) }),
  performAction: ofTurn,
  interrupt: ofTurn,

  deleteSession: ({ session_id }) => ({ readers: session_id, blobs: "collected" }),
  purgeMessage: ({ session_id }) => ({ readers: session_id, blobs: "collected" }),
  sweep: () => ({ blobs: "collected" }),

  appendStream: ({ path }) => ({ streams: [path] }),
  deleteStream: ({ path }) => ({ streams: [path] }),
  removeTrigger: ({ id }) => ({ trigger: id }),
  switchTrigger: ({ id }) => ({ trigger: id }),
  fireTrigger: ({ trigger_id }) => ({ trigger: trigger_id }),
  settleDelivery: ({ trigger_id }) => ({ trigger: trigger_id }),

  // One statement each, which compares what it changes.
  beat: () => ({}),
  useStream: () => ({}),
  holdTrigger: () => ({}),
  seeObservation: () => ({}),
  addPrincipal: () => ({}),
  revokePrincipal: () => ({}),
  addPrincipalToken: () => ({}),
  revokePrincipalToken: () => ({}),
  usePrincipalToken: () => ({}),
  recordAudit: () => ({}),
  sweepAudit: () => ({}),
}

function ofSession({ session_id }: { readonly session_id: string }): Lock {
  return { sessions: [session_id] }
}

function ofTurn({ turn_id }: { readonly turn_id: string }): Lock {
  return { turn: turn_id }
}

function ofPair({
  observer,
  observed,
}: {
  readonly observer: string
  readonly observed: string
}): Lock {
  return { sessions: [observer, observed] }
}

function sessionsIn(rows: readonly ExportRow[]): string[] {
  return [...new Set(rows.map(({ data }) => String(data.session_id ?? data.id ?? "")))]
}

type Holder = { readonly blob: NewBlob | null }

function usedIn(
  parts: readonly Pick<NewPart, "blob">[] = [],
  captures: readonly NewCapture[] = [],
): Lock["blobs"] {
  const holders: readonly Holder[] = [...parts, ...captures]
  return holders.some(({ blob }) => blob !== null) ? "used" : undefined
}

function shownIn(parts: readonly PartUpsert[]): Lock["blobs"] {
  return parts.some(({ blobs }) => (blobs?.length ?? 0) > 0) ? "used" : undefined
}

export interface LockStatement extends Statement {
  /** The question that it answers, when it is not itself that question. */
  readonly answers?: Statement
}

/** The statements that take a lock, always in this order: tables, sessions, turns, streams, triggers,
 *  and rows of a kind by their ids. Where the session of a turn is known it is asked for like all
 *  others, so that those who go together have theirs by one statement, in their order. */
export function statementsOf(lock: Lock, session_id?: string): LockStatement[] {
  const { blobs, sessions, turn, readers, streams, trigger } = lock
  if (turn !== undefined && session_id !== undefined && !blobs)
    return [
      {
        sql: WORDS.own.session,
        values: [session_id],
        answers: { sql: WORDS.own.session_of, values: [turn] },
      },
      { sql: WORDS.own.turn, values: [turn] },
    ]
  return [
    ...(blobs ? [{ sql: TABLE_LOCKS[blobs], values: [] }] : []),
    ...(readers === undefined ? [] : [{ sql: LOCK_READERS, values: [readers, readers] }]),
    ...(sessions === undefined ? [] : [ofSessions(sessions)]),
    ...(turn === undefined ? [] : [{ sql: WORDS.own.session_of, values: [turn] }]),
    ...(turn === undefined ? [] : [{ sql: WORDS.own.turn, values: [turn] }]),
    ...(streams === undefined ? [] : [{ sql: LOCK_STREAMS, values: [JSON.stringify(streams)] }]),
    ...(trigger === undefined ? [] : [{ sql: LOCK_TRIGGER, values: [trigger] }]),
  ]
}

function ofSessions(sessions: readonly string[]): LockStatement {
  const [id] = sessions
  if (sessions.length === 1 && id !== undefined) return { sql: WORDS.own.session, values: [id] }
  return { sql: LOCK_SESSIONS, values: [JSON.stringify(sessions)] }
}

const TABLE_LOCKS = {
  used: "LOCK TABLE blob_references IN ROW EXCLUSIVE MODE",
  collected: "LOCK TABLE blob_references IN SHARE ROW EXCLUSIVE MODE",
}
const LOCK_SESSIONS = `SELECT 1 FROM chat_sessions
  WHERE id IN (SELECT jsonb_array_elements_text(CAST(? AS JSONB))) ORDER BY id FOR UPDATE`
const LOCK_READERS = `SELECT 1 FROM chat_sessions WHERE id = ? OR deleted_at IS NOT NULL
    OR (parent_id IS NOT NULL AND CAST(path_json AS JSONB)
      @> jsonb_build_array(jsonb_build_object('owner', CAST(? AS TEXT))))
  ORDER BY id FOR UPDATE`
/** With all from which they were forked: those may go when their last fork does. */
const LOCK_STREAMS = `SELECT 1 FROM durable_streams WHERE id IN (
    WITH RECURSIVE chain AS (
      SELECT id, source_id FROM durable_streams
        WHERE path IN (SELECT jsonb_array_elements_text(CAST(? AS JSONB)))
      UNION SELECT source.id, source.source_id FROM durable_streams AS source
        JOIN chain ON chain.source_id = source.id)
    SELECT id FROM chain) ORDER BY id FOR UPDATE`
const LOCK_TRIGGER = "SELECT 1 FROM triggers WHERE id = ? FOR UPDATE"
