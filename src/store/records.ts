import type { Mode, ModelChoice } from "../message/message.ts"
import type {
  Delta,
  Metadata,
  Segment,
  Session,
  StoredMessage,
  Turn,
  TurnState,
  Usage,
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
  readonly answer: { readonly message_id: string; readonly metadata: Metadata }
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
}

export interface TurnEnd extends TurnKey {
  readonly state: Extract<TurnState, "finished" | "aborted" | "error">
  readonly usage: Usage | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly answer: {
    readonly message_id: string
    readonly metadata: Metadata
    readonly parts: readonly PartUpsert[]
  } | null
  /** Who claims the next message in the same commit, if anyone. */
  readonly owner: string | null
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
