import { z } from "zod"
import { InboxMetadata } from "compositor-core/contract/entities"
import type { ComposerInput } from "compositor-core/compose/composer-input"
import { Mode } from "compositor-core/message/message"
import type { Metadata, StoredMessage } from "compositor-core/message/row"
import { TriggerEnvelope } from "compositor-core/triggers/trigger"
import type { InboxSchemas } from "./definition.ts"
import type { OutputOf } from "./standard-schema.ts"

export const COMPOSER_INPUT = "composer_input"
export const PLAIN_MESSAGE = "message"

type InboxAttachment = NonNullable<InboxMetadata["attachments"]>[number]

/** Why a message that nobody typed is in the queue. */
export const WakeMetadata = z.discriminatedUnion("type", [
  z.object({ type: z.literal("spawn"), args: z.unknown() }),
  z.object({
    type: z.literal("observation"),
    entity: z.object({ type: z.string(), id: z.string() }),
    /** The rows that changed, as they stood when the wake was written. */
    changes: z.array(
      z.object({
        type: z.string(),
        key: z.string(),
        operation: z.enum(["insert", "update", "delete"]),
        value: z.unknown().optional(),
      }),
    ),
    from_offset: z.string(),
    to_offset: z.string(),
  }),
])
export type WakeMetadata = z.infer<typeof WakeMetadata>

interface MessageOf<Type extends string, Payload> {
  readonly key: string
  readonly message_type: Type
  /** The same under the name that others use. */
  readonly type: Type
  readonly payload: Payload
  readonly from?: string
  readonly mode: Mode
  readonly attachments?: readonly InboxAttachment[]
  readonly timestamp: string
}

/** What a wake brings: an input, what the definition declares, or something plain. Where the inbox is
 *  open other types arrive too; a handler that wants them declares them. */
export type InboxMessage<Inbox extends InboxSchemas = InboxSchemas> =
  | MessageOf<typeof COMPOSER_INPUT, ComposerInput>
  | { [Type in keyof Inbox & string]: MessageOf<Type, OutputOf<Inbox[Type]>> }[keyof Inbox & string]
  | MessageOf<typeof PLAIN_MESSAGE, unknown>

export interface InboxWake<Inbox extends InboxSchemas = InboxSchemas> {
  readonly type: "inbox"
  readonly message: InboxMessage<Inbox>
}
interface SpawnWake {
  readonly type: "spawn"
  readonly key: string
  readonly args: unknown
}
interface ScheduleWake {
  readonly type: "schedule"
  readonly key: string
  /** Its name, where the entity gave it one. */
  readonly schedule: string | undefined
  readonly fired_at: number
  readonly payload: unknown
}
interface ObservationWake {
  readonly type: "observation"
  readonly key: string
  readonly entity: { readonly type: string; readonly id: string }
  readonly changes: Extract<WakeMetadata, { type: "observation" }>["changes"]
  readonly from_offset: string
  readonly to_offset: string
}

/** Why a handler runs (EA-020). */
export type HandlerWake<Inbox extends InboxSchemas = InboxSchemas> =
  | InboxWake<Inbox>
  | SpawnWake
  | ScheduleWake
  | ObservationWake

/** What an entity kept of a schedule when it was made. */
export interface KnownSchedule {
  readonly id: string
  readonly payload: unknown
  /** It is delivered as a message of this type. */
  readonly message_type?: string | undefined
}

export function wakeOf(message: StoredMessage, schedule: KnownSchedule | undefined): HandlerWake {
  const { id: key, metadata } = message
  const wake = WakeMetadata.safeParse(metadata.wake)
  if (wake.success) return { ...wake.data, key } as SpawnWake | ObservationWake
  const trigger = TriggerEnvelope.safeParse(metadata.trigger)
  if (trigger.success && isClock(trigger.data)) {
    const { fired_at } = trigger.data
    const payload = schedule ? schedule.payload : wordsOf(message)
    if (schedule?.message_type === undefined)
      return { type: "schedule", key, schedule: schedule?.id, fired_at, payload }
    return inboxWake(message, { ...PLAIN, key, message_type: schedule.message_type, payload })
  }
  return inboxWake(message, inboxOf(message))
}

const PLAIN = { mode: "queued" } as const

function isClock({ source }: TriggerEnvelope): boolean {
  return source === "schedule" || source === "self-schedule"
}

function inboxWake(message: StoredMessage, inbox: InboxMetadata): InboxWake {
  const { message_type, payload, ...rest } = inbox
  const timestamp = new Date(message.created_at).toISOString()
  const told = { ...rest, message_type, type: message_type, timestamp }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type has read its payload
  return { type: "inbox", message: { ...told, payload } as InboxMessage }
}

/** A message that came by another way than `send` is what it says: an input, or words. */
function inboxOf(message: StoredMessage): InboxMetadata {
  const read = inboxIn(message.id, message.metadata)
  return read.payload === undefined ? { ...read, payload: { text: wordsOf(message) } } : read
}

/** As much of it as the row itself knows. */
export function inboxIn(key: string, metadata: Metadata): InboxMetadata {
  const { composer_input } = metadata
  const read = InboxMetadata.safeParse(metadata.inbox)
  if (read.success) {
    const isInput = read.data.message_type === COMPOSER_INPUT
    return isInput ? { ...read.data, payload: composer_input } : read.data
  }
  if (composer_input !== undefined)
    return { ...PLAIN, key, message_type: COMPOSER_INPUT, payload: composer_input }
  return { ...PLAIN, key, message_type: PLAIN_MESSAGE }
}

function wordsOf({ parts }: StoredMessage): string {
  return parts.flatMap(({ data }) => (typeof data.text === "string" ? [data.text] : [])).join("")
}
