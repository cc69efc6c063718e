import Database from "better-sqlite3"

/** A message that was acknowledged; a session's are in the order in which they were sent. */
export interface Sent {
  readonly id: string
  readonly session_id: string
}

/** While a server was frozen it may have held the lock for writing. */
export interface Freeze {
  readonly from: number
  readonly to: number
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
  /** From idle to the start of the turn of what waited, where no freeze fell in between. */
  readonly firing_ms: readonly number[]
}

interface TurnRow {
  readonly id: string
  readonly session_id: string
  readonly message_id: string
  readonly attempt: number
  readonly state: string
  readonly owner: string
  readonly started_at: number
  readonly ended_at: number | null
}

interface AnswerRow {
  readonly turn_id: string
  readonly text: string
}

interface MessageRow {
  readonly id: string
  readonly seq: number | null
  readonly queued_at: number
}

/** What the folder says about all that happened. */
export function readVerdict(
  file: string,
  { sent, freezes }: { readonly sent: readonly Sent[]; readonly freezes: readonly Freeze[] },
): Verdict {
  const database = new Database(file, { readonly: true })
  const turns = database
    .prepare<[], TurnRow>("SELECT * FROM turns ORDER BY session_id, fence")
    .all()
  const answers = database
    .prepare<[], AnswerRow>(
      `SELECT json_extract(chat_messages.metadata_json, '$.turn_id') AS turn_id,
         json_extract(chat_parts.data_json, '$.text') AS text
       FROM chat_messages JOIN chat_parts ON chat_parts.message_id = chat_messages.id
       WHERE role = 'assistant' AND type = 'text'`,
    )
    .all()
  const messages = database
    .prepare<[], MessageRow>(
      `SELECT id, seq, json_extract(metadata_json, '$.queue_enqueued_at') AS queued_at
       FROM chat_messages WHERE role = 'user'`,
    )
    .all()
  database.close()
  const byId = new Map(messages.map((message) => [message.id, message]))
  return {
    turns: turns.length,
    interrupted: turns.filter(({ state }) => state === "interrupted").length,
    refired: turns.filter(({ attempt }) => attempt > 1).length,
    ...authors(turns, answers),
    inversions: inversions(sent, byId),
    stuck: turns.filter(({ ended_at }) => ended_at === null).length + waiting(messages),
    lost: sent.filter(({ id }) => !byId.has(id)).length,
    firing_ms: firings(turns, byId, freezes),
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

function firings(
  turns: readonly TurnRow[],
  byId: ReadonlyMap<string, MessageRow>,
  freezes: readonly Freeze[],
): number[] {
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1]
    const message = byId.get(turn.message_id)
    if (before?.session_id !== turn.session_id || before.ended_at === null || !message) return []
    const idle = Math.max(before.ended_at, message.queued_at)
    const isFrozen = freezes.some(({ from, to }) => from <= turn.started_at && to >= idle)
    return isFrozen ? [] : [Math.max(0, turn.started_at - idle)]
  })
}
