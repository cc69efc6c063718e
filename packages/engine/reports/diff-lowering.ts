import type { DiffLoweringAnswer, TurnDifference } from "compositor-core/contract/models"
import { Refusal } from "compositor-core/message/refusal"
import type { Session, Turn } from "compositor-core/message/row"
import { LOWERING_VERSION } from "compositor-core/model/receipt"
import type { Store, StoredReceipt } from "../store/store.ts"
import type { MessageReceipt } from "../turns/lower-message.ts"
import { receiptDifferences } from "./receipt-difference.ts"
import {
  Relowering,
  type RelowerDependencies,
  type SpokenHistory,
  readSpokenHistory,
} from "./relower.ts"

interface DiffLoweringDependencies extends RelowerDependencies {
  readonly store: RelowerDependencies["store"] &
    Pick<Store, "session" | "sessions" | "turns" | "receipts">
}

export interface DiffLoweringQuery {
  /** Receipts that this version of the lowering or a later one wrote. */
  readonly since: number
  readonly session_id?: string | undefined
  /** Only sessions of one principal. */
  readonly principal?: string | undefined
}

const PAGE = 100
const MAX_TURNS = 1000

/** Which stored turns would be lowered differently now, and how: what their receipts say against
 *  what lowering the same history for the same model says today. */
export async function diffLowering(
  rooms: DiffLoweringDependencies,
  { since, session_id, principal }: DiffLoweringQuery,
): Promise<DiffLoweringAnswer> {
  const turns: TurnDifference[] = []
  let compared = 0
  for await (const session of sessionsOf(rooms, session_id, principal))
    for await (const turn of comparedTurns(rooms, session, since)) {
      compared += 1
      if (turn.changes.length > 0) turns.push(turn)
      if (turns.length > MAX_TURNS)
        return { since, now: LOWERING_VERSION, compared, turns: turns.slice(0, -1), more: true }
    }
  return { since, now: LOWERING_VERSION, compared, turns, more: false }
}

async function* sessionsOf(
  { store }: DiffLoweringDependencies,
  id: string | undefined,
  principal: string | undefined,
): AsyncIterable<Session> {
  if (id !== undefined) {
    const session = await store.session(id)
    if (!session) throw new Refusal("not_found", `there is no session ${id}`)
    yield session
    return
  }
  let before: string | undefined
  do {
    const every = { limit: PAGE, archived: true, ephemeral: true }
    const page = await store.sessions({ ...every, before, principal })
    yield* page
    before = page.length < PAGE ? undefined : page.at(-1)?.id
  } while (before !== undefined)
}

async function* comparedTurns(
  rooms: DiffLoweringDependencies,
  session: Session,
  since: number,
): AsyncIterable<TurnDifference> {
  const turns = await rooms.store.turns(session.id)
  if (turns.length === 0) return
  const said = await readSpokenHistory(rooms, session)
  const ends = turnEnds(said, turns)
  const relowerings = new Map<string, Relowering | undefined>()
  for (const turn of turns) {
    const end = ends.get(turn.message_id)
    const stored = await rooms.store.receipts(session.id, turn.id)
    if (end === undefined || !stored.some(({ version }) => version >= since)) continue
    const key = JSON.stringify(turn.model)
    if (!relowerings.has(key)) relowerings.set(key, relowering(rooms, turn, said))
    const lowering = relowerings.get(key)
    await lowering?.goTo(end)
    yield difference(turn, stored, lowering)
  }
}

/** Up to where in the history each turn was told: all that its message set off. */
function turnEnds({ messages }: SpokenHistory, turns: readonly Turn[]): Map<string, number> {
  const began = new Set(turns.map(({ message_id }) => message_id))
  const starts = messages.flatMap(({ id }, at) => (began.has(id) ? [{ id, at }] : []))
  return new Map(starts.map(({ id }, index) => [id, starts[index + 1]?.at ?? messages.length]))
}

/** Of a model that nobody knows any more there is nothing to compare with. */
function relowering(
  rooms: DiffLoweringDependencies,
  turn: Turn,
  said: SpokenHistory,
): Relowering | undefined {
  const model = rooms.models.find(turn.model)
  return model && new Relowering(rooms, said, { choice: turn.model, model })
}

/** A turn told of what was new in it and, when its model was new, of all: only that is compared. */
function difference(
  turn: Turn,
  stored: readonly StoredReceipt[],
  lowering: Relowering | undefined,
): TurnDifference {
  const { session_id, id: turn_id, model, capabilities_revision } = turn
  const told = new Set(stored.map(({ message_id }) => message_id))
  const now = [...told].flatMap((message_id) => lowering?.receiptsOf(message_id) ?? [])
  return {
    session_id,
    turn_id,
    model,
    version: Math.min(...stored.map(({ version }) => version)),
    capabilities_revision: {
      stored: capabilities_revision,
      now: lowering?.capabilities.revision ?? null,
    },
    changes: receiptDifferences(stored.map(ofPart), now),
  }
}

function ofPart(stored: StoredReceipt): MessageReceipt {
  const { message_id, turn_id: _, ...receipt } = stored
  return { message_id, receipt }
}
