import type { Ledger, SentMessage } from "./ledger.ts"
import type { MessageRow, Remains, SummaryRow, TurnRow } from "./rows.ts"

export const CRIMES = {
  integrity: "databases that are not whole",
  lost: "acknowledged messages lost",
  "fired-twice": "messages fired twice",
  parallel: "turns at the same time in one session",
  order: "messages out of order",
  cancelled: "cancelled messages that fired",
  deleted: "deleted sessions that came back, or left something",
  events: "streams with a gap",
  stranger: "rows that nobody sent, or that were refused",
  unanswered: "accepted messages without one answer, in the end",
  surprise: "answers that no client should have been given",
} as const

export type Crime = keyof typeof CRIMES

export interface Finding {
  readonly crime: Crime
  readonly about: string
}

/** How often a message is asked again after a crash, the first time included. */
const MAX_ATTEMPTS = 3
const LIVE: readonly string[] = ["running", "retrying"]

/** Holds what a dead server left behind against what its clients were promised. It remembers what it
 *  saw, because a place in history is given once and a finished turn stays finished. */
export class Judge {
  readonly #ledger: Ledger
  readonly #places = new Map<string, number>()
  readonly #finished = new Set<string>()
  readonly #known = new Set<string>()
  #surprises = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** What is wrong and was not told before. After a crash, anything may still wait. */
  findings(remains: Remains): Finding[] {
    return this.#all(remains).filter((found) => this.#isNew(found))
  }

  /** When nothing waits any more, every accepted message was answered once. A message whose every
   *  attempt was killed is given up, and says so. */
  unanswered(remains: Remains): { findings: Finding[]; given_up: number } {
    const turns = Map.groupBy(remains.turns, ({ message_id }) => message_id)
    const messages = new Map(remains.messages.map((message) => [message.id, message]))
    const waited = this.#kept().filter(({ id }) => messages.get(id)?.state !== "cancelled")
    const given_up = waited.filter(({ id }) => isGivenUp(turns.get(id) ?? []))
    const findings = waited
      .filter((message) => !given_up.includes(message))
      .filter(({ id }) => (turns.get(id) ?? []).filter(isFinished).length !== 1)
      .map(({ id }) => finding("unanswered", `${id}: ${states(turns.get(id))}`))
    return { findings, given_up: given_up.length }
  }

  #all(remains: Remains): Finding[] {
    const turns = Map.groupBy(remains.turns, ({ message_id }) => message_id)
    const messages = new Map(remains.messages.map((message) => [message.id, message]))
    return [
      ...damage(remains),
      ...this.#lost(messages),
      ...this.#firedTwice(remains, turns),
      ...parallel(remains),
      ...this.#outOfOrder(messages),
      ...this.#cancelled(messages, turns, remains),
      ...this.#deleted(remains),
      ...this.#strangers(remains),
      ...gaps(remains),
      ...this.#newSurprises(),
    ]
  }

  #isNew({ crime, about }: Finding): boolean {
    const before = this.#known.size
    return this.#known.add(`${crime} ${about}`).size > before
  }

  #kept(): SentMessage[] {
    return this.#ledger
      .acknowledged()
      .filter(({ session_id }) => !this.#ledger.isDeleted(session_id))
  }

  #lost(messages: ReadonlyMap<string, MessageRow>): Finding[] {
    return this.#kept()
      .filter(({ id, session_id }) => messages.get(id)?.session_id !== session_id)
      .map(({ id }) => finding("lost", id))
  }

  #firedTwice(remains: Remains, turns: ReadonlyMap<string, TurnRow[]>): Finding[] {
    const found: Finding[] = []
    for (const message of remains.messages) found.push(...this.#moved(message))
    for (const [id, attempts] of turns) {
      const numbers = attempts.map(({ attempt }) => attempt)
      const inOrder = numbers.every((number, at) => number === at + 1)
      const taken = attempts.slice(0, -1).every(({ state }) => state === "interrupted")
      if (!inOrder || !taken || numbers.length > MAX_ATTEMPTS)
        found.push(finding("fired-twice", `${id}: ${states(attempts)}`))
    }
    for (const { id, state } of remains.turns) {
      if (this.#finished.has(id) && state !== "finished")
        found.push(finding("fired-twice", `turn ${id} was finished and is ${state}`))
      if (state === "finished") this.#finished.add(id)
    }
    return [...found, ...this.#askedTwice(remains, turns)]
  }

  #moved({ id, seq }: MessageRow): Finding[] {
    const place = this.#places.get(id)
    if (seq !== null) this.#places.set(id, seq)
    if (place === undefined || place === seq) return []
    return [finding("fired-twice", `${id} moved from place ${place} to ${seq}`)]
  }

  // A model is asked at most once for each attempt, and with the messages up to this one.
  #askedTwice(remains: Remains, turns: ReadonlyMap<string, TurnRow[]>): Finding[] {
    const places = placesOf(remains.messages)
    const found: Finding[] = []
    for (const [id, asked] of Map.groupBy(remains.calls, (call) => call.id)) {
      const session_id = this.#ledger.messages.get(id)?.session_id
      if (session_id === undefined || this.#ledger.isDeleted(session_id)) continue
      const attempts = turns.get(id)?.length ?? 0
      if (asked.length > attempts)
        found.push(finding("fired-twice", `${id}: ${asked.length} calls, ${attempts} attempts`))
      const counts = countsAt(places.get(id) ?? 0, { session_id, places, ...remains })
      const wrong = asked.find((call) => !counts.includes(call.asked))
      if (wrong)
        found.push(
          finding(
            "order",
            `${id} was asked with ${wrong.asked} messages, not ${counts.join(" or ")}`,
          ),
        )
    }
    return found
  }

  #outOfOrder(messages: ReadonlyMap<string, MessageRow>): Finding[] {
    const lines = Map.groupBy(this.#kept(), ({ client, session_id }) => `${client} ${session_id}`)
    return [...lines.values()].flatMap((line) => inversions(line, messages))
  }

  #cancelled(
    messages: ReadonlyMap<string, MessageRow>,
    turns: ReadonlyMap<string, TurnRow[]>,
    { calls }: Remains,
  ): Finding[] {
    const asked = new Set(calls.map(({ id }) => id))
    const found: Finding[] = []
    for (const { id, cancellation } of this.#kept()) {
      const message = messages.get(id)
      if (!message) continue
      const fired = message.seq !== null || turns.has(id) || asked.has(id)
      if (message.state === "cancelled" ? fired : cancellation === "acknowledged")
        found.push(finding("cancelled", `${id} is ${message.state}: ${states(turns.get(id))}`))
      if (message.state === "cancelled" && cancellation === "never")
        found.push(finding("lost", `${id} was cancelled by nobody`))
    }
    return found
  }

  #deleted({ sessions, messages, turns, streams, events }: Remains): Finding[] {
    const alive = new Set([
      ...sessions.map(({ id }) => id),
      ...messages.map(({ session_id }) => session_id),
      ...turns.map(({ session_id }) => session_id),
      ...streams.flatMap(({ session_id }) => session_id ?? []),
    ])
    // The stream's last event tells its readers of the deletion; nothing else is left in it.
    const told = Map.groupBy(events, ({ stream_id }) => stream_id)
    return [...this.#ledger.sessions.values()]
      .filter(({ deletion }) => deletion === "acknowledged")
      .filter(({ id }) => alive.has(id) || (told.get(id)?.length ?? 0) > 1)
      .map(({ id }) => finding("deleted", id))
  }

  #strangers({ messages, sessions }: Remains): Finding[] {
    const known = this.#ledger.messages
    const unknown = messages.filter(({ id, role }) => role === "user" && !mayBe(known.get(id)))
    const lost = [...this.#ledger.sessions.values()]
      .filter(({ creation, deletion }) => creation === "acknowledged" && deletion === "never")
      .filter(({ id }) => !sessions.some((session) => session.id === id))
    return [
      ...unknown.map(({ id }) => finding("stranger", id)),
      ...lost.map(({ id }) => finding("lost", `session ${id}`)),
    ]
  }

  #newSurprises(): Finding[] {
    const fresh = this.#ledger.surprises.slice(this.#surprises)
    this.#surprises = this.#ledger.surprises.length
    return fresh.map((about) => finding("surprise", about))
  }
}

function finding(crime: Crime, about: string): Finding {
  return { crime, about }
}

function mayBe(sent: SentMessage | undefined): boolean {
  return sent !== undefined && sent.sending !== "refused"
}

function states(turns: readonly TurnRow[] = []): string {
  return turns.map(({ attempt, state }) => `${attempt} ${state}`).join(", ") || "no turn"
}

function isFinished({ state }: TurnRow): boolean {
  return state === "finished"
}

function isGivenUp(turns: readonly TurnRow[]): boolean {
  return turns.length === MAX_ATTEMPTS && turns.every(({ state }) => state === "interrupted")
}

function damage({ integrity, broken_references }: Remains): Finding[] {
  const found = integrity === "ok" ? [] : [finding("integrity", integrity)]
  if (broken_references === 0) return found
  return [...found, finding("integrity", `${broken_references} rows refer to nothing`)]
}

function parallel({ turns }: Remains): Finding[] {
  const found: Finding[] = []
  for (const [at, turn] of turns.entries()) {
    const next = turns[at + 1]
    if (next?.session_id !== turn.session_id) continue
    const over = turn.ended_at !== null && !LIVE.includes(turn.state)
    if (!over || (turn.ended_at ?? 0) > next.started_at)
      found.push(finding("parallel", `${turn.id} (${turn.state}) and ${next.id} (${next.state})`))
  }
  return found
}

/** The how-manieth message of the user each one is in its session. */
function placesOf(messages: readonly MessageRow[]): Map<string, number> {
  const fired = messages.filter(({ role, seq }) => role === "user" && seq !== null)
  const places = new Map<string, number>()
  for (const line of Map.groupBy(fired, ({ session_id }) => session_id).values())
    for (const [at, { id }] of line.sort((left, right) => place(left) - place(right)).entries())
      places.set(id, at + 1)
  return places
}

interface Told {
  readonly session_id: string
  readonly places: ReadonlyMap<string, number>
  readonly summaries: readonly SummaryRow[]
}

/** With how many messages of the user the one at this place may be asked: with all up to it, or, where
 *  the session was compacted, with a summary and what was said since its tail began. */
function countsAt(place: number, { session_id, places, summaries }: Told): number[] {
  const tails = summaries
    .filter((summary) => summary.session_id === session_id)
    .map(({ tail_start_id }) => places.get(tail_start_id) ?? Number.MAX_SAFE_INTEGER)
  return [place, ...tails.filter((tail) => tail <= place).map((tail) => place - tail + 2)]
}

function place({ seq }: MessageRow): number {
  return seq ?? Number.MAX_SAFE_INTEGER
}

// What was sent later neither fires earlier nor while the earlier one still waits.
function inversions(
  line: readonly SentMessage[],
  messages: ReadonlyMap<string, MessageRow>,
): Finding[] {
  const waited = line
    .flatMap(({ id }) => messages.get(id) ?? [])
    .filter(({ state }) => state !== "cancelled")
  return waited.flatMap((message, at) => {
    const before = waited[at - 1]
    if (!before || place(before) <= place(message)) return []
    return [finding("order", `${message.id} at ${message.seq}, ${before.id} at ${before.seq}`)]
  })
}

// A row and the event that tells of it are one commit, so a stream's events have no gap.
function gaps({ streams, events }: Remains): Finding[] {
  const byStream = Map.groupBy(events, ({ stream_id }) => stream_id)
  return streams.flatMap((stream) => {
    let next = stream.first_seq
    for (const { seq, count } of byStream.get(stream.id) ?? []) {
      if (seq !== next) return [finding("events", `${stream.id}: ${seq} after ${next}`)]
      next = seq + count
    }
    return next === stream.next_seq ? [] : [finding("events", `${stream.id} ends at ${next}`)]
  })
}
