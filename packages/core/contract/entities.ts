import { z } from "zod"
import { MAX_MIME_CHARACTERS, MAX_NAME_CHARACTERS, MAX_PARTS } from "../message/limits.ts"
import { Mode } from "../message/message.ts"
import { ContentId } from "../message/file-reference.ts"
import { MessageState } from "../message/row.ts"
import { Schedule } from "../triggers/schedule.ts"
import { Fault, MessageId, WrittenMessage } from "./fields.ts"
import { route } from "./route.ts"

const MAX_KEY_CHARACTERS = 200
const MAX_TYPE_CHARACTERS = 128

const type = z
  .string("must be a string")
  .min(1, "must be a non-empty string")
  .max(MAX_TYPE_CHARACTERS, `must be at most ${MAX_TYPE_CHARACTERS} characters`)
const mode = z.enum(Mode.options, "must be immediate, queued, paused or steer")
const position = z
  .string("must be a string")
  .regex(/^[!-~]{1,200}$/, "must be 1 to 200 visible ASCII characters")
const key = z
  .string("must be a string")
  .regex(/^[!-~]{1,200}$/, `must be 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters`)

/** Bytes that were uploaded and go with the message; an `attachment` node says where in the text. */
export const SentAttachment = z.strictObject({
  id: z.string().min(1).max(MAX_NAME_CHARACTERS),
  content_id: ContentId,
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  mime: z.string().min(1).max(MAX_MIME_CHARACTERS),
  size: z.int().min(0).optional(),
})
export type SentAttachment = z.infer<typeof SentAttachment>

/** The request of the RFC, and what we add to it (EA-005). */
export const SendRequest = z.strictObject({
  from: z.string("must be a string").max(512).optional(),
  type,
  payload: z.unknown(),
  mode: mode.optional(),
  position: position.optional(),
  /** The sender's own name for the message; the same twice is the same message. */
  key: key.optional(),
  /** 409 when that turn is over. */
  expected_turn_id: z.string().max(64).optional(),
  attachments: z.array(SentAttachment).max(MAX_PARTS).optional(),
})
export type SendRequest = z.infer<typeof SendRequest>

export const InboxChange = z.strictObject({
  payload: z.unknown().optional(),
  position: position.optional(),
  mode: mode.optional(),
  status: z.enum(["pending", "processed", "cancelled"]).optional(),
})
export type InboxChange = z.infer<typeof InboxChange>

/** What an entity was sent, as it stands in a message's metadata beside the parts. */
export const InboxMetadata = z.object({
  key: z.string(),
  message_type: z.string(),
  payload: z.unknown().optional(),
  from: z.string().optional(),
  mode: Mode,
  attachments: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        mime: z.string(),
        content_id: z.string(),
        size: z.int().optional(),
      }),
    )
    .optional(),
})
export type InboxMetadata = z.infer<typeof InboxMetadata>

const MAX_DESCRIPTION_CHARACTERS = 4096
const MAX_ARGUMENTS = 50

/** Kebab-case; `skill:` before it where the plain name is another command's. */
export const COMMAND_NAME = /^(?:skill:)?[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

export const SlashCommandArgument = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z][a-zA-Z0-9_]*$/, "must be a camelCase or snake_case argument name"),
  type: z.enum(["string", "number", "boolean"]),
  required: z.boolean().optional(),
  description: z.string().max(MAX_DESCRIPTION_CHARACTERS).optional(),
})

/** What a command of an entity is called and what a surface may say about it; its meaning is the
 *  handler's. */
export const SlashCommand = z.object({
  name: z.string().max(64).regex(COMMAND_NAME, "must be a lowercase kebab-case command name"),
  description: z.string().max(MAX_DESCRIPTION_CHARACTERS).optional(),
  arguments: z
    .array(SlashCommandArgument)
    .max(MAX_ARGUMENTS)
    .refine((all) => isUnique(all), "must have different names")
    .optional(),
})
export type SlashCommand = z.infer<typeof SlashCommand>

/** One who registered a command. */
const SlashCommandLayer = SlashCommand.extend({
  owner: z.string().optional(),
  version: z.string().optional(),
  updated_at: z.string(),
})

/** A command as whoever reads the collection sees it (EA-015). */
const SlashCommandRow = SlashCommandLayer.extend({
  key: z.string(),
  source: z.enum(["static", "dynamic"]),
  /** All who registered it; the last one wins. */
  dynamic_layers: z.array(SlashCommandLayer).optional(),
})

export const SlashCommands = z
  .array(SlashCommand)
  .max(2000)
  .refine((all) => isUnique(all), "must have different names")

function isUnique(all: readonly { readonly name: string }[]): boolean {
  return new Set(all.map(({ name }) => name)).size === all.length
}

const Tags = z.record(z.string().min(1).max(128), z.string().max(1024))

export const EntityStatus = z.enum(["running", "idle", "paused", "killed"])
export type EntityStatus = z.infer<typeof EntityStatus>

export const EntitySchema = z.object({
  url: z.string(),
  type: z.string(),
  id: z.string(),
  name: z.string(),
  session_id: z.string(),
  status: EntityStatus,
  streams: z.object({ main: z.string() }),
  args: z.unknown(),
  tags: Tags,
  /** `/<type>/<name>` of the entity that spawned it. */
  parent: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  killed_at: z.int().nullable(),
})
export type EntitySchema = z.infer<typeof EntitySchema>

const EntityType = z.object({
  type: z.string(),
  /** Who gives commands their meaning. */
  resolve: z.string().optional(),
  slash_commands: z.array(SlashCommand),
  inbox: z.array(z.string()),
  inbox_closed: z.boolean(),
  collections: z.array(z.string()),
})

const ChangedEntity = z.object({ entity: EntitySchema, txid: z.string() })
const ChangedInbox = WrittenMessage.extend({ warnings: z.array(Fault).optional() })
const WaitingMessage = InboxMetadata.extend({
  state: MessageState,
  position: z.string().nullable(),
})

export const entities = {
  listEntityTypes: route("GET /v1/entity-types", {
    about: "What kinds of entities there are, and what they take",
    answer: z.object({ types: z.array(EntityType) }),
  }),
  listEntities: route("GET /v1/entities", {
    about: "Entities, the oldest first",
    query: z.object({
      type: z.string().max(64).optional(),
      status: EntityStatus.optional(),
      parent: z.string().max(512).optional(),
    }),
    answer: z.object({ entities: z.array(EntitySchema) }),
  }),
  spawnEntity: route("PUT /v1/entities/:type/:id", {
    about: "Begin an entity; 409 when there is one of that name",
    body: z.strictObject({
      args: z.unknown().optional(),
      tags: Tags.optional(),
      parent: z.string().max(512).nullable().optional(),
      workspace_root: z.string().max(4096).nullable().optional(),
      initial_message: z.looseObject({ type: z.string(), payload: z.unknown() }).optional(),
    }),
    answer: ChangedEntity,
    status: 201,
    errors: { 409: "There is an entity of that name" },
  }),
  getEntity: route("GET /v1/entities/:type/:id", {
    about: "One entity",
    answer: z.object({ entity: EntitySchema }),
  }),
  killEntity: route("DELETE /v1/entities/:type/:id", {
    about: "Kill an entity: it takes nothing more, and its stream is closed",
    answer: ChangedEntity,
  }),
  forkEntity: route("POST /v1/entities/:type/:id/fork", {
    about: "Begin an entity that shares this one's past up to a message",
    body: z.strictObject({
      id: z.string().min(1).max(200).optional(),
      from_message_id: MessageId.optional(),
    }),
    answer: ChangedEntity,
    status: 201,
  }),
  sendToEntity: route("POST /v1/entities/:type/:id/send", {
    about: "Send a message; every fault of it is told at once",
    // Checked as a whole further in, so that faults of the request and of its payload come together.
    body: z.unknown().meta(z.toJSONSchema(SendRequest, { io: "input", unrepresentable: "any" })),
    answer: ChangedInbox.extend({ key: z.string() }),
  }),
  listInbox: route("GET /v1/entities/:type/:id/inbox", {
    about: "What waits for the entity, in the order in which it will fire",
    answer: z.object({ inbox: z.array(WaitingMessage) }),
  }),
  changeInbox: route("PATCH /v1/entities/:type/:id/inbox/:key", {
    about: "Edit, reorder, pause or release a message that waits; 409 once it fired",
    body: InboxChange,
    answer: ChangedInbox,
    errors: { 409: "The message fired already" },
  }),
  cancelInbox: route("DELETE /v1/entities/:type/:id/inbox/:key", {
    about: "Cancel a message that waits; 409 once it fired",
    answer: ChangedInbox,
    errors: { 409: "The message fired already" },
  }),
  listEntityCommands: route("GET /v1/entities/:type/:id/commands", {
    about: "The slash commands of the entity as they are now",
    answer: z.object({ commands: z.array(SlashCommandRow) }),
  }),
  putSchedule: route("PUT /v1/entities/:type/:id/schedules/:name", {
    about: "Wake the entity by the clock; the same name again takes its place",
    body: z.strictObject({
      schedule: Schedule,
      payload: z.unknown().optional(),
      message_type: z.string().min(1).max(128).optional(),
    }),
    answer: WrittenMessage,
  }),
  removeSchedule: route("DELETE /v1/entities/:type/:id/schedules/:name", {
    about: "Wake the entity by this no more",
    answer: z.object({ removed: z.boolean() }),
  }),
}
