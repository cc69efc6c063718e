import type { EntitySchema, EntityStatus } from "compositor-core/contract/entities"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import { LIVE_TURN_STATES } from "compositor-core/message/row"
import type { Append, EntityFilter, StoredEntity } from "../store/store.ts"
import { digestOf } from "../submit/digest.ts"
import { checkName, derivedId, type EntityAddress, printEntityAddress } from "./address.ts"
import type { AnyDefinition } from "./definition.ts"
import type { EntityDependencies } from "./rooms.ts"

interface SpawnRequest {
  readonly args?: unknown
  readonly tags?: Readonly<Record<string, string>> | undefined
  readonly parent?: string | null | undefined
  readonly workspace_root?: string | null | undefined
  /** Whose doing it is, so that done again it is done once. */
  readonly spawned_by?: string | undefined
}

/** The entities of a folder: who they are, who they were spawned by, whether they live. */
export class Entities {
  readonly #rooms: EntityDependencies
  readonly #definitions: ReadonlyMap<string, AnyDefinition>

  constructor(rooms: EntityDependencies, definitions: readonly AnyDefinition[]) {
    this.#rooms = rooms
    this.#definitions = new Map(definitions.map((definition) => [definition.type, definition]))
  }

  definitions(): readonly AnyDefinition[] {
    return [...this.#definitions.values()]
  }

  definition(type: string): AnyDefinition {
    const definition = this.#definitions.get(type)
    if (!definition) throw new Refusal("not_found", `there is no entity type ${type}`)
    return definition
  }

  /** The definition of a session's agent, where it has one. */
  definitionOf(agent: string): AnyDefinition | undefined {
    return this.#definitions.get(agent)
  }

  /** Begin an entity. Its handler hears of it first of all. */
  async spawn(
    { type, id, principal = null }: EntityAddress,
    request: SpawnRequest,
  ): Promise<{ entity: EntitySchema; txid: string }> {
    const definition = this.definition(type)
    checkName(id)
    const session_id = newId("ses")
    const { store, default_model, workspace } = this.#rooms
    const { slashCommands: commands = [] } = definition
    const spawned = await store.spawnEntity({
      session: {
        id: session_id,
        agent: type,
        title: id,
        workspace_root: request.workspace_root === undefined ? workspace : request.workspace_root,
        model: definition.model ?? default_model,
        metadata: {},
        principal,
      },
      type,
      name: id,
      args: request.args ?? null,
      tags: request.tags ?? {},
      parent: request.parent ?? null,
      spawned_by: request.spawned_by ?? null,
      commands,
      commands_digest: digestOf(commands),
      wake: this.#spawnWake(session_id, request.args ?? null),
    })
    if (spawned.claim) this.#rooms.take(spawned.claim)
    return { entity: await this.#shown(spawned.entity), txid: spawned.txid }
  }

  #spawnWake(session_id: string, args: unknown): Append {
    return {
      session_id,
      message_id: derivedId("msg", session_id, "spawn"),
      metadata: { wake: { type: "spawn", args } },
      digest: digestOf(["spawn", args]),
      parts: [],
      captures: [],
      mode: "immediate",
      position: null,
      expected_turn_id: null,
      title: null,
      owner: this.#rooms.submitRooms().owner,
    }
  }

  async get(address: EntityAddress): Promise<EntitySchema> {
    return this.#shown(await this.stored(address))
  }

  async stored({ type, id, principal = null }: EntityAddress): Promise<StoredEntity> {
    const found = await this.#rooms.store.entity(type, id, principal)
    if (!found)
      throw new Refusal("not_found", `there is no entity ${printEntityAddress({ type, id })}`)
    return found
  }

  async list(filter: EntityFilter & { readonly status?: EntityStatus | undefined }) {
    const stored = await this.#rooms.store.entities(filter)
    const shown = await Promise.all(stored.map((entity) => this.#shown(entity)))
    return shown.filter(({ status }) => filter.status === undefined || status === filter.status)
  }

  /** It takes no more messages, its turn stops, and its stream is closed. */
  async kill(address: EntityAddress): Promise<{ entity: EntitySchema; txid: string }> {
    const { session_id } = await this.stored(address)
    const { entity, txid } = await this.#rooms.store.killEntity({ session_id })
    await this.#rooms.abort(session_id)
    return { entity: await this.#shown(entity), txid }
  }

  async tag(address: EntityAddress, tags: Readonly<Record<string, string | null>>) {
    const { session_id } = await this.stored(address)
    const { entity, txid } = await this.#rooms.store.tagEntity({ session_id, tags })
    return { entity: await this.#shown(entity), txid }
  }

  /** Another entity that has this one's past, up to a message. */
  async fork(
    address: EntityAddress,
    {
      id,
      from_message_id = null,
    }: { id?: string | undefined; from_message_id?: string | null | undefined },
  ): Promise<{ entity: EntitySchema; txid: string }> {
    const source = await this.stored(address)
    const session_id = newId("ses")
    const name = id ?? `${source.name}-fork-${session_id.slice(-6)}`
    checkName(name)
    const branch = { id: session_id, parent_id: source.session_id, from_message_id, title: name }
    const { entity, txid } = await this.#rooms.store.forkEntity({
      branch: { ...branch, metadata: {} },
      name,
      parent: printEntityAddress(address),
    })
    return { entity: await this.#shown(entity), txid }
  }

  /** A definition may have changed while nobody ran: what its entities offer follows it (EA-012). */
  async refresh() {
    const { store, log } = this.#rooms
    for (const { type, slashCommands: commands = [] } of this.definitions()) {
      const digest = digestOf(commands)
      for (const session_id of await store.outdatedEntities(type, digest))
        await store
          .declareCommands({ session_id, commands, digest })
          .catch((error: unknown) => log?.(`commands of ${session_id}: ${String(error)}`))
    }
  }

  /** A session that names the type and was not spawned gets what the definition declares, too. */
  async introduce(session_id: string, { slashCommands: commands = [] }: AnyDefinition) {
    if (commands.length === 0) return
    const { store } = this.#rooms
    const known = new Set((await store.slashCommands(session_id)).map(({ name }) => name))
    if (commands.every(({ name }) => known.has(name))) return
    await store.declareCommands({ session_id, commands, digest: digestOf(commands) })
  }

  async #shown(entity: StoredEntity): Promise<EntitySchema> {
    const { type, name: id } = entity
    const url = printEntityAddress({ type, id })
    const streams = { main: `/v1/stream/entities${url}` }
    return { ...entity, id, url, status: await this.#statusOf(entity), streams }
  }

  async #statusOf({ session_id, killed_at }: StoredEntity): Promise<EntityStatus> {
    if (killed_at !== null) return "killed"
    const turn = await this.#rooms.store.latestTurn(session_id)
    if (turn && (LIVE_TURN_STATES as readonly string[]).includes(turn.state)) return "running"
    const [head] = await this.#rooms.store.queue(session_id)
    return head?.state === "paused" ? "paused" : "idle"
  }
}
