import { turns } from "compositor-core/contract/turns"
import { Refusal } from "compositor-core/message/refusal"
import type { Turn } from "compositor-core/message/row"
import type { Owners } from "compositor-engine/principals/owners"
import type { Store } from "compositor-engine/store/store"
import { HttpError } from "../errors.ts"
import { type EventStore, folderEvents, positionAfter, sessionEvents } from "../events.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"
import { summaryOf } from "./sessions.ts"

export interface TurnEngine {
  readonly store: EventStore & Pick<Store, "session" | "turns" | "receipts" | "queuedCount">
  readonly owners: Pick<Owners, "of">
}

export function turnRoutes(engine: TurnEngine): ServedRoute[] {
  return serveRoutes(turns, {
    async listTurns({ param, query }) {
      const session = await existing(engine.store, param("id"))
      return { turns: await engine.store.turns(session.id, query.message) }
    },
    async getTurn({ param }) {
      return { turn: await turnOf(engine.store, param("id"), param("turn")) }
    },
    async listReceipts({ param }) {
      const turn = await turnOf(engine.store, param("id"), param("turn"))
      return { receipts: await engine.store.receipts(turn.session_id, turn.id) }
    },
    async followSession({ param, query, context }) {
      const session = await existing(engine.store, param("id"))
      const last = context.req.header("last-event-id") ?? query.last_event_id
      const place = last === undefined ? undefined : positionAfter(last)
      if (last !== undefined && !place)
        throw new HttpError(422, "validation_failed", `Last-Event-ID ${last} is not one of ours`)
      const start = place ?? { next: query.after, turn_id: null, delta: 0 }
      return sessionEvents(engine.store, session.id, start)
    },
    async followSessions({ caller }) {
      const describe = async (id: string) => {
        const session = await engine.store.session(id)
        return session && summaryOf(engine.store, session)
      }
      const isMeant = async (id: string) =>
        caller.type === "operator" || (await engine.owners.of(id)) === caller.principal.id
      return folderEvents(engine.store, describe, isMeant)
    },
  })
}

async function turnOf(
  store: TurnEngine["store"],
  session_id: string,
  turn_id: string,
): Promise<Turn> {
  const session = await existing(store, session_id)
  const turn = await store.turn(turn_id)
  if (!turn || turn.session_id !== session.id)
    throw new Refusal("not_found", `there is no turn ${turn_id} in session ${session_id}`)
  return turn
}
