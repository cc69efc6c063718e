import { existsSync } from "node:fs"
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"

export interface SessionRow {
  readonly id: string
  readonly next_seq: number
}

export interface MessageRow {
  readonly id: string
  readonly session_id: string
  readonly role: string
  readonly state: string
  readonly seq: number | null
}

export interface TurnRow {
  readonly id: string
  readonly session_id: string
  readonly message_id: string
  readonly attempt: number
  readonly state: string
  readonly fence: number
  readonly started_at: number
  readonly ended_at: number | null
}

export interface EventsRow {
  readonly stream_id: string
  readonly seq: number
  readonly count: number
}

export interface StreamRow {
  readonly id: string
  readonly session_id: string | null
  readonly first_seq: number
  readonly next_seq: number
}

export interface SummaryRow {
  readonly session_id: string
  /** The first message that is still told as it was said. */
  readonly tail_start_id: string
}

export interface ModelCall {
  readonly id: string
  /** How many messages of the user the request carried. */
  readonly asked: number
}

/** All that a dead server left behind. */
export interface Remains {
  readonly integrity: string
  readonly broken_references: number
  readonly sessions: readonly SessionRow[]
  readonly messages: readonly MessageRow[]
  readonly summaries: readonly SummaryRow[]
  readonly turns: readonly TurnRow[]
  readonly streams: readonly StreamRow[]
  readonly events: readonly EventsRow[]
  readonly calls: readonly ModelCall[]
}

/** Read a copy: opening the folder itself would mend it, and that is the next server's work. */
export async function readRemains(data: string, calls: string): Promise<Remains> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-torture-copy-"))
  try {
    for (const name of ["compositor.db", "compositor.db-wal"])
      if (existsSync(join(data, name))) await copyFile(join(data, name), join(folder, name))
    return { ...readDatabase(join(folder, "compositor.db")), calls: await readCalls(calls) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function readDatabase(file: string): Omit<Remains, "calls"> {
  const database = new Database(file)
  const all = <Row>(sql: string) => database.prepare<[], Row>(sql).all()
  try {
    // A server may be killed before it made its first table.
    if (all("SELECT 1 FROM sqlite_schema").length === 0) return NOTHING
    return {
      integrity: database.pragma("integrity_check", { simple: true }) as string,
      broken_references: all("PRAGMA foreign_key_check").length,
      sessions: all<SessionRow>("SELECT id, next_seq FROM chat_sessions WHERE deleted_at IS NULL"),
      messages: all<MessageRow>("SELECT id, session_id, role, state, seq FROM chat_messages"),
      summaries: all<SummaryRow>(
        `SELECT session_id, data_json ->> 'tail_start_id' AS tail_start_id
         FROM chat_parts WHERE type = 'data-compaction'`,
      ),
      turns: all<TurnRow>(
        `SELECT id, session_id, message_id, attempt, state, fence, started_at, ended_at
         FROM turns ORDER BY session_id, fence`,
      ),
      streams: all<StreamRow>(
        `SELECT id, id AS session_id, first_event AS first_seq, next_event AS next_seq
         FROM chat_sessions
         UNION ALL SELECT id, session_id, first_seq, next_seq FROM streams`,
      ),
      events: all<EventsRow>("SELECT stream_id, seq, count FROM events ORDER BY stream_id, seq"),
    }
  } finally {
    database.close()
  }
}

const NOTHING: Omit<Remains, "calls"> = {
  integrity: "ok",
  broken_references: 0,
  sessions: [],
  messages: [],
  summaries: [],
  turns: [],
  streams: [],
  events: [],
}

async function readCalls(file: string): Promise<ModelCall[]> {
  const text = await readFile(file, "utf8").catch(() => "")
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}
