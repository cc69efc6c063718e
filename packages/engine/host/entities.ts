import type { AnyDefinition } from "../entities/definition.ts"
import { agentsOf, EntityRegistry } from "../entities/entity-room.ts"
import type { EntityDependencies } from "../entities/rooms.ts"
import type { ModelChoice } from "compositor-core/message/message"
import type { TurnOptions } from "../turns/turn-context.ts"
import type { Store } from "../store/store.ts"
import type { Workspaces } from "../workspaces/workspaces.ts"
import type { Integrations } from "./integrations.ts"
import type { Owners } from "../principals/owners.ts"

/** A host as its entities need it. What it opens later than them is asked for when it is needed. */
interface EntityHouse {
  readonly store: Store
  readonly workspace: string | null
  readonly default_model: ModelChoice
  readonly workspaces: Workspaces
  readonly equipment: Integrations
  readonly owners: Owners
  abort(session_id: string, clear: boolean): Promise<unknown>
}

type Own = Pick<EntityDependencies, "submitRooms" | "take" | "wake" | "scratch">

export function openEntities(
  house: EntityHouse,
  definitions: readonly AnyDefinition[],
  own: Own,
): EntityRegistry {
  const { store, workspace, default_model } = house
  return new EntityRegistry(
    {
      ...own,
      store,
      workspace,
      default_model,
      abort: (session_id) => house.abort(session_id, true),
      ownerOf: (session_id) => house.owners.of(session_id),
      catalog: (root) => house.workspaces.catalog(root),
      servers: (root) => house.workspaces.servers(root),
      memory: (place) => house.equipment.memories.in(place),
      schedule: (session_id, { schedule, prompt }) =>
        house.equipment.triggers.add({
          session_id,
          source: { source: "schedule", schedule },
          prompt,
        }),
      unschedule: (id, session_id) => house.equipment.triggers.remove(id, session_id),
    },
    definitions,
  )
}

/** Turns in which entities answer: as the agents they are, and by their handlers. */
export function withEntities<Options extends TurnOptions>(
  options: Options,
  room: EntityRegistry,
): Options {
  const types = agentsOf(room.entities.definitions())
  return {
    ...options,
    agents: [...types, ...(options.agents ?? [])],
    handler: (claim) => room.handler(claim),
  }
}
