import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { Refusal } from "compositor-core/message/refusal"
import { Turn } from "compositor-core/message/row"
import { Receipt } from "compositor-core/model/receipt"
import { DoorError } from "../errors.ts"
import { folderEvents, placeAfter, sessionEvents } from "../events.ts"
import { type Route, route } from "../route.ts"
import { callRoutes } from "./calls.ts"
import { existing, listed } from "./sessions.ts"

export const turnRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions/:id/turns",
    summary: "The session's turns, or those of one message",
    query: z.object({ message: z.string().max(64).optional() }),
    answer: z.object({ turns: z.array(Turn) }),
    async handle({ host, param, query }) {
      const session = await existing(host, param("id"))
      return { turns: await host.store.turns(session.id, query.message) }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/turns/:turn",
    summary: "One turn",
    answer: z.object({ turn: Turn }),
    async handle({ host, param }) {
      return { turn: await turnOf(host, param("id"), param("turn")) }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/turns/:turn/receipts",
    summary: "What became of every part that was new in the turn's request",
    answer: z.object({
      receipts: z.array(Receipt.extend({ message_id: z.string(), turn_id: z.string() })),
    }),
    async handle({ host, param }) {
      const turn = await turnOf(host, param("id"), param("turn"))
      return { receipts: await host.store.receipts(turn.session_id, turn.id) }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/events",
    summary: "Rows and text as they come, as server-sent events; resumes by Last-Event-ID",
    query: z.object({
      after: z.coerce.number().int().min(0).default(0),
      token: z.string().optional(),
      last_event_id: z.string().max(100).optional(),
    }),
    async handle({ host, param, query, context }) {
      const session = await existing(host, param("id"))
      const last = context.req.header("last-event-id") ?? query.last_event_id
      const place = last === undefined ? undefined : placeAfter(last)
      if (last !== undefined && !place)
        throw new DoorError(422, "validation_failed", `Last-Event-ID ${last} is not one of ours`)
      const start = place ?? { next: query.after, turn_id: null, delta: 0 }
      return sessionEvents(host.store, session.id, start)
    },
  }),
  ...callRoutes,
]

/** The host-wide stream. */
export const folderEventRoute: Route = route({
  method: "get",
  path: "/v1/events",
  summary: "Sessions as they change, as server-sent events; volatile",
  query: z.object({ token: z.string().optional() }),
  async handle({ host, caller }) {
    const describe = async (id: string) => {
      const session = await host.store.session(id)
      return session && listed(host, session)
    }
    const isMeant = async (id: string) =>
      caller.type === "operator" || (await host.owners.of(id)) === caller.principal.id
    return folderEvents(host.store, describe, isMeant)
  },
})

async function turnOf(host: Host, session_id: string, turn_id: string): Promise<Turn> {
  const session = await existing(host, session_id)
  const turn = await host.store.turn(turn_id)
  if (!turn || turn.session_id !== session.id)
    throw new Refusal("not_found", `there is no turn ${turn_id} in session ${session_id}`)
  return turn
}
