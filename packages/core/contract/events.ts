import { z } from "zod"
import { Delta, StreamEvent } from "../message/row.ts"
import { SessionSummary } from "./sessions.ts"

/** The events of a session's stream (`GET /v1/sessions/:id/events`), each by its name. */
export const sessionEvents = {
  row: StreamEvent,
  delta: Delta,
  /** The stream began anew: read the page again and follow from there. */
  reset: z.object({}),
  /** Sent where nothing else is, so that silence means a dead connection. */
  ping: z.object({}),
}

/** What happened to a turn of any session (EVT-002). */
const TurnNews = z.looseObject({
  type: z.enum(["turn-started", "turn-finished", "approval-requested"]),
})

/** The events of the stream of all sessions (`GET /v1/events`), each by its name. */
export const folderEvents = {
  /** A session as the list shows it now; null when it is gone. */
  row: z.object({
    stream: z.string(),
    type: z.literal("session"),
    key: z.string(),
    value: SessionSummary.nullable(),
  }),
  lifecycle: TurnNews,
  /** Some changes were missed: read the list again. */
  reset: z.object({}),
  ping: z.object({}),
}

/** What an event of a stream says, by the event's name. */
export type SessionEvents = EventsOf<typeof sessionEvents>
export type FolderEvents = EventsOf<typeof folderEvents>

type EventsOf<Table extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Table]: z.output<Table[Name]>
}
