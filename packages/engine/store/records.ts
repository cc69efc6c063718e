import type { Mode, ModelChoice } from "compositor-core/message/message"
import type { Metadata, Session, StoredMessage } from "compositor-core/message/row"
import type { Claim, NewCapture } from "./turn-records.ts"

export interface NewSession {
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly workspace_root: string | null
  readonly model: ModelChoice
  readonly metadata: Metadata
  /** Whose it is; the operator's where it is not said. Its branches are the same one's. */
  readonly principal?: string | null | undefined
}

export interface NewUpload {
  readonly content_id: string
  readonly size: number
  readonly mime: string
  readonly principal?: string | null | undefined
}

export interface SessionChange {
  readonly id: string
  readonly title?: string | null
  readonly archived?: boolean
  readonly model?: ModelChoice
  /** Who answers from the next turn on. */
  readonly agent?: string
  readonly metadata?: Metadata
}

export interface SessionChanged {
  readonly session: Session
  readonly txid: string
}

export interface Rewound extends SessionChanged {
  /** What the host kept of the world before each message that is hidden now, oldest first: the first
   *  is how it was where the session goes on (SES-011). */
  readonly snapshot_ids: readonly string[]
}

export interface Branch {
  readonly id: string
  readonly parent_id: string
  readonly from_message_id: string | null
  readonly title: string | null
  readonly metadata: Metadata
  /** What both sides are told where the branch begins. */
  readonly note?: { readonly message_id: string; readonly part_id: string; readonly text: string }
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
  /** How long it is left to whoever edits it. */
  readonly lease_ms?: number
}

/** A message whose editor is gone. */
export interface AbandonedEdit {
  readonly session_id: string
  readonly message_id: string
  /** It was held before it was edited. */
  readonly paused: boolean
}

export interface MessageChanged {
  readonly message: StoredMessage
  readonly txid: string
}

export interface DraftRecord {
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

/** Something that goes along with the next message: put beside what the draft holds already. */
export interface DraftAttachment {
  readonly session_id: string
  readonly part_json: string
  readonly updated_by: string
}

export type DraftSaved =
  | { readonly type: "saved"; readonly revision: number; readonly txid: string }
  | { readonly type: "stashed"; readonly current: DraftRecord }

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
  /** Sidecars too, or nothing else. */
  readonly ephemeral?: boolean | "only"
  /** Only those of one principal. */
  readonly principal?: string | undefined
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

/** A part that may carry bytes, and where its message stands. */
export interface CarriedPart {
  readonly id: string
  readonly seq: number
  readonly data_json: string
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
    | "entity"
    | "slash_command"
    | "entity_row"
    | "entity_effect"
    | "observation"
    | "system_prompt"
    | "blob"
  readonly data: Readonly<Record<string, string | number | null>>
}

export interface Imported {
  readonly rows: number
  /** Sessions with messages that wait: none of them fires before somebody touches their queue. */
  readonly held: string[]
  /** Entities whose names were taken here, by the names that they have now. */
  readonly renamed: string[]
}

export interface Canonical {
  readonly session: ExportRow["data"]
  readonly messages: readonly {
    readonly message: ExportRow["data"]
    readonly parts: readonly ExportRow["data"][]
  }[]
}
