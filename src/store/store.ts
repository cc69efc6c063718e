import type { Mode, ModelChoice } from "../message/message.ts"
import type {
  Delta,
  Metadata,
  Segment,
  Session,
  StoredMessage,
  StreamEvent,
  Turn,
  TurnState,
  Usage,
} from "../message/row.ts"
import type { Receipt } from "../model/receipt.ts"

/** Every store keeps four promises, and `test/store/contract.ts` asks each for them: what a call
 *  returned is on disk; a row and the event that tells of it commit together; history comes back in
 *  the order of the path; a queued message fires once, however many runners ask. */
export interface Store extends Promised<Writes>, Promised<Reads> {
  /** Hear of streams that changed: the ids this process wrote, or `undefined` when another process
   *  wrote and any stream may have changed. */
  watch(listener: (streams: ReadonlySet<string> | undefined) => void): () => void
  backup(file: string, progress: (done: number, total: number) => void): Promise<void>
  close(): Promise<void>
}

/** Each write is one named operation: whole or not at all, durable when its promise resolves. */
export interface Writes {
  createSession(input: NewSession): SessionChanged
  changeSession(input: SessionChange): SessionChanged
  branch(input: Branch): SessionChanged
  /** Hide a message and all behind it; null hides everything. Rows stay, the path changes. */
  rewind(input: { session_id: string; before_message_id: string | null }): SessionChanged
  unrewind(input: { session_id: string }): SessionChanged
  /** The same id and payload twice is the same message; another payload is a conflict (QUE-003). */
  append(input: Append): Appended
  changeQueued(input: QueuedChange): MessageChanged
  cancelQueued(input: { session_id: string; message_id: string }): MessageChanged
  claim(input: { session_id: string; owner: string }): Claim | null
  /** What is known before the provider is called: receipts, captures, system prompt, the answer's row. */
  recordRequest(input: RequestRecord): { txid: string }
  recordStream(input: StreamRecord): { txid: string }
  endTurn(input: TurnEnd): { turn: Turn; next: Claim | null; txid: string }
  /** Perform what a message asks of its session and end its turn, in one commit: once, or not. */
  performAction(input: ActionPerformed): { turn: Turn; next: Claim | null; txid: string }
  requestAbort(input: { session_id: string; clear: boolean }): {
    turn: Turn | null
    cancelled: string[]
  }
  /** Say that these turns are alive; hear which of them should stop. */
  beat(input: { owner: string; turn_ids: string[] }): { live: string[]; abort: string[] }
  /** Take a dead owner's turn: `beat` is the last heartbeat the caller saw. */
  interrupt(input: Interruption): { turn: Turn | null; next: Claim | null }
  /** Bytes that were uploaded wait for the message that takes them up. */
  recordUpload(input: { content_id: string; size: number; mime: string }): null
  deleteSession(input: { session_id: string; cascade: boolean }): Deleted
  purgeMessage(input: { session_id: string; message_id: string }): {
    content_ids: string[]
    txid: string
  }
  /** Forget what has expired; `content_ids` are blobs that nothing refers to any more. */
  sweep(input: { uploads_before: number; streams_before: number }): { content_ids: string[] }
  vacuum(input: Record<string, never>): null
  /** `lines` says where each row stood, for who is told that one does not fit. */
  importRows(input: { rows: ExportRow[]; lines?: readonly number[] }): { rows: number }
}

export interface Reads {
  session(id: string): Session | null
  sessions(filter: SessionFilter): Session[]
  message(session_id: string, message_id: string): StoredMessage | null
  /** One page of history by path, newest last; `before` is the cursor of an older page. */
  history(session_id: string, page: { limit: number; before?: string | undefined }): HistoryPage
  /** Messages that fired after `after` on the session's open segment. */
  historyAfter(session_id: string, after: number): StoredMessage[]
  queue(session_id: string): StoredMessage[]
  queuedCount(session_id: string): number
  turn(id: string): Turn | null
  /** The newest turn, live or not: what the status is derived from. */
  latestTurn(session_id: string): Turn | null
  turns(session_id: string, message_id?: string): Turn[]
  receipts(session_id: string, turn_id: string): StoredReceipt[]
  captures(session_id: string): StoredCapture[]
  capture(part_id: string): StoredCapture | null
  systemPrompt(digest: string): string | null
  blob(content_id: string): { content_id: string; size: number; mime: string } | null
  /** Whether a part this session can read carries the blob (BEY: a content id is no authority). */
  sessionHasBlob(session_id: string, content_id: string): boolean
  /** Sessions with something to fire and no live turn. */
  claimable(): string[]
  liveTurns(): LiveTurn[]
  head(stream_id: string): { first_seq: number; next_seq: number }
  events(stream_id: string, from: number, limit: number): StreamEvent[]
  exportRows(session_id: string | null): Iterable<ExportRow>
  /** The canonical shape for inspection: rows as they are stored, parts by index (DBG-001). */
  canonical(session_id: string, message_ids: readonly string[]): Canonical | null
  knownBlobs(): string[]
}

type Promised<T> = {
  [Name in keyof T]: T[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Output>
    : never
}

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
