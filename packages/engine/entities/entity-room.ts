import type { Vocabulary } from "compositor-core/compose/vocabulary"
import type { Session, StoredMessage } from "compositor-core/message/row"
import type { TurnHandler } from "../turns/turn-handler.ts"
import type { Agent } from "../agents/agent.ts"
import type { Claim, Store } from "../store/store.ts"
import { agentFromDefinition, type AnyDefinition, defineEntity, hasOwnWays } from "./definition.ts"
import { Entities } from "./entities.ts"
import { Inbox } from "./inbox.ts"
import { Observations } from "./observations.ts"
import type { EntityDependencies } from "./rooms.ts"
import { Schedules } from "./schedules.ts"
import { COMPOSER_INPUT, inboxIn, PLAIN_MESSAGE } from "./wake.ts"
import type { InboxMetadata } from "compositor-core/contract/entities"
import { type CommandLookup, commandsIn, type TypedIn, vocabularyIn } from "./session-commands.ts"
import type { ComposerInput } from "compositor-core/compose/composer-input"
import type { Mode } from "compositor-core/message/message"
import { isWords, type Part, writePart } from "compositor-core/parts/table"
import { Refusal } from "compositor-core/message/refusal"
import { findButtonCommand } from "../submit/find-button-command.ts"
import { printEntityAddress } from "./address.ts"
import { readPayload } from "./read-send.ts"

/** The built-in assistant as an entity type: its handler is the default one. */
const ASSISTANT_ENTITY: AnyDefinition = defineEntity({
  type: "assistant",
  resolve: "submit",
})

/** Definitions by their types, the built-in ones first; a later one takes the place of one before. */
function withBuiltin(given: readonly AnyDefinition[]): AnyDefinition[] {
  return [...new Map([ASSISTANT_ENTITY, ...given].map((one) => [one.type, one])).values()]
}

/** The agents that definitions are. */
export function agentsOf(definitions: readonly AnyDefinition[]): Agent[] {
  return definitions.map(agentFromDefinition)
}

/** All that a house has for entities. */
export class EntityRegistry {
  readonly entities: Entities
  readonly inbox: Inbox
  readonly schedules: Schedules
  readonly #rooms: EntityDependencies
  readonly #observations: Observations

  constructor(rooms: EntityDependencies, definitions: readonly AnyDefinition[]) {
    this.#rooms = rooms
    this.entities = new Entities(rooms, withBuiltin(definitions))
    this.inbox = new Inbox(rooms, this.entities)
    this.schedules = new Schedules(rooms)
    this.#observations = new Observations(rooms)
  }

  /** Who handles a claimed message in a model's stead. */
  async handler(claim: Pick<Claim, "turn">): Promise<TurnHandler | undefined> {
    const { entities, inbox, schedules } = this
    const { session_id, agent } = claim.turn
    // Most sessions are no entity: what handles one is loaded with the first that is.
    if (!entities.definitionOf(agent)?.handler && !(await this.#rooms.store.entityOf(session_id)))
      return undefined
    const { handlerOf } = await import("./handle.ts")
    return handlerOf({ rooms: this.#rooms, entities, inbox, schedules }, claim)
  }

  /** What can be typed in a session. */
  async commands(place: TypedIn): Promise<CommandLookup> {
    return commandsIn(this.#rooms, await this.#definitionIn(place), place)
  }

  /** The words that mean something there. */
  async vocabulary(place: TypedIn): Promise<Vocabulary> {
    return vocabularyIn(this.#rooms, await this.#definitionIn(place), place)
  }

  async #definitionIn({ session_id, agent }: TypedIn): Promise<AnyDefinition | undefined> {
    if (session_id === null) return undefined
    const answering = agent ?? (await this.#rooms.store.session(session_id))?.agent
    return answering === undefined ? undefined : this.entities.definitionOf(answering)
  }

  /** What its entity's inbox keeps of a message that comes by a session's own door. */
  heard(session: Session, message: DeliveredMessage): Promise<InboxMetadata | undefined> {
    return deliverToEntity({ store: this.#rooms.store, entities: this.entities }, session, message)
  }

  /** The same of one that waits and is changed. */
  heardAgain(change: EntityChange): Promise<InboxMetadata | undefined> {
    return redeliverToEntity({ store: this.#rooms.store, entities: this.entities }, change)
  }

  start() {
    this.#observations.start()
    void this.entities.refresh()
  }

  async stop() {
    await this.#observations.stop()
  }
}

/** A message that was said to a session, not sent to an entity. */
interface DeliveredMessage {
  readonly key: string
  readonly from?: string | undefined
  readonly mode: Mode
  /** What was typed, where the surface said it. */
  readonly input?: ComposerInput | undefined
  readonly parts: readonly Part[]
  /** Where in the request the message stands. */
  readonly path: string
}

interface EntityChange {
  readonly session: Session
  readonly before: StoredMessage
  readonly said: Pick<DeliveredMessage, "input" | "parts" | "path">
}

interface Rooms {
  readonly store: Pick<Store, "entityOf">
  readonly entities: Pick<Entities, "definitionOf">
}

/** What the inbox of a session's entity keeps of a message that came by the session's own door, so
 *  that the handler's wake is what a send would have made of it (EA-020); undefined where nobody but
 *  the model hears it. */
async function deliverToEntity(
  { store, entities }: Rooms,
  session: Session,
  message: DeliveredMessage,
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
async function redeliverToEntity(
  rooms: Rooms,
  { session, before, said }: EntityChange,
): Promise<InboxMetadata | undefined> {
  const { payload: _, attachments, ...kept } = inboxIn(before.id, before.metadata)
  if (kept.message_type !== COMPOSER_INPUT && kept.message_type !== PLAIN_MESSAGE)
    throw new Refusal("invalid", `a ${kept.message_type} is changed in the inbox it was sent to`)
  const inbox = await deliverToEntity(rooms, session, { ...kept, ...said })
  return inbox && attachments ? { ...inbox, attachments } : inbox
}

function isButton(part: Part): boolean {
  return part.type === "command" && findButtonCommand(part) !== undefined
}

async function refuseKilled(store: Rooms["store"], session_id: string) {
  const entity = await store.entityOf(session_id)
  if (!entity || entity.killed_at === null) return
  const { type, name: id } = entity
  throw new Refusal("conflict", `the entity ${printEntityAddress({ type, id })} was killed`)
}

/** Words without a source are a plain message: taken where it is declared, or the inbox is open
 *  (EA-034). They stand in the parts, so only what a schema made of them is kept. */
async function plain(
  definition: AnyDefinition,
  { parts, path }: DeliveredMessage,
): Promise<{ payload?: unknown }> {
  const text = parts
    .map(writePart)
    .filter(isWords)
    .map(({ text }) => String(text))
    .join("")
  const read = await readPayload(definition, PLAIN_MESSAGE, { text })
  if (read.type === "faults") {
    const faults = read.faults.map(({ message }) => ({ path, message }))
    throw new Refusal("invalid", `${path}: ${faults[0]?.message ?? ""}`, faults)
  }
  const { payload } = read.read
  const isDeclared = Object.hasOwn(definition.inbox ?? {}, PLAIN_MESSAGE)
  return isDeclared && payload.type === "other" ? { payload: payload.payload } : {}
}
