import type { PartData } from "compositor-core/parts/define-part"
import type { FileAttachmentPart } from "compositor-core/parts/file-attachment"
import type { CommandArgument, Dialect } from "compositor-core/catalog/command"
import type {
  MessageState,
  Session,
  SessionStatus,
  StoredMessage,
  Turn,
} from "compositor-core/message/row"
import type { ModelChoice, Mode } from "compositor-core/message/message"
import type { PromptMessage } from "compositor-core/model/prompt"
import type { Receipt } from "compositor-core/model/receipt"

export type AnyPart = PartData
export type ModelName = ModelChoice | string
export type Metadata = Readonly<Record<string, unknown>>
export type Body = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
export interface Fault {
  readonly path: string
  readonly message: string
}
export interface SessionSummary extends Session {
  readonly status: SessionStatus
  readonly queued: number
}
export interface SessionAnswer {
  readonly session: Session
  readonly status: SessionStatus
  readonly queued: number
}
export interface SessionChanges {
  readonly title?: string | null
  readonly archived?: boolean
  readonly model?: ModelName
  /** Who answers from the next turn on. */
  readonly agent?: string
  readonly metadata?: Metadata
}
export interface MessagePage {
  /** In reading order. */
  readonly messages: readonly StoredMessage[]
  /** Cursor of the page before this one. */
  readonly next: string | null
  readonly stream_next_offset: number
}
export interface QueueAnswer {
  readonly queue: readonly StoredMessage[]
  readonly drain: Session["drain"]
}
/** A part that stands in a source, before the unit `at`. */
export interface Insert {
  readonly at: number
  readonly part: AnyPart
}
export interface SendBody {
  /** Made by the caller: the same id twice is the same message, so that a retry is safe. */
  readonly id?: string
  /** What was typed: commands and references in it are found by the server. */
  readonly source?: string
  /** What was recognised in it, where a surface knows more than the text says. */
  readonly nodes?: readonly object[]
  /** Parts that stand in the source, each before the unit `at`, in order. */
  readonly inserts?: readonly Insert[]
  /** Words of the source that are words, whatever they look like. */
  readonly literals?: readonly string[]
  /** The message itself, or, with a source, what is attached to it. */
  readonly parts?: readonly AnyPart[]
  readonly contexts?: readonly AnyPart[]
  /** Files that the server reads, behind all else (ATT-002). */
  readonly attachments?: readonly PathAttachment[]
  readonly approved_shell?: readonly string[]
  /** The source is to be sent with the secrets in it. */
  readonly allow_secrets?: boolean
  readonly mode?: Mode
  /** A steer is for this turn, and refused when it is over. */
  readonly expected_turn_id?: string
  readonly model?: ModelName
  readonly position?: string
  readonly metadata?: Metadata
}
/** A file that the server reads; `path` may begin with `file://`. */
export interface PathAttachment {
  readonly path: string
  readonly mime?: string
  readonly filename?: string
}
export interface PromptOptions
  extends Pick<SendBody, "id" | "mode" | "model" | "metadata" | "position"> {
  readonly attachments?: readonly PathAttachment[]
}
export interface SendAnswer {
  /** Null when all that was said was a command that only shows something. */
  readonly message: StoredMessage | null
  readonly turn: Turn | null
  readonly warnings: readonly Fault[]
  /** What commands had to show, as text. */
  readonly shown: readonly { readonly command: string; readonly text: string }[]
  readonly actions: readonly string[]
  readonly txid: string | null
  readonly replayed: boolean
}
/** New words (`source`) alone leave the message's other parts where they are; with `parts` or `inserts`,
 *  those and no others go with them. A part that is sent back as it was keeps its id. */
export interface QueueChange extends Pick<SendBody, "source" | "nodes" | "inserts" | "literals"> {
  readonly parts?: readonly AnyPart[]
  readonly metadata?: Metadata
  readonly position?: string
  readonly state?: Extract<MessageState, "queued" | "paused" | "editing">
  /** Put it behind this message; null is the head. */
  readonly after?: string | null
}
/** A call of a tool, by where it was made. */
export interface CallPlace {
  readonly session_id: string
  readonly turn_id: string
  readonly call_id: string
}
export interface CallAnswer {
  readonly turn: Turn
  readonly txid: string
}
export interface ParseAnswer {
  readonly source: string
  readonly nodes: readonly Metadata[]
  /** What would be sent of it. */
  readonly parts: readonly AnyPart[]
  readonly warnings: readonly Fault[]
}
export interface Upload {
  readonly content_id: string
  readonly size: number
  readonly mime: string
  readonly name: string
  /** What to put into a message. */
  readonly part: FileAttachmentPart
}
export interface LowerBody {
  readonly message: {
    readonly source?: string
    readonly nodes?: readonly object[]
    readonly inserts?: readonly Insert[]
    readonly literals?: readonly string[]
    readonly parts?: readonly AnyPart[]
  }
  readonly model?: ModelName
  readonly api?: string
  readonly session_id?: string
  readonly workspace_root?: string | null
  readonly policy?: {
    readonly file_refs?: "auto" | "inline" | "descriptor"
    /** What the message may cost. */
    readonly budget_tokens?: number
  }
  /** The request as it would go out; media make it large. */
  readonly with_body?: boolean
}
export interface LowerAnswer {
  readonly api: string
  readonly model: string
  readonly body: unknown
  readonly prompt: { readonly messages: readonly PromptMessage[] }
  /** The draft as it would be stored: what was typed and what it came to. */
  readonly parts: readonly AnyPart[]
  /** One for each of them. */
  readonly receipts: readonly Receipt[]
  readonly tokens: number
  readonly bytes: number
  /** How full the model's context would be, the session's history included. */
  readonly context: {
    readonly limit_tokens: number
    readonly used_tokens: number
    readonly exact: boolean
  }
  readonly capabilities_revision: string
  readonly warnings: readonly Fault[]
}
export interface StoredReceipt extends Receipt {
  readonly message_id: string
  readonly turn_id: string
}
export interface ModelInfo {
  readonly provider_id: string
  readonly model_id: string
  readonly api: string
  readonly name: string
  readonly context_tokens: number
  readonly output_tokens: number
  readonly input: readonly string[]
  readonly tools: boolean
  /** Who had a say above the embedded list. */
  readonly layers: readonly string[]
  readonly revision: string
  readonly available: boolean
}
export interface CatalogState {
  readonly url: string
  readonly etag: string | null
  readonly fetched_at: number
  readonly checked_at: number
}
export interface ModelsAnswer {
  readonly models: readonly ModelInfo[]
  readonly default: ModelChoice
  readonly refreshed: CatalogState | null
}
export interface RefreshAnswer {
  readonly catalog: {
    readonly type: "recent" | "unchanged" | "updated" | "failed"
    readonly reason: string | null
  }
  readonly probed: readonly {
    readonly provider_id: string
    readonly models: number
    readonly error: string | null
  }[]
  readonly refreshed: CatalogState | null
}
export type Fate = Pick<Receipt, "outcome" | "rule" | "reason" | "bytes" | "tokens" | "content_id">
/** A part whose receipts differ; null where it has none. */
export interface ReceiptChange {
  readonly message_id: string
  readonly part: string
  readonly type: string
  readonly before: Fate | null
  readonly after: Fate | null
}
export interface SwitchSide {
  readonly provider_id: string
  readonly model_id: string
  readonly api: string
  readonly capabilities_revision: string
  readonly context_tokens: number
  readonly tokens: number
  readonly fits: boolean
}
export interface SwitchAnswer {
  readonly session_id: string
  readonly from: SwitchSide
  readonly to: SwitchSide
  readonly changes: readonly ReceiptChange[]
}
export interface DiffLoweringAnswer {
  readonly since: number
  readonly now: number
  readonly compared: number
  readonly turns: readonly {
    readonly session_id: string
    readonly turn_id: string
    readonly model: ModelChoice
    readonly version: number
    readonly capabilities_revision: { readonly stored: string | null; readonly now: string | null }
    readonly changes: readonly ReceiptChange[]
  }[]
  readonly more: boolean
}
export interface ImportAnswer {
  readonly rows: number
  readonly blobs: number
  /** Sessions whose messages wait until somebody lets one go. */
  readonly held: readonly string[]
  /** Entities whose names were taken, by the names that they have now. */
  readonly renamed: readonly string[]
}

export interface Info {
  readonly version: string
  /** Told to the operator. */
  readonly data?: string
  readonly pid?: number
  /** Told to a principal: who it is, and where it may work. */
  readonly principal?: string
  readonly workspaces?: readonly string[]
  readonly workspace: string | null
  readonly default_model: ModelChoice
  readonly limits: { readonly inline_attachment_bytes: number; readonly max_upload_bytes: number }
}

/** Whose commands: those of a session's workspace, or of a folder. */
export type Where = { readonly session?: string; readonly workspace?: string }
export interface ListedCommand {
  readonly name: string
  readonly because?: string
  readonly command: {
    readonly name: string
    readonly kind: string
    readonly aliases?: readonly string[]
    readonly description?: string
    readonly argument_hint?: string
    readonly arguments?: readonly CommandArgument[]
    /** Which tool's rules its body is read by; actions have none. */
    readonly dialect?: Dialect
    readonly body?: string
    /** The MCP server that offers it. */
    readonly server?: string
    readonly digest?: string
    readonly trust: string
    readonly source: { readonly tool: string; readonly scope: string; readonly path?: string }
  }
}
export interface CommandFinding {
  readonly level: string
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}
export interface CompletionItem {
  readonly kind: string
  readonly insert: string
  readonly label: string
  readonly description?: string
  readonly hint?: string
  readonly positions: readonly number[]
}
export interface CompletionAnswer {
  readonly from: number
  readonly to: number
  readonly items: readonly CompletionItem[]
  /** What is asked for at the cursor: the argument that is being typed. */
  readonly hint?: string
}
/** What is being composed. */
export interface DraftBody extends Pick<SendBody, "inserts" | "literals"> {
  readonly source: string
  readonly attachments?: readonly AnyPart[]
}
export interface DraftAnswer {
  readonly revision: number
  readonly draft: DraftBody | null
  readonly updated_by: string | null
  readonly updated_at: number | null
}
/** A message of a sidecar, or some of its text, for the conversation it was opened from. */
export interface BroughtBack {
  readonly message_id: string
  readonly range?: { readonly start: number; readonly end: number }
}
export interface QuoteAnswer {
  /** Whose draft has the quote now. */
  readonly session_id: string
  readonly part: AnyPart
  readonly revision: number
  readonly txid: string
}
export interface SidecarClosed {
  /** Null where it was deleted. */
  readonly session: Session | null
  readonly deleted: readonly string[]
}
