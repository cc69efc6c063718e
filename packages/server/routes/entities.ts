import type { Context } from "hono"
import { z } from "zod"
import type { EntityAddress } from "compositor-engine/entities/address"
import { COMPOSER_INPUT, inboxIn } from "compositor-engine/entities/wake"
import { InboxChange, SendRequest } from "compositor-engine/entities/read-send"
import { Refusal } from "compositor-core/message/refusal"
import { Schedule } from "compositor-core/triggers/schedule"
import { type Caller, callerOf, ownerOf, shownTo, workspaceOf } from "../caller.ts"
import { type Asked, type Route, route } from "../route.ts"
import { MessageId } from "../schemas.ts"

const Warning = z.object({ path: z.string(), message: z.string() })
const Sent = z.object({
  key: z.string(),
  txid: z.string(),
  warnings: z.array(Warning).optional(),
})
const Changed = z.object({ txid: z.string(), warnings: z.array(Warning).optional() })
const Tags = z.record(z.string().min(1).max(128), z.string().max(1024))

export const Entity = z.object({
  url: z.string(),
  type: z.string(),
  id: z.string(),
  session_id: z.string(),
  status: z.enum(["running", "idle", "paused", "killed"]),
  streams: z.object({ main: z.string() }),
  args: z.unknown(),
  tags: Tags,
  parent: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  killed_at: z.int().nullable(),
})
const WithTxid = z.object({ entity: Entity, txid: z.string() })

const SpawnBody = z.strictObject({
  args: z.unknown().optional(),
  tags: Tags.optional(),
  parent: z.string().max(512).nullable().optional(),
  workspace_root: z.string().max(4096).nullable().optional(),
  initial_message: z.looseObject({ type: z.string(), payload: z.unknown() }).optional(),
})

const ScheduleBody = z.strictObject({
  schedule: Schedule,
  payload: z.unknown().optional(),
  message_type: z.string().min(1).max(128).optional(),
})

export const entityRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/entity-types",
    summary: "What kinds of entities there are, and what they take",
    answer: z.object({ types: z.array(z.looseObject({ type: z.string() })) }),
    async handle({ host }) {
      const types = host.entities.entities.definitions().map((definition) => ({
        type: definition.type,
        resolve: definition.resolve,
        slash_commands: definition.slashCommands ?? [],
        inbox: [COMPOSER_INPUT, ...Object.keys(definition.inbox ?? {})],
        inbox_closed: definition.inbox_closed ?? false,
        collections: Object.keys(definition.state ?? {}),
      }))
      return { types }
    },
  }),
  route({
    method: "get",
    path: "/v1/entities",
    summary: "Entities, the oldest first",
    query: z.object({
      type: z.string().max(64).optional(),
      status: Entity.shape.status.optional(),
      parent: z.string().max(512).optional(),
    }),
    answer: z.object({ entities: z.array(Entity) }),
    async handle({ host, caller, query }) {
      return { entities: await host.entities.entities.list({ ...query, ...shownTo(caller) }) }
    },
  }),
  route({
    method: "put",
    path: "/v1/entities/:type/:id",
    summary: "Begin an entity; 409 when there is one of that name",
    body: SpawnBody,
    answer: WithTxid,
    status: 201,
    async handle(asked) {
      const { host, body } = asked
      const { initial_message, ...request } = body
      const about = { ...placed(asked.caller), ...request }
      const spawned = await host.entities.entities.spawn(addressIn(asked), about)
      if (initial_message)
        await host.entities.inbox.send(addressIn(asked), initial_message, {
          principal: principalOf(asked.context),
        })
      return spawned
    },
  }),
  route({
    method: "get",
    path: "/v1/entities/:type/:id",
    summary: "One entity",
    answer: z.object({ entity: Entity }),
    async handle(asked) {
      return { entity: await asked.host.entities.entities.get(addressIn(asked)) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/entities/:type/:id",
    summary: "Kill an entity: it takes nothing more, and its stream is closed",
    answer: WithTxid,
    async handle(asked) {
      return asked.host.entities.entities.kill(addressIn(asked))
    },
  }),
  route({
    method: "post",
    path: "/v1/entities/:type/:id/fork",
    summary: "Begin an entity that shares this one's past up to a message",
    body: z.strictObject({
      id: z.string().min(1).max(200).optional(),
      from_message_id: MessageId.optional(),
    }),
    answer: WithTxid,
    status: 201,
    async handle(asked) {
      return asked.host.entities.entities.fork(addressIn(asked), asked.body)
    },
  }),
  route({
    method: "post",
    path: "/v1/entities/:type/:id/send",
    summary: "Send a message; every fault of it is told at once",
    // Checked as a whole further in, so that faults of the request and of its payload come together.
    body: z.unknown().meta(z.toJSONSchema(SendRequest, { io: "input", unrepresentable: "any" })),
    answer: Sent,
    async handle(asked) {
      const { host, body, context } = asked
      const principal = principalOf(context)
      const sent = await host.entities.inbox.send(addressIn(asked), body, { principal })
      return { key: sent.key, txid: sent.txid, ...told(sent.warnings) }
    },
  }),
  route({
    method: "get",
    path: "/v1/entities/:type/:id/inbox",
    summary: "What waits for the entity, in the order in which it will fire",
    answer: z.object({ inbox: z.array(z.looseObject({ key: z.string() })) }),
    async handle(asked) {
      const { session_id } = await asked.host.entities.entities.stored(addressIn(asked))
      const queue = await asked.host.store.queue(session_id)
      const inbox = queue.map(({ id, metadata, state, position }) => ({
        ...inboxIn(id, metadata),
        state,
        position,
      }))
      return { inbox }
    },
  }),
  route({
    method: "patch",
    path: "/v1/entities/:type/:id/inbox/:key",
    summary: "Edit, reorder, pause or release a message that waits; 409 once it fired",
    body: InboxChange,
    answer: Changed,
    async handle(asked) {
      const { host, param, body } = asked
      const { txid, warnings } = await host.entities.inbox.change(
        addressIn(asked),
        param("key"),
        body,
      )
      return { txid, ...told(warnings) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/entities/:type/:id/inbox/:key",
    summary: "Cancel a message that waits; 409 once it fired",
    answer: Changed,
    async handle(asked) {
      return asked.host.entities.inbox.cancel(addressIn(asked), asked.param("key"))
    },
  }),
  route({
    method: "get",
    path: "/v1/entities/:type/:id/commands",
    summary: "The slash commands of the entity as they are now",
    answer: z.object({ commands: z.array(z.looseObject({ name: z.string() })) }),
    async handle(asked) {
      const { session_id } = await asked.host.entities.entities.stored(addressIn(asked))
      return { commands: await asked.host.store.slashCommands(session_id) }
    },
  }),
  route({
    method: "put",
    path: "/v1/entities/:type/:id/schedules/:name",
    summary: "Wake the entity by the clock; the same name again takes its place",
    body: ScheduleBody,
    answer: z.object({ txid: z.string() }),
    async handle(asked) {
      const { host, param, body } = asked
      const { session_id } = await host.entities.entities.stored(addressIn(asked))
      const { schedule, payload, message_type } = body
      const { txid } = await host.entities.schedules.put(session_id, param("name"), {
        schedule,
        payload,
        ...(message_type === undefined ? {} : { message_type }),
      })
      return { txid }
    },
  }),
  route({
    method: "delete",
    path: "/v1/entities/:type/:id/schedules/:name",
    summary: "Wake the entity by this no more",
    answer: z.object({ removed: z.boolean() }),
    async handle(asked) {
      const { session_id } = await asked.host.entities.entities.stored(addressIn(asked))
      const removed = await asked.host.entities.schedules.remove(session_id, asked.param("name"))
      if (!removed) throw new Refusal("not_found", `there is no schedule ${asked.param("name")}`)
      return { removed }
    },
  }),
]

export function addressIn({ param, caller }: Pick<Asked, "param" | "caller">): EntityAddress {
  return { type: param("type"), id: param("id"), principal: ownerOf(caller) }
}

/** Where an entity works when nobody says where. */
export function placed(caller: Caller): { readonly workspace_root?: string | null } {
  return caller.type === "operator" ? {} : { workspace_root: workspaceOf(caller, null) }
}

export function told(warnings: readonly { path: string; message: string }[]) {
  return warnings.length > 0 ? { warnings } : {}
}

const PRINCIPAL = /^(?:user|agent|service|system):[\x21-\x7e]{1,200}$/

/** Who calls: a principal as its token says; the operator as they say, or as who owns the folder. */
export function principalOf(context: Context): string {
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
