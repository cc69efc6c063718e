import { z } from "zod"
import { MAX_NODES } from "../compose/composer-input.ts"
import { MAX_PARTS, MAX_PATH_CHARACTERS, MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { Mode } from "../message/message.ts"
import { editorContextPart } from "../parts/editor-context.ts"
import { SCHEMAS } from "../parts/schemas.ts"
import { QueueState, StoredMessage, Turn } from "../message/row.ts"
import {
  ApprovedShell,
  Fault,
  Inserts,
  Literals,
  MessageId,
  MessageMetadata,
  ModelParameter,
  PageQuery,
  Parts,
  QueuePositionField,
  WrittenPart,
  Typed,
  WrittenMessage,
} from "./fields.ts"
import { route, type SentRequest } from "./route.ts"

/** A file that the server reads; `path` may begin with `file://`. */
const PathAttachment = z.strictObject({
  path: z.string().min(1).max(MAX_PATH_CHARACTERS),
  mime: z.string().min(1).max(255).optional(),
  filename: z.string().min(1).max(1024).optional(),
})
export type PathAttachment = SentRequest<typeof PathAttachment>

/** One message in any of its three forms: typed parts, a source with nodes, or text with paths. */
export const SendBody = z.strictObject({
  /** Made by the caller: the same id twice is the same message, so that a retry is safe. */
  id: MessageId.optional(),
  mode: Mode.optional(),
  model: ModelParameter.optional(),
  position: QueuePositionField.optional(),
  /** A steer is for this turn, and refused when it is over. */
  expected_turn_id: z.string().max(64).optional(),
  metadata: MessageMetadata.optional(),
  /** What the surface can tell of its state, for `@selection` and the like. */
  contexts: z.array(editorContextPart.schema(SCHEMAS)).max(64).optional(),
  approved_shell: ApprovedShell,
  role: z.literal("user").optional(),
  /** The message itself, or, with a source, what is attached to it. */
  parts: Parts.optional(),
  ...Typed,
  /** What was typed is to be sent with the secrets in it. */
  allow_secrets: z.boolean().optional(),
  message: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  /** Files that the server reads, behind all else (ATT-002). */
  attachments: z.array(PathAttachment).max(MAX_PARTS).optional(),
})
export type SendBody = SentRequest<typeof SendBody>
/** A message as the server reads it. */
export type SendRequestBody = z.output<typeof SendBody>

/** What a sender by text may say beside the text. */
export type PromptOptions = Pick<
  SendBody,
  "id" | "mode" | "model" | "metadata" | "position" | "attachments"
>

/** New words (`source`) alone leave the message's other parts where they are; with `parts` or `inserts`,
 *  those and no others go with them. A part that is sent back as it was keeps its id. */
const QueueChange = z.strictObject({
  parts: Parts.optional(),
  ...Typed,
  metadata: MessageMetadata.optional(),
  position: QueuePositionField.optional(),
  /** Put it behind this message; null is the head. */
  after: MessageId.nullable().optional(),
  state: QueueState.optional(),
})
export type QueueChange = SentRequest<typeof QueueChange>

export const SendAnswer = z.object({
  /** Null when all that was said was a command that only shows something. */
  message: StoredMessage.nullable(),
  turn: Turn.nullable(),
  warnings: z.array(Fault),
  /** What commands had to show, as text. */
  shown: z.array(z.object({ command: z.string(), text: z.string() })),
  actions: z.array(z.string()),
  txid: z.string().nullable(),
  replayed: z.boolean(),
})
export type SendAnswer = z.infer<typeof SendAnswer>

export const MessagePage = z.object({
  /** In reading order. */
  messages: z.array(StoredMessage),
  /** The cursor of the page before this one. */
  next: z.string().nullable(),
  stream_next_offset: z.int(),
})
export type MessagePage = z.infer<typeof MessagePage>

export const QueueAnswer = z.object({
  queue: z.array(StoredMessage),
  drain: z.enum(["open", "stopped"]),
})
export type QueueAnswer = z.infer<typeof QueueAnswer>

const ChangedMessage = z.object({ message: StoredMessage, txid: z.string() })

export const messages = {
  sendMessage: route("POST /v1/sessions/:id/messages", {
    about: "Send a message; while a turn runs it waits its turn",
    body: SendBody,
    answer: SendAnswer,
    status: 201,
    errors: { 409: "Another message has the id", 429: "The queue is full" },
  }),
  listMessages: route("GET /v1/sessions/:id/messages", {
    about: "A page of history, the newest first asked for, in reading order",
    query: PageQuery,
    answer: MessagePage,
  }),
  purgeMessage: route("DELETE /v1/sessions/:id/messages/:message", {
    about: "Purge one message's content; the session's stream starts anew",
    answer: WrittenMessage,
  }),
  listQueue: route("GET /v1/sessions/:id/queue", {
    about: "What waits, in the order in which it will fire",
    answer: QueueAnswer,
  }),
  changeQueued: route("PATCH /v1/sessions/:id/queue/:message", {
    about: "Edit, reorder, pause or release a message that waits; 409 once it fired",
    body: QueueChange,
    answer: ChangedMessage,
    errors: { 409: "The message fired already" },
  }),
  cancelQueued: route("DELETE /v1/sessions/:id/queue/:message", {
    about: "Cancel a message that waits; 409 once it fired",
    answer: ChangedMessage,
    errors: { 409: "The message fired already" },
  }),
}

/** What is being composed: the source with what was recognised in it, and what is attached. */
const DraftBody = z.strictObject({
  source: z.string().max(MAX_TEXT_CHARACTERS),
  nodes: z.array(z.looseObject({})).max(MAX_NODES).optional(),
  inserts: Inserts,
  literals: Literals,
  attachments: z.array(WrittenPart).max(MAX_PARTS).optional(),
})
export type DraftBody = SentRequest<typeof DraftBody>

export const DraftAnswer = z.object({
  revision: z.int(),
  draft: DraftBody.nullable(),
  updated_by: z.string().nullable(),
  updated_at: z.int().nullable(),
})
export type DraftAnswer = z.infer<typeof DraftAnswer>

const StashedDraft = z.object({
  id: z.int(),
  draft: DraftBody,
  updated_by: z.string(),
  stashed_at: z.int(),
})

export const drafts = {
  getDraft: route("GET /v1/sessions/:id/draft", {
    about: "The session's draft, the same on every surface",
    answer: DraftAnswer,
  }),
  saveDraft: route("PUT /v1/sessions/:id/draft", {
    about: "Overwrite the draft; one begun from an older revision is stashed and answered with 409",
    body: z.strictObject({
      base_revision: z.int().min(0),
      draft: DraftBody,
      updated_by: z.string().min(1).max(128).default("unknown"),
    }),
    answer: z.object({ revision: z.int(), txid: z.string() }),
    errors: { 409: "Another wrote the draft meanwhile; this one is in the stash" },
  }),
  listStashedDrafts: route("GET /v1/sessions/:id/draft/stash", {
    about: "Drafts that lost against another, the newest first",
    answer: z.object({ stash: z.array(StashedDraft) }),
  }),
}
