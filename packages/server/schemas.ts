import { AnyPart, AnyPartData } from "compositor-core/parts/read-part"
import { editorContextPart } from "compositor-core/parts/editor-context"
import { z } from "zod"
import { MAX_NODES } from "compositor-core/compose/composer-input"
import { ID_PATTERN } from "compositor-core/message/id"
import { MAX_PARTS, MAX_PATH_CHARACTERS, MAX_TEXT_CHARACTERS } from "compositor-core/message/limits"
import { Mode, ModelChoice, parseModelChoice } from "compositor-core/message/message"
import { Metadata, TITLE_PATTERN } from "compositor-core/message/row"

/** What the routes take. Answers are the rows of `core/message/row.ts`. */
const Title = z
  .string()
  .max(200)
  .regex(TITLE_PATTERN, "must be one line without control characters")
/** A database and a browser order strings alike as long as they are ASCII. */
const Position = z.string().regex(/^[!-~]{1,200}$/, "must be 1 to 200 visible ASCII characters")

export const Flag = z
  .enum(["true", "false", "1", "0"])
  .transform((value) => value === "true" || value === "1")

export const Model = z.union([ModelChoice, z.string().min(1).max(256).transform(parseModelChoice)])

export const SessionId = z.string().regex(/^ses_/, "must be a session id").regex(ID_PATTERN)
export const MessageId = z.string().regex(/^msg_/, "must be a message id").regex(ID_PATTERN)

export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  before: z.string().max(200).optional(),
})

export const SessionsQuery = Page.extend({
  archived: Flag.optional(),
  ephemeral: z.union([Flag, z.literal("only")]).optional(),
})

export const NewSession = z.strictObject({
  id: SessionId.optional(),
  title: Title.optional(),
  agent: z.string().min(1).max(128).default("assistant"),
  model: Model.optional(),
  workspace_root: z.string().max(MAX_PATH_CHARACTERS).nullable().optional(),
  metadata: Metadata.optional(),
})

export const SessionPatch = z.strictObject({
  title: Title.nullable().optional(),
  archived: z.boolean().optional(),
  model: Model.optional(),
  agent: z.string().min(1).max(128).optional(),
  metadata: Metadata.optional(),
})

export const NewBranch = z.strictObject({
  from_message_id: MessageId.optional(),
  title: Title.optional(),
  metadata: Metadata.optional(),
})

export const Parts = z.array(AnyPart).max(MAX_PARTS)

/** What only the house says of a message: what woke its session, how it came in, what it stands for.
 *  Whoever could say it could speak as somebody else. */
const HOUSE_KEYS = ["wake", "inbox", "boundary", "compaction", "context_tokens", "copied_from"]

const MessageMetadata = Metadata.superRefine((metadata, context) => {
  for (const key of HOUSE_KEYS)
    if (key in metadata)
      context.addIssue({ code: "custom", path: [key], message: "is set by the house" })
})

const Delivery = {
  id: MessageId.optional(),
  mode: Mode.optional(),
  model: Model.optional(),
  position: Position.optional(),
  expected_turn_id: z.string().max(64).optional(),
  metadata: MessageMetadata.optional(),
  /** What the surface can tell of its state, for `@selection` and the like. */
  contexts: z.array(editorContextPart.schema()).max(64).optional(),
  /** Shell commands of templates that the user was shown and approved, word for word. */
  approved_shell: z
    .array(z.string().max(64 * 1024))
    .max(64)
    .optional(),
}

/** Parts that stand in a source, each before the unit `at`, in order. */
export const Inserts = z
  .array(z.strictObject({ at: z.int().min(0), part: AnyPartData }))
  .max(MAX_PARTS)
  .optional()

/** Words of a source that are words, whatever they look like. */
export const Literals = z.array(z.string().max(MAX_TEXT_CHARACTERS)).max(MAX_NODES).optional()

const Typed = {
  source: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  nodes: z.array(z.unknown()).optional(),
  inserts: Inserts,
  literals: Literals,
}

/** One message in any of its three forms: typed parts, a source with nodes, or text with paths. */
export const SendBody = z.strictObject({
  ...Delivery,
  role: z.literal("user").optional(),
  parts: Parts.optional(),
  ...Typed,
  /** What was typed is to be sent with the secrets in it. */
  allow_secrets: z.boolean().optional(),
  message: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  attachments: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(MAX_PATH_CHARACTERS),
        mime: z.string().min(1).max(255).optional(),
        filename: z.string().min(1).max(1024).optional(),
      }),
    )
    .max(MAX_PARTS)
    .optional(),
})
export type SendBody = z.output<typeof SendBody>

export const QueuePatch = z.strictObject({
  parts: Parts.optional(),
  ...Typed,
  metadata: MessageMetadata.optional(),
  position: Position.optional(),
  after: MessageId.nullable().optional(),
  state: z.enum(["queued", "paused", "editing"]).optional(),
})

export const AbortBody = z.strictObject({ clear: z.boolean().default(false) })

export const LowerBody = z.strictObject({
  message: z.object({
    role: z.literal("user").optional(),
    parts: Parts.optional(),
    ...Typed,
  }),
  model: Model.optional(),
  api: z.string().max(64).optional(),
  session_id: SessionId.optional(),
  workspace_root: z.string().max(MAX_PATH_CHARACTERS).nullable().optional(),
  policy: z
    .object({
      file_refs: z.enum(["auto", "inline", "descriptor"]).default("auto"),
      /** What the message may cost (BEY-12). */
      budget_tokens: z.int().min(0).optional(),
    })
    .optional(),
  with_body: z.boolean().default(true),
  contexts: z.array(editorContextPart.schema()).max(64).optional(),
  approved_shell: z
    .array(z.string().max(64 * 1024))
    .max(64)
    .optional(),
})
