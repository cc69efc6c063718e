import type { Context } from "hono"
import { entities } from "compositor-core/contract/entities"
import { Refusal } from "compositor-core/message/refusal"
import type { EntityAddress } from "compositor-engine/entities/address"
import type { EntityRegistry } from "compositor-engine/entities/entity-room"
import { COMPOSER_INPUT, inboxIn } from "compositor-engine/entities/wake"
import type { Store } from "compositor-engine/store/store"
import { type Caller, callerOf, callerOwner, visibleTo, workspaceOf } from "../caller.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"

export interface EntityEngine {
  readonly store: Pick<Store, "queue" | "slashCommands">
  readonly entities: Pick<EntityRegistry, "entities" | "inbox" | "schedules">
}

export function entityRoutes(engine: EntityEngine): ServedRoute[] {
  return serveRoutes(entities, {
    async listEntityTypes() {
      const types = engine.entities.entities.definitions().map((definition) => ({
        type: definition.type,
        resolve: definition.resolve,
        slash_commands: definition.slashCommands ?? [],
        inbox: [COMPOSER_INPUT, ...Object.keys(definition.inbox ?? {})],
        inbox_closed: definition.inbox_closed ?? false,
        collections: Object.keys(definition.state ?? {}),
      }))
      return { types }
    },
    async listEntities({ caller, query }) {
      return { entities: await engine.entities.entities.list({ ...query, ...visibleTo(caller) }) }
    },
    async spawnEntity(asked) {
      const { body } = asked
      const { initial_message, ...request } = body
      const about = { ...entityWorkspace(asked.caller), ...request }
      const spawned = await engine.entities.entities.spawn(addressIn(asked), about)
      if (initial_message)
        await engine.entities.inbox.send(addressIn(asked), initial_message, {
          principal: readSenderPrincipal(asked.context),
        })
      return spawned
    },
    async getEntity(asked) {
      return { entity: await engine.entities.entities.get(addressIn(asked)) }
    },
    async killEntity(asked) {
      return engine.entities.entities.kill(addressIn(asked))
    },
    async forkEntity(asked) {
      return engine.entities.entities.fork(addressIn(asked), asked.body)
    },
    async sendToEntity(asked) {
      const { body, context } = asked
      const principal = readSenderPrincipal(context)
      const sent = await engine.entities.inbox.send(addressIn(asked), body, { principal })
      return { key: sent.key, txid: sent.txid, ...listWarnings(sent.warnings) }
    },
    async listInbox(asked) {
      const { session_id } = await engine.entities.entities.stored(addressIn(asked))
      const queue = await engine.store.queue(session_id)
      const inbox = queue.map(({ id, metadata, state, position }) => ({
        ...inboxIn(id, metadata),
        state,
        position,
      }))
      return { inbox }
    },
    async changeInbox(asked) {
      const { param, body } = asked
      const { txid, warnings } = await engine.entities.inbox.change(
        addressIn(asked),
        param("key"),
        body,
      )
      return { txid, ...listWarnings(warnings) }
    },
    async cancelInbox(asked) {
      return engine.entities.inbox.cancel(addressIn(asked), asked.param("key"))
    },
    async listEntityCommands(asked) {
      const { session_id } = await engine.entities.entities.stored(addressIn(asked))
      return { commands: await engine.store.slashCommands(session_id) }
    },
    async putSchedule(asked) {
      const { param, body } = asked
      const { session_id } = await engine.entities.entities.stored(addressIn(asked))
      const { schedule, payload, message_type } = body
      const { txid } = await engine.entities.schedules.put(session_id, param("name"), {
        schedule,
        payload,
        ...(message_type === undefined ? {} : { message_type }),
      })
      return { txid }
    },
    async removeSchedule(asked) {
      const { session_id } = await engine.entities.entities.stored(addressIn(asked))
      const removed = await engine.entities.schedules.remove(session_id, asked.param("name"))
      if (!removed) throw new Refusal("not_found", `there is no schedule ${asked.param("name")}`)
      return { removed }
    },
  })
}

/** Who asked, and the parameters that name an entity. */
interface AskedEntity {
  readonly caller: Caller
  readonly param: (name: "type" | "id") => string
}

export function addressIn({ param, caller }: AskedEntity): EntityAddress {
  return { type: param("type"), id: param("id"), principal: callerOwner(caller) }
}

/** Where an entity works when nobody says where. */
export function entityWorkspace(caller: Caller): { readonly workspace_root?: string | null } {
  return caller.type === "operator" ? {} : { workspace_root: workspaceOf(caller, null) }
}

export function listWarnings(warnings: readonly { path: string; message: string }[]) {
  return warnings.length > 0 ? { warnings } : {}
}

const PRINCIPAL = /^(?:user|agent|service|system):[\x21-\x7e]{1,200}$/

/** Who calls: a principal as its token says; the operator as they say, or as who owns the folder. */
export function readSenderPrincipal(context: Context): string {
  const caller = callerOf(context)
  if (caller.type === "principal") return caller.principal.id
  const said = context.req.header("electric-principal")
  if (said === undefined) return "user:local"
  const name = said.startsWith("/principal/") ? decodeURIComponent(said.slice(11)) : said
  if (PRINCIPAL.test(name)) return name
  throw new Refusal("invalid", `${said} is no principal`, [
    { path: "/electric-principal", message: "must be user, agent, service or system, and an id" },
  ])
}
