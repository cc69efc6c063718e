import type { TurnHandler } from "../session/handled.ts"
import type { Agent } from "../session/agent.ts"
import type { Claim } from "../store/store.ts"
import { type AnyDefinition, agentOf, defineEntity } from "./definition.ts"
import { Entities } from "./entities.ts"
import { Inbox } from "./inbox.ts"
import { Observations } from "./observations.ts"
import type { EntityRooms } from "./rooms.ts"
import { Schedules } from "./schedules.ts"

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

  start() {
    this.#observations.start()
    void this.entities.refresh()
  }

  async stop() {
    await this.#observations.stop()
  }
}
