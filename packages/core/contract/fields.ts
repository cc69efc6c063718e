import { z } from "zod"
import { MAX_NODES } from "../compose/composer-input.ts"
import { ID_PATTERN } from "../message/id.ts"
import { MAX_PARTS, MAX_PATH_CHARACTERS, MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { ModelChoice, parseModelChoice } from "../message/message.ts"
import type { PartData } from "../parts/define-part.ts"
import { AnyPart, AnyPartData } from "../parts/read-part.ts"
import type { Part } from "../parts/table.ts"
import { Metadata, TITLE_PATTERN } from "../message/row.ts"
import type { SentRequest } from "./route.ts"

/** Fields that the routes of several subjects take or answer with. */
export const Title = z
  .string()
  .max(200)
  .regex(TITLE_PATTERN, "must be one line without control characters")

/** A database and a browser order strings alike as long as they are ASCII. */
export const QueuePositionField = z
  .string()
  .regex(/^[!-~]{1,200}$/, "must be 1 to 200 visible ASCII characters")

/** In an address a flag is a word; a client says it as true or false. */
export const Flag = z
  .enum(["true", "false", "1", "0"])
  .transform((value) => value === "true" || value === "1") as unknown as z.ZodType<boolean, boolean>

export const ModelParameter = z.union([
  ModelChoice,
  z.string().min(1).max(256).transform(parseModelChoice),
])
/** A model as a sender names it: "provider/model", or both by themselves. */
export type ModelName = SentRequest<typeof ModelParameter>

export const SessionId = z.string().regex(/^ses_/, "must be a session id").regex(ID_PATTERN)
export const MessageId = z.string().regex(/^msg_/, "must be a message id").regex(ID_PATTERN)
const WorkspacePath = z.string().max(MAX_PATH_CHARACTERS)

export const PageQuery = z.object({
  limit: z.coerce.number<number>().int().min(1).max(500).default(50),
  before: z.string().max(200).optional(),
})

/** Whose commands, memories or servers: those of a session's workspace, or of a folder. */
export const CommandsQuery = { session: SessionId.optional(), workspace: WorkspacePath.optional() }
const WhereQuery = z.object(CommandsQuery)
export type CommandsQuery = SentRequest<typeof WhereQuery>

/** What is wrong with a request or worth knowing about it, and at which of its fields. */
export const Fault = z.object({ path: z.string(), message: z.string() })
export type Fault = z.infer<typeof Fault>

export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(Fault).optional(),
  }),
})

/** A part of a message that is sent: a surface writes it, and the server reads it. */
const SentPart = AnyPart as unknown as z.ZodType<Part, PartData>
/** A part that stays as it is written: in a draft, in an answer. */
export const WrittenPart = AnyPartData as unknown as z.ZodType<PartData, PartData>
export const Parts = z.array(SentPart).max(MAX_PARTS)

/** What only the server says of a message: what woke its session, how it came in, what it stands for.
 *  Whoever could say it could speak as somebody else. */
const SERVER_KEYS = ["wake", "inbox", "boundary", "compaction", "context_tokens", "copied_from"]

export const MessageMetadata = Metadata.superRefine((metadata, context) => {
  for (const key of SERVER_KEYS)
    if (key in metadata)
      context.addIssue({ code: "custom", path: [key], message: "is set by the house" })
})

/** A part that stands in a source, before the unit `at`. */
const Insert = z.strictObject({ at: z.int().min(0), part: WrittenPart })
export type InsertField = SentRequest<typeof Insert>

/** Parts that stand in a source, in order. */
export const Inserts = z.array(Insert).max(MAX_PARTS).optional()

/** Words of a source that are words, whatever they look like. */
export const Literals = z.array(z.string().max(MAX_TEXT_CHARACTERS)).max(MAX_NODES).optional()

/** What was typed, and what a surface knows of it beyond the text. */
export const Typed = {
  /** Commands and references in it are found by the server. */
  source: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  /** What was recognised in it, where a surface knows more than the text says. */
  nodes: z.array(z.unknown()).optional(),
  inserts: Inserts,
  literals: Literals,
}

/** Shell commands of templates that the user was shown and approved, word for word. */
export const ApprovedShell = z
  .array(z.string().max(64 * 1024))
  .max(64)
  .optional()

/** The transaction that wrote a change: a stream that reached it has told of the change. */
export const WrittenMessage = z.object({ txid: z.string() })
