import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
import { type Firings, firingsOf } from "./turns-firings.ts"
import type { TurnsCall } from "./turns-server.ts"

/** A message that was acknowledged; a session's are in the order in which they were sent. */
export interface Sent {
  readonly id: string
  readonly session_id: string
}

export interface Freeze {
  readonly server: number
  readonly from: number
  readonly to: number
  /** It held the lock for writing when it was stopped, and until it went on. */
  readonly held: boolean
}

export interface Happened {
  readonly sent: readonly Sent[]
  readonly freezes: readonly Freeze[]
  /** The file in which the servers wrote down whom they asked. */
  readonly calls: string
}

export interface Verdict {
  readonly turns: number
  readonly interrupted: number
  readonly refired: number
  /** Answers that another than the turn's owner wrote: only a stale fence could have let them in. */
  readonly foreign_answers: number
  readonly two_owners: number
  readonly inversions: number
  readonly stuck: number
  readonly lost: number
  readonly firings: Firings
}

export interface TurnRow {
  readonly id: string
  readonly session_id: string
  readonly message_id: string
  readonly attempt: number
  readonly state: string
  readonly owner: string
  readonly started_at: number
  readonly ended_at: number | null
}

export interface AnswerRow {
  readonly turn_id: string
  readonly text: string
}

export interface MessageRow {
  readonly id: string
  readonly seq: number | null
  readonly queued_at: number
}

/** All that the verdict needs to see. */
export interface TurnsRows {
  /** In the order of their sessions, and in each session's own. */
  readonly turns: readonly TurnRow[]
  readonly answers: readonly AnswerRow[]
  readonly messages: readonly MessageRow[]
}

export function rowsOfFile(file: string): TurnsRows {
  const database = new Database(file, { readonly: true })
  const all = <Row>(sql: string) => database.prepare<[], Row>(sql).all()
  const rows = {
    turns: all<TurnRow>("SELECT * FROM turns ORDER BY session_id, fence"),
    answers: all<AnswerRow>(
      `SELECT json_extract(chat_messages.metadata_json, '$.turn_id') AS turn_id,
         json_extract(chat_parts.data_json, '$.text') AS text
       FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
       WHERE role = 'assistant' AND type = 'text'`,
    ),
    messages: all<MessageRow>(
      `SELECT id, seq, json_extract(metadata_json, '$.queue_enqueued_at') AS queued_at
       FROM chat_messages WHERE role = 'user'`,
    ),
  }
  database.close()
  return rows
}

/** What the rows say about all that happened. */
export function readVerdict(rows: TurnsRows, { sent, freezes, calls }: Happened): Verdict {
  const { turns, answers, messages } = rows
  const byId = new Map(messages.map((message) => [message.id, message]))
  return {
    turns: turns.length,
    interrupted: turns.filter(({ state }) => state === "interrupted").length,
    refired: turns.filter(({ attempt }) => attempt > 1).length,
    ...authors(turns, answers),
    inversions: inversions(sent, byId),
    stuck: turns.filter(({ ended_at }) => ended_at === null).length + waiting(messages),
    lost: sent.filter(({ id }) => !byId.has(id)).length,
    firings: firingsOf(turns, { messages: byId, freezes, calls: readCalls(calls) }),
  }
}

function authors(turns: readonly TurnRow[], answers: readonly AnswerRow[]) {
  const owners = new Map(turns.map(({ id, owner }) => [id, owner.split("|")[2] ?? ""]))
  const writers = new Map<string, Set<string>>()
  let foreign_answers = 0
  for (const { turn_id, text } of answers) {
    const who = text.trim()
    if (who !== "" && who !== owners.get(turn_id)) foreign_answers += 1
    writers.set(turn_id, (writers.get(turn_id) ?? new Set()).add(who))
  }
  const two_owners = [...writers.values()].filter(({ size }) => size > 1).length
  return { foreign_answers, two_owners }
}

function inversions(sent: readonly Sent[], byId: ReadonlyMap<string, MessageRow>): number {
  const last = new Map<string, number>()
  let count = 0
  for (const { id, session_id } of sent) {
    const seq = byId.get(id)?.seq ?? null
    if (seq === null) continue
    if (seq < (last.get(session_id) ?? 0)) count += 1
    last.set(session_id, seq)
  }
  return count
}

function waiting(messages: readonly MessageRow[]): number {
  return messages.filter(({ seq }) => seq === null).length
}

// Whoever was killed may have left half a line.
function readCalls(file: string): TurnsCall[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line))
}
