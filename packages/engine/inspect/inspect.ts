import { readPart } from "compositor-core/parts/read-part"
import type { Capture } from "../loading/load.ts"
import { Refusal } from "compositor-core/message/refusal"
import type { Session, StoredMessage, Turn } from "compositor-core/message/row"
import { upgradePart } from "compositor-core/message/upgrade"
import type { DryRun } from "compositor-core/contract/lowering"
import type { DryRunInput } from "../reports/dry-run.ts"
import { readInstructions } from "../turns/instructions.ts"
import type { Store } from "../store/store.ts"

export interface InspectDependencies {
  readonly store: Store
  lower(draft: DryRunInput): Promise<DryRun>
}

/** Every stage of one message side by side: as it was composed, as it is stored, how it waited, what
 *  each turn sent and received, and what the wire would carry now (DBG-001..005). It answers for every
 *  session: what cannot be told of one is left empty, with the reason. */
export async function inspectMessage(
  rooms: InspectDependencies,
  session_id: string,
  message_id?: string,
) {
  const { store } = rooms
  const session = await store.session(session_id)
  if (!session) throw new Refusal("not_found", `there is no session ${session_id}`)
  const message = await found(store, session_id, message_id)
  if (!message)
    return { ...NOTHING_SAID, ...(await store.canonical(session_id, [])), ...about(session) }
  const turns = await store.turns(message.session_id, message.id)
  const requests = await Promise.all(turns.map((turn) => requestOf(store, turn)))
  const answers = await answersTo(store, message, turns)
  const captures = await capturesOf(store, message)
  return {
    ...(await store.canonical(session_id, [message.id, ...answers.map(({ id }) => id)])),
    message_id: message.id,
    timeline: timeline(message, turns, answers),
    composed: message.metadata.composer_input ?? null,
    parts: message.parts.map(({ id, index, data }) => ({ id, index, part: data })),
    queue: queueOf(message),
    turns: requests,
    captures: [...captures.values()],
    lowered: await loweredNow(rooms, session, { message, captures, turn: turns.at(-1) }),
    answers,
    usage: turns.at(-1)?.usage ?? null,
    ...about(session),
  }
}

function about({ cost_usd, permissions }: Session) {
  return { cost_usd, permissions }
}

/** What there is to say of a session in which nothing was said yet. */
const NOTHING_SAID = {
  message_id: null,
  timeline: [],
  composed: null,
  parts: [],
  queue: null,
  turns: [],
  captures: [],
  lowered: notLowered("nothing was said yet"),
  answers: [],
  usage: null,
}

async function found(
  store: Store,
  session_id: string,
  message_id?: string,
): Promise<StoredMessage | undefined> {
  if (message_id !== undefined) {
    const message = await store.message(session_id, message_id)
    if (message) return message
    throw new Refusal("not_found", `there is no message ${message_id} in session ${session_id}`)
  }
  return (await lastOfUser(store, session_id)) ?? (await store.queue(session_id))[0]
}

const PAGE = 50

async function lastOfUser(store: Store, session_id: string): Promise<StoredMessage | undefined> {
  let before: string | undefined
  do {
    const page = await store.history(session_id, { limit: PAGE, before })
    const last = page.messages.findLast(({ role }) => role === "user")
    if (last) return last
    before = page.next ?? undefined
  } while (before !== undefined)
  return undefined
}

async function requestOf(store: Store, turn: Turn) {
  const { system_prompt_digest: digest, tool_catalog_digest: tools } = turn
  const catalog = tools === null ? null : await store.systemPrompt(tools)
  return {
    turn,
    model: turn.model,
    temperature: null,
    system_prompt: digest === null ? null : await store.systemPrompt(digest),
    tool_catalog: readCatalog(catalog),
    receipts: await store.receipts(turn.session_id, turn.id),
  }
}

/** The tools that the request offered. Another program's turn, kept by the proxy, says nothing of them. */
function readCatalog(stored: string | null): unknown[] {
  return stored === null || stored === "" ? [] : JSON.parse(stored)
}

async function answersTo(store: Store, message: StoredMessage, turns: readonly Turn[]) {
  const ids = new Set(turns.map(({ id }) => id))
  if (message.seq === null) return []
  const later = await store.historyAfter(message.session_id, message.seq)
  return later.filter(({ metadata }) => ids.has(String(metadata.turn_id)))
}

async function capturesOf(store: Store, message: StoredMessage): Promise<Map<string, Capture>> {
  const found = await Promise.all(message.parts.map(({ id }) => store.capture(id)))
  const kept = found.filter((capture) => capture !== null)
  return new Map(kept.map((capture) => [capture.part_id, JSON.parse(capture.data_json)]))
}

function queueOf(message: StoredMessage) {
  const { queued_at = null, queue_enqueued_at = null, queue_canceled_at = null } = message.metadata
  const { state, seq, position } = message
  return { state, seq, position, queued_at, queue_enqueued_at, queue_canceled_at }
}

function timeline(
  message: StoredMessage,
  turns: readonly Turn[],
  answers: readonly StoredMessage[],
) {
  const moments = [
    { at: message.created_at, what: "stored", id: message.id },
    ...turns.map((turn) => ({
      at: turn.started_at,
      what: `turn ${turn.attempt} began`,
      id: turn.id,
    })),
    ...answers.map((answer) => ({
      at: answer.created_at,
      what: "request recorded",
      id: answer.id,
    })),
    ...turns.flatMap((turn) =>
      turn.ended_at === null
        ? []
        : [{ at: turn.ended_at, what: `turn ${turn.state}`, id: turn.id }],
    ),
  ]
  return moments.sort((left, right) => left.at - right.at)
}

interface Subject {
  readonly message: StoredMessage
  readonly captures: ReadonlyMap<string, Capture>
  readonly turn: Turn | undefined
}

/** What the wire would carry now. A model that is not known here, of an import or of another program,
 *  has none. */
async function loweredNow(
  rooms: InspectDependencies,
  session: Session,
  { message, captures, turn }: Subject,
): Promise<DryRun | NotLowered> {
  const version = Number(message.metadata.schema_version ?? 1)
  const draft: DryRunInput = {
    parts: message.parts.map(({ data }) => readPart(upgradePart(data, version))),
    ids: message.parts.map(({ id }) => id),
    message_id: message.id,
    ...(turn ? { instructions: readInstructions(message.metadata.instructions) } : {}),
    captures,
    model: turn?.model ?? session.model,
    workspace_root: session.workspace_root,
    with_body: true,
  }
  try {
    return await rooms.lower(draft)
  } catch (error) {
    if (error instanceof Refusal) return notLowered(error.message)
    throw error
  }
}

interface NotLowered {
  readonly api: string
  readonly body: null
  readonly tokens: 0
  /** Why there is nothing to show. */
  readonly reason: string
}

function notLowered(reason: string): NotLowered {
  return { api: "", body: null, tokens: 0, reason }
}
