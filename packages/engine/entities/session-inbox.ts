import type { ComposerInput } from "compositor-core/compose/composer-input"
import type { Mode } from "compositor-core/message/message"
import type { CommandPart, Part, UnknownPart } from "compositor-core/message/part"
import { Refusal } from "compositor-core/message/refusal"
import type { Session, StoredMessage } from "compositor-core/message/row"
import type { Store } from "../store/store.ts"
import { buttonCommand } from "../submit/button-command.ts"
import { printAddress } from "./address.ts"
import { type AnyDefinition, hasOwnWays } from "./definition.ts"
import type { Entities } from "./entities.ts"
import { readPayload } from "./read-send.ts"
import { COMPOSER_INPUT, type InboxMetadata, inboxIn, PLAIN_MESSAGE } from "./wake.ts"

/** A message that was said to a session, not sent to an entity. */
export interface HeardMessage {
  readonly key: string
  readonly from?: string | undefined
  readonly mode: Mode
  /** What was typed, where the surface said it. */
  readonly input?: ComposerInput | undefined
  readonly parts: readonly (Part | UnknownPart)[]
  /** Where in the request the message stands. */
  readonly path: string
}

export interface HeardChange {
  readonly session: Session
  readonly before: StoredMessage
  readonly said: Pick<HeardMessage, "input" | "parts" | "path">
}

interface Rooms {
  readonly store: Pick<Store, "entityOf">
  readonly entities: Pick<Entities, "definitionOf">
}

/** What the inbox of a session's entity keeps of a message that came by the session's own door, so
 *  that the handler's wake is what a send would have made of it (EA-020); undefined where nobody but
 *  the model hears it. */
export async function heardBy(
  { store, entities }: Rooms,
  session: Session,
  message: HeardMessage,
): Promise<InboxMetadata | undefined> {
  const definition = entities.definitionOf(session.agent)
  if (!definition) return undefined
  if (session.archived_at !== null) await refuseKilled(store, session.id)
  if (!hasOwnWays(definition) || message.parts.every(isButton)) return undefined
  const { key, from, mode, input } = message
  if (input) return { key, from, mode, message_type: COMPOSER_INPUT }
  return { key, from, mode, message_type: PLAIN_MESSAGE, ...(await plain(definition, message)) }
}

/** The same for what a message that waits is changed to: its key, its sender and its mode stay. */
export async function heardAgain(
  rooms: Rooms,
  { session, before, said }: HeardChange,
): Promise<InboxMetadata | undefined> {
  const { payload: _, attachments, ...kept } = inboxIn(before.id, before.metadata)
  if (kept.message_type !== COMPOSER_INPUT && kept.message_type !== PLAIN_MESSAGE)
    throw new Refusal("invalid", `a ${kept.message_type} is changed in the inbox it was sent to`)
  const inbox = await heardBy(rooms, session, { ...kept, ...said })
  return inbox && attachments ? { ...inbox, attachments } : inbox
}

function isButton(part: Part | UnknownPart): boolean {
  return part.type === "command" && buttonCommand(part as CommandPart) !== undefined
}

async function refuseKilled(store: Rooms["store"], session_id: string) {
  const entity = await store.entityOf(session_id)
  if (!entity || entity.killed_at === null) return
  const { type, name: id } = entity
  throw new Refusal("conflict", `the entity ${printAddress({ type, id })} was killed`)
}

/** Words without a source are a plain message: taken where it is declared, or the inbox is open
 *  (EA-034). They stand in the parts, so only what a schema made of them is kept. */
async function plain(
  definition: AnyDefinition,
  { parts, path }: HeardMessage,
): Promise<{ payload?: unknown }> {
  const text = parts.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("")
  const read = await readPayload(definition, PLAIN_MESSAGE, { text })
  if (read.type === "faults") {
    const faults = read.faults.map(({ message }) => ({ path, message }))
    throw new Refusal("invalid", `${path}: ${faults[0]?.message ?? ""}`, faults)
  }
  const { payload } = read.read
  const isDeclared = Object.hasOwn(definition.inbox ?? {}, PLAIN_MESSAGE)
  return isDeclared && payload.type === "other" ? { payload: payload.payload } : {}
}
