import { z } from "zod"
import { ModelChoice } from "./message.ts"

/** What is stored, as the API shows it: the documents' rows with their JSON columns opened. */
export const Usage = z.object({
  input: z.int(),
  output: z.int(),
  reasoning: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  /** In dollars, by the catalog of that day; absent where it names no price (SES-003). */
  cost_usd: z.number().optional(),
})
export type Usage = z.infer<typeof Usage>

export const Metadata = z.record(z.string(), z.unknown())
export type Metadata = z.infer<typeof Metadata>

/** One stretch of history: the messages of `owner` from `from` to `to`, both inclusive; `to: null`
 *  is the open end, where this session writes (decision 2). */
export const Segment = z.object({ owner: z.string(), from: z.int(), to: z.int().nullable() })
export type Segment = z.infer<typeof Segment>

export const Session = z.object({
  id: z.string(),
  agent: z.string(),
  title: z.string().nullable(),
  workspace_root: z.string().nullable(),
  model: ModelChoice,
  parent_id: z.string().nullable(),
  parent_message_id: z.string().nullable(),
  permissions: z.array(z.unknown()),
  metadata: Metadata,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  reasoning_tokens: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number(),
  path: z.array(Segment),
  path_revision: z.int(),
  drain: z.enum(["open", "stopped"]),
  created_at: z.int(),
  updated_at: z.int(),
  archived_at: z.int().nullable(),
})
export type Session = z.infer<typeof Session>

export const QueueState = z.enum(["queued", "paused", "editing"])
export const MessageState = z.enum([...QueueState.options, "fired", "cancelled"])
export type MessageState = z.infer<typeof MessageState>

export const StoredPart = z.object({
  id: z.string(),
  message_id: z.string(),
  session_id: z.string(),
  index: z.int(),
  type: z.string(),
  data: z.looseObject({}),
  tool_call_id: z.string().nullable(),
  tool_state: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
})
export type StoredPart = z.infer<typeof StoredPart>

export const MessageRow = z.object({
  id: z.string(),
  session_id: z.string(),
  role: z.enum(["user", "assistant", "system"]),
  metadata: Metadata,
  state: MessageState,
  /** Its place in history, given when it fires; null while it waits (decision 11). */
  seq: z.int().nullable(),
  /** Its place in the queue while it waits (QUE-005). */
  position: z.string().nullable(),
  /** Said of one that waits to be taken into the running turn (EA-022). */
  mode: z.literal("steer").optional(),
  created_at: z.int(),
  updated_at: z.int(),
})
export type MessageRow = z.infer<typeof MessageRow>

export const StoredMessage = MessageRow.extend({ parts: z.array(StoredPart) })
export type StoredMessage = z.infer<typeof StoredMessage>

export const TurnState = z.enum([
  "running",
  "retrying",
  "waiting_on_approval",
  "waiting_on_user_input",
  "finished",
  "aborted",
  "error",
  "interrupted",
])
export type TurnState = z.infer<typeof TurnState>
export const LIVE_TURN_STATES = [
  "running",
  "retrying",
  "waiting_on_approval",
  "waiting_on_user_input",
] as const satisfies readonly TurnState[]

/** What a person must settle before a turn goes on, one for each call (SES-071). */
export const Wait = z.object({
  call_id: z.string(),
  tool: z.string(),
  /** Whether it may run, what to answer it, or what to do about one that a crash cut off. */
  for: z.enum(["approval", "answer", "interrupted"]),
  /** What the rules want to hear about. */
  asks: z.array(z.object({ permission: z.string(), subject: z.string() })),
  reason: z.string().optional(),
})
export type Wait = z.infer<typeof Wait>

export const Retry = z.object({ attempt: z.int(), message: z.string() })
export type Retry = z.infer<typeof Retry>

export const Turn = z.object({
  id: z.string(),
  session_id: z.string(),
  message_id: z.string(),
  agent: z.string(),
  /** 1 when the message fired; one more each time an interrupted turn was taken up again. */
  attempt: z.int(),
  state: TurnState,
  model: ModelChoice,
  api: z.string().nullable(),
  /** Which turn of the session this is; every write of the turn carries it (fencing token). */
  fence: z.int(),
  system_prompt_digest: z.string().nullable(),
  tool_catalog_digest: z.string().nullable(),
  capabilities_revision: z.string().nullable(),
  usage: Usage.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  waiting: z.array(Wait),
  /** The provider's trouble that is being waited out. */
  retry: Retry.nullable(),
  /** What the user should know about how the turn went, each a sentence. */
  notices: z.array(z.string()),
  started_at: z.int(),
  ended_at: z.int().nullable(),
})
export type Turn = z.infer<typeof Turn>

export const SessionStatus = z.object({
  state: z.enum([
    "idle",
    "busy",
    "retrying",
    "waiting_on_approval",
    "waiting_on_user_input",
    "error",
  ]),
  attempt: z.int().optional(),
  message: z.string().optional(),
  started_at: z.int().optional(),
  message_id: z.string().optional(),
  turn_id: z.string().optional(),
})
export type SessionStatus = z.infer<typeof SessionStatus>

/** One row of a stream, in the State Protocol's shape; a `delta` lives on a turn's own stream. */
export const StreamEvent = z.object({
  seq: z.int(),
  type: z.string(),
  key: z.string(),
  value: z.looseObject({}).nullable(),
  headers: z.object({
    operation: z.enum(["insert", "update", "delete"]),
    txid: z.string(),
  }),
})
export type StreamEvent = z.infer<typeof StreamEvent>

/** Text as it arrives: words, thoughts, or the input of a tool call. `offset` counts UTF-16 units from
 *  the part's start, so that applying a delta twice changes nothing. */
export const Delta = z.object({
  turn_id: z.string(),
  message_id: z.string(),
  part_id: z.string(),
  part_index: z.int(),
  part_type: z.string(),
  tool_call_id: z.string().optional(),
  offset: z.int(),
  text: z.string(),
})
export type Delta = z.infer<typeof Delta>

export function statusOf(turn: Turn | undefined): SessionStatus {
  if (!turn) return { state: "idle" }
  const about = { message_id: turn.message_id, turn_id: turn.id, started_at: turn.started_at }
  switch (turn.state) {
    case "running":
      return { state: "busy", ...about, ...(turn.attempt > 1 ? { attempt: turn.attempt } : {}) }
    case "retrying":
      return { state: turn.state, ...about, attempt: turn.attempt, ...turn.retry }
    case "waiting_on_approval":
    case "waiting_on_user_input":
      return { state: turn.state, ...about, attempt: turn.attempt, ...waitingFor(turn) }
    case "error":
      return { state: "error", ...about, message: turn.error?.message ?? "the turn failed" }
    case "finished":
    case "aborted":
    case "interrupted":
      return { state: "idle" }
  }
}

function waitingFor({ waiting }: Turn): { message?: string } {
  const reasons = waiting.map(({ tool, reason }) => (reason ? `${tool}: ${reason}` : tool))
  return reasons.length > 0 ? { message: reasons.join("; ") } : {}
}

/** Controls, and marks that turn the direction of what follows. A title is shown in lists, terminals among
 *  them, which would obey them. */
const MARKS = "\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069"

/** What a title is made of: one line without controls. */
export const TITLE_PATTERN = new RegExp(`^[^${MARKS}]*$`, "u")

/** A title without what it may not hold, where nobody is there to be refused. */
export function cleanTitle(text: string): string {
  return text.replace(new RegExp(`[${MARKS}]+`, "gu"), " ").trim()
}

type Kin = Pick<Session, "parent_id" | "metadata">

/** A sidecar is a branch that the list of sessions does not show (UX-020). */
export function isSidecar({ parent_id, metadata }: Kin): boolean {
  return parent_id !== null && metadata.ephemeral === true
}

/** It may look and not change anything, unless its metadata say `tools: "all"` (BEY-09). */
export function looksOnly(session: Kin): boolean {
  return isSidecar(session) && session.metadata.tools !== "all"
}
