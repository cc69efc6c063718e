import type { Mode, ModelChoice } from "../message/message.ts"
import type {
  Delta,
  Metadata,
  Retry,
  Segment,
  Session,
  StoredMessage,
  Turn,
  TurnState,
  Usage,
  Wait,
} from "../message/row.ts"
import type { Receipt } from "../model/receipt.ts"

export interface NewSession {
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly workspace_root: string | null
  readonly model: ModelChoice
  readonly metadata: Metadata
}

export interface SessionChange {
  readonly id: string
  readonly title?: string | null
  readonly archived?: boolean
  readonly model?: ModelChoice
  readonly metadata?: Metadata
}

export interface SessionChanged {
  readonly session: Session
  readonly txid: string
}

export interface Branch {
  readonly id: string
  readonly parent_id: string
  readonly from_message_id: string | null
  readonly title: string | null
  readonly metadata: Metadata
}

export interface NewPart {
  readonly id: string
  readonly type: string
  /** The part as it is persisted, verbatim. */
  readonly data_json: string
  readonly blob: NewBlob | null
  readonly tool_call_id?: string
  readonly tool_state?: string
}

/** Bytes that a part needs. `stored`: the caller put them there just now; else they were uploaded. */
export interface NewBlob {
  readonly content_id: string
  readonly size: number
  readonly mime: string
  readonly stored: boolean
}

export interface Append {
  readonly session_id: string
  readonly message_id: string
  readonly metadata: Metadata
  readonly digest: string
  readonly parts: readonly NewPart[]
  readonly mode: Mode
  readonly position: string | null
  readonly expected_turn_id: string | null
  readonly captures: readonly NewCapture[]
  /** What an untitled session is called after this message. */
  readonly title: string | null
  /** Who would run the turn, when this process runs turns. */
  readonly owner: string | null
}

export interface Appended {
  readonly message: StoredMessage
  readonly claim: Claim | null
  readonly replayed: boolean
  readonly txid: string
}

export interface QueuedChange {
  readonly session_id: string
  readonly message_id: string
  readonly parts?: readonly NewPart[]
  readonly captures?: readonly NewCapture[]
  readonly metadata?: Metadata
  readonly position?: string
  /** Put it behind this message; null puts it first. */
  readonly after?: string | null
  readonly state?: "queued" | "paused" | "editing"
}

export interface MessageChanged {
  readonly message: StoredMessage
  readonly txid: string
}

/** A message that fires, and the right to write its turn: `turn.fence` with every later write. */
export interface Claim {
  readonly turn: Turn
  readonly path: readonly Segment[]
  readonly path_revision: number
  readonly workspace_root: string | null
  /** What the message asks of its session instead of a model (decision 6). */
  readonly action: SessionAction | null
  /** The session's own permission rules. */
  readonly permissions: readonly unknown[]
  /** No person sent the message, so nobody is there to be asked (TRG-002). */
  readonly headless: boolean
  /** An answer that the turn begins with: it goes on where it was left, or where another was, and what
   *  that answer called may still be open. */
  readonly answer_id: string | null
}

/** What a command does to its session when it fires. */
export type SessionAction =
  | { readonly type: "archive" }
  | { readonly type: "clear" }
  | { readonly type: "branch"; readonly title: string | null }
  | { readonly type: "rewind"; readonly messages: number }
  | { readonly type: "model"; readonly model: ModelChoice }

export interface ActionPerformed extends TurnKey {
  readonly action: SessionAction
  /** Where the branch goes, when it is one. */
  readonly branch_id: string
  readonly answer_id: string
  readonly part_id: string
  readonly owner: string | null
}

export interface TurnKey {
  readonly turn_id: string
  readonly fence: number
}

export interface NewCapture {
  readonly part_id: string
  readonly blob: NewBlob | null
  readonly data_json: string
}
export interface StoredCapture {
  readonly part_id: string
  readonly session_id: string
  readonly content_id: string | null
  readonly data_json: string
}
export interface StoredReceipt extends Receipt {
  readonly turn_id: string
  readonly message_id: string
}

export interface RequestRecord extends TurnKey {
  readonly api: string
  readonly capabilities_revision: string
  readonly system_prompt: { readonly digest: string; readonly body: string }
  readonly tool_catalog: { readonly digest: string; readonly body: string }
  readonly receipts: readonly { readonly message_id: string; readonly receipt: Receipt }[]
  readonly captures: readonly NewCapture[]
  /** The answer's row; one that is there already is asked for again. */
  readonly answer: { readonly message_id: string; readonly metadata: Metadata }
  /** Media that the model would not take when it was asked before (BEY-02). */
  readonly refused?: readonly { readonly content_id: string; readonly reason: string }[]
  /** What the user should know about it. */
  readonly notices?: readonly string[]
}

export interface StreamRecord extends TurnKey {
  readonly message_id: string
  readonly deltas: readonly Delta[]
  readonly parts: readonly PartUpsert[]
}

export interface PartUpsert {
  readonly id: string
  readonly index: number
  readonly type: string
  readonly data_json: string
  readonly tool_call_id?: string
  readonly tool_state?: string
  /** Bytes that the part needs from now on. */
  readonly blobs?: readonly NewBlob[]
}

/** An answer as it stands when the model has said it. */
export interface Answer {
  readonly message_id: string
  readonly metadata: Metadata
  readonly parts: readonly PartUpsert[]
}

/** The model has spoken, and its calls follow. */
export interface AnswerEnd extends TurnKey {
  readonly answer: Answer
  readonly usage: Usage | null
}

/** Calls as they start and as they end. */
export interface CallRecord extends TurnKey {
  readonly message_id: string
  readonly parts: readonly PartUpsert[]
  /** One of them starts and may change something: from here on the turn is not repeated by itself. */
  readonly side_effects: boolean
}

export interface RetryRecord extends TurnKey {
  /** Null when the provider answers again. */
  readonly retry: Retry | null
}

export interface WaitRecord extends TurnKey {
  readonly waiting: readonly Wait[]
}

/** What a person says to a call that waits for it. */
export type Resolution =
  | { readonly type: "approve" }
  | { readonly type: "deny"; readonly reason: string | null }
  | { readonly type: "answer"; readonly answers: readonly (readonly string[])[] }
  /** Run a call again that may have run. */
  | { readonly type: "retry" }
  /** Leave it as it is, and tell the model. */
  | { readonly type: "skip" }

export interface CallResolution {
  readonly session_id: string
  readonly turn_id: string
  readonly call_id: string
  readonly resolution: Resolution
  /** Rules that hold in the session from now on ("always"). */
  readonly rules: readonly Readonly<Record<string, unknown>>[]
  /** Who goes on with the turn when nothing of it waits any more. */
  readonly owner: string | null
}

export interface CallResolved {
  readonly turn: Turn
  readonly claim: Claim | null
  readonly txid: string
}

export interface TurnEnd extends TurnKey {
  readonly state: Extract<TurnState, "finished" | "aborted" | "error">
  /** Of the last step; the store adds up. */
  readonly usage: Usage | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly answer: Answer | null
  /** Who claims the next message in the same commit, if anyone. */
  readonly owner: string | null
  /** The caller is a loop: what was steered in the meantime keeps the turn going (EA-022). */
  readonly takes_steers?: boolean
}

export interface TurnEnded {
  /** Still running when something was steered into it. */
  readonly turn: Turn
  readonly next: Claim | null
  readonly steered: readonly string[]
  readonly txid: string
}

export interface Interruption extends TurnKey {
  readonly beat: number
  readonly owner: string | null
  readonly refire: boolean
}

export interface Draft {
  readonly session_id: string
  readonly revision: number
  readonly body_json: string
  readonly updated_by: string
  readonly updated_at: number
}

export interface StashedDraft {
  readonly id: number
  readonly body_json: string
  readonly updated_by: string
  readonly stashed_at: number
}

export interface DraftSave {
  readonly session_id: string
  readonly base_revision: number
  readonly body_json: string
  readonly updated_by: string
}

export type DraftSaved =
  | { readonly type: "saved"; readonly revision: number; readonly txid: string }
  | { readonly type: "stashed"; readonly current: Draft }

export interface LiveTurn {
  readonly turn: Turn
  readonly owner: string
  readonly beat: number
  readonly abort_requested: boolean
}

export interface Deleted {
  readonly deleted: string[]
  /** Branches that still read what the session wrote; it goes with the last of them (SES-021). */
  readonly branches: string[]
  readonly content_ids: string[]
}

export interface SessionFilter {
  readonly limit: number
  readonly before?: string | undefined
  readonly archived?: boolean
  readonly ephemeral?: boolean
}

export interface HistoryPage {
  readonly messages: StoredMessage[]
  readonly next: string | null
  readonly stream_next_offset: number
}

/** A part and a message as they are stored, their JSON unopened. */
export interface RawPart {
  readonly id: string
  readonly type: string
  readonly data_json: string
}

export interface RawMessage {
  readonly id: string
  readonly role: StoredMessage["role"]
  readonly seq: number
  readonly created_at: number
  readonly metadata_json: string
  readonly parts: readonly RawPart[]
}

/** One line of an export: a row as it is stored, its JSON columns verbatim (DBG-002). */
export interface ExportRow {
  readonly type:
    | "session"
    | "message"
    | "part"
    | "turn"
    | "receipt"
    | "capture"
    | "system_prompt"
    | "blob"
  readonly data: Readonly<Record<string, string | number | null>>
}

export interface Canonical {
  readonly session: ExportRow["data"]
  readonly messages: readonly {
    readonly message: ExportRow["data"]
    readonly parts: readonly ExportRow["data"][]
  }[]
}
