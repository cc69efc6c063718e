import { recordOf } from "compositor-core/message/untyped"
import type { MessageRow, StreamEvent } from "compositor-core/message/row"
import { inboxIn } from "./wake.ts"

/** A row of the inbox, as readers of Electric's streams know it. */
interface InboxRow {
  readonly key: string
  readonly from?: string | undefined
  readonly payload?: unknown
  readonly message_type: string
  readonly timestamp: string
  readonly mode: string
  readonly status: "pending" | "processed"
  readonly position?: string
  readonly processed_at?: string
  readonly attachments?: readonly unknown[] | undefined
}

/** An event of a session as an entity's stream tells it: what was sent to it is its inbox. One event
 *  is one event, so that a place in one stream is the same place in the other. */
export function entityEvent(event: StreamEvent): StreamEvent {
  if (event.type !== "message" || event.value === null) return event
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
  const message = event.value as unknown as MessageRow
  if (message.role !== "user") return event
  const { inbox, wake } = message.metadata
  if (wake !== undefined) return event
  const key = keyOf(inbox) ?? message.id
  if (message.state === "cancelled")
    return { ...event, type: "inbox", key, value: null, headers: gone(event) }
  return { ...event, type: "inbox", key, value: { ...inboxRow(message) } }
}

function keyOf(inbox: unknown): string | undefined {
  const key = recordOf(inbox).key
  return typeof key === "string" ? key : undefined
}

// What is cancelled is not in the inbox any more.
function gone({ headers }: StreamEvent): StreamEvent["headers"] {
  return { ...headers, operation: "delete" }
}

function inboxRow(message: MessageRow): InboxRow {
  const inbox = inboxIn(message.id, message.metadata)
  const fired = message.state === "fired"
  return {
    ...inbox,
    payload: inbox.payload ?? { message_id: message.id },
    timestamp: new Date(message.created_at).toISOString(),
    status: fired ? "processed" : "pending",
    ...(message.position === null ? {} : { position: message.position }),
    ...(fired ? { processed_at: new Date(message.updated_at).toISOString() } : {}),
  }
}
