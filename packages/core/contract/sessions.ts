import { z } from "zod"
import { directoryRefPart } from "../parts/directory-ref.ts"
import { SCHEMAS } from "../parts/schemas.ts"
import { quotePart } from "../parts/quote.ts"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "../message/limits.ts"
import { Metadata, Session, SessionStatus, Turn } from "../message/row.ts"
import { Flag, MessageId, ModelParameter, PageQuery, SessionId, Title } from "./fields.ts"
import { route, type SentRequest } from "./route.ts"

const SessionsQuery = PageQuery.extend({
  archived: Flag.optional(),
  ephemeral: z.union([Flag, z.literal("only")]).optional(),
})

const NewSession = z.strictObject({
  id: SessionId.optional(),
  title: Title.optional(),
  agent: z.string().min(1).max(128).default("assistant"),
  model: ModelParameter.optional(),
  workspace_root: z.string().max(MAX_PATH_CHARACTERS).nullable().optional(),
  metadata: Metadata.optional(),
})

const SessionChanges = z.strictObject({
  title: Title.nullable().optional(),
  archived: z.boolean().optional(),
  model: ModelParameter.optional(),
  /** Who answers from the next turn on. */
  agent: z.string().min(1).max(128).optional(),
  metadata: Metadata.optional(),
})
export type SessionChanges = SentRequest<typeof SessionChanges>

const NewBranch = z.strictObject({
  from_message_id: MessageId.optional(),
  title: Title.optional(),
  metadata: Metadata.optional(),
})

/** A session as a list shows it. */
export const SessionSummary = Session.extend({ status: SessionStatus, queued: z.int() })
export type SessionSummary = z.infer<typeof SessionSummary>

export const SessionAnswer = z.object({ session: Session, status: SessionStatus, queued: z.int() })
export type SessionAnswer = z.infer<typeof SessionAnswer>

export const SessionChanged = z.object({ session: Session, txid: z.string() })

/** A message of a sidecar, or some of its text, for the conversation it was opened from. */
const BroughtBack = z.strictObject({
  message_id: MessageId,
  range: z.strictObject({ start: z.int().min(0), end: z.int().min(0) }).optional(),
})
export type BroughtBack = SentRequest<typeof BroughtBack>

/** A folder that a person gave to a session, to read. */
const GivenFolder = z.object({ id: z.string(), name: z.string() })
const GivenFolders = z.object({ scopes: z.array(GivenFolder) })

export const sessions = {
  listSessions: route("GET /v1/sessions", {
    about: "Sessions, the last used first",
    query: SessionsQuery,
    answer: z.object({ sessions: z.array(SessionSummary), next: z.string().nullable() }),
  }),
  createSession: route("POST /v1/sessions", {
    about: "Begin a session",
    body: NewSession,
    answer: SessionChanged,
    status: 201,
  }),
  getSession: route("GET /v1/sessions/:id", {
    about: "One session, its status and how many messages wait",
    answer: SessionAnswer,
  }),
  changeSession: route("PATCH /v1/sessions/:id", {
    about: "Rename, archive, restore, or choose another model or agent",
    body: SessionChanges,
    answer: SessionChanged,
  }),
  deleteSession: route("DELETE /v1/sessions/:id", {
    about: "Delete a session and its content; with cascade its branches too",
    query: z.object({ cascade: Flag.optional() }),
    answer: z.object({ deleted: z.array(z.string()), branches: z.array(z.string()) }),
  }),
  branchSession: route("POST /v1/sessions/:id/branch", {
    about: "Begin a session that shares this one's history up to a message",
    body: NewBranch,
    answer: SessionChanged,
    status: 201,
  }),
  rewindSession: route("POST /v1/sessions/:id/rewind", {
    about: "Hide a message and all behind it; null hides everything",
    body: z.strictObject({ before_message_id: MessageId.nullable() }),
    /** With what the host kept of the world before the messages that are hidden now (SES-011). */
    answer: SessionChanged.extend({ snapshot_ids: z.array(z.string()) }),
  }),
  unrewindSession: route("POST /v1/sessions/:id/unrewind", {
    about: "Take the last rewind back",
    body: z.strictObject({}),
    answer: SessionChanged,
  }),
  getSessionStatus: route("GET /v1/sessions/:id/status", {
    about: "What the session is doing",
    answer: SessionStatus,
  }),
  abortTurn: route("POST /v1/sessions/:id/abort", {
    about: "Stop the running turn; with clear, cancel what waits too",
    body: z.strictObject({ clear: z.boolean().default(false) }),
    answer: z.object({ aborted: Turn.nullable(), cancelled: z.array(z.string()) }),
  }),
}

/** What can be done with a side conversation beside talking in it (BEY-09). */
export const sidecars = {
  closeSidecar: route("POST /v1/sessions/:id/close", {
    about: "Close a sidecar: keep it among the sidecars, promote it to a session, or delete it",
    body: z.strictObject({ as: z.enum(["keep", "promote", "delete"]).default("keep") }),
    /** The session is null where it was deleted. */
    answer: z.object({ session: Session.nullable(), deleted: z.array(z.string()) }),
    errors: { 409: "The session is no sidecar" },
  }),
  bringBackQuote: route("POST /v1/sessions/:id/bring-back", {
    about: "Put what was said here into the parent's draft, as a quote with its source",
    body: BroughtBack,
    /** `session_id` is the parent, whose draft has the quote now. */
    answer: z.object({
      session_id: z.string(),
      part: quotePart.schema(SCHEMAS),
      revision: z.int(),
      txid: z.string(),
    }),
  }),
}

/** Folders that a person gives to one session, to read. A surface asks for one only where a person
 *  chose it: a folder that was dropped, a picker of the system, `--dir` (CMPH-002). */
export const folders = {
  giveFolder: route("POST /v1/sessions/:id/scopes", {
    about: "Give this session a folder to read; the answer has the part that a message carries",
    body: z.strictObject({
      path: z.string().min(1).max(MAX_PATH_CHARACTERS),
      name: z.string().min(1).max(MAX_NAME_CHARACTERS).optional(),
    }),
    answer: z.object({ scope: GivenFolder, part: directoryRefPart.schema(SCHEMAS) }),
    status: 201,
  }),
  listGivenFolders: route("GET /v1/sessions/:id/scopes", {
    about: "The folders that this session may read",
    answer: GivenFolders,
  }),
  takeFolder: route("DELETE /v1/sessions/:id/scopes/:scope", {
    about: "Take a folder back; what was read of it stays read",
    answer: GivenFolders,
  }),
}
