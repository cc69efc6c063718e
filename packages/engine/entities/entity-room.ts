import type { Vocabulary } from "compositor-core/compose/vocabulary"
import type { Session } from "compositor-core/message/row"
import type { TurnHandler } from "../turns/turn-handler.ts"
import type { Agent } from "../agents/agent.ts"
import type { Claim } from "../store/store.ts"
import { type AnyDefinition, agentOf, defineEntity } from "./definition.ts"
import { Entities } from "./entities.ts"
import { type HeardChange, type HeardMessage, heardAgain, heardBy } from "./session-inbox.ts"
import { Inbox } from "./inbox.ts"
import { Observations } from "./observations.ts"
import type { EntityRooms } from "./rooms.ts"
import { Schedules } from "./schedules.ts"
import type { InboxMetadata } from "./wake.ts"
import { type Commands, commandsIn, type TypedIn, vocabularyIn } from "./session-commands.ts"

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
  return definitions.map(agentOf)
}

/** All that a house has for entities. */
export class EntityRoom {
  readonly entities: Entities
  readonly inbox: Inbox
  readonly schedules: Schedules
  readonly #rooms: EntityRooms
  readonly #observations: Observations

  constructor(rooms: EntityRooms, definitions: readonly AnyDefinition[]) {
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
  async commands(place: TypedIn): Promise<Commands> {
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
  heard(session: Session, message: HeardMessage): Promise<InboxMetadata | undefined> {
    return heardBy({ store: this.#rooms.store, entities: this.entities }, session, message)
  }

  /** The same of one that waits and is changed. */
  heardAgain(change: HeardChange): Promise<InboxMetadata | undefined> {
    return heardAgain({ store: this.#rooms.store, entities: this.entities }, change)
  }

  start() {
    this.#observations.start()
    void this.entities.refresh()
  }

  async stop() {
    await this.#observations.stop()
  }
}
