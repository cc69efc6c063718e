import type {
  StreamAppend,
  StreamAppended,
  StreamCreated,
  StreamCreation,
  StreamFound,
  StreamPage,
} from "../streams/stream.ts"
import type { Session, StoredMessage, StreamEvent, Turn } from "compositor-core/message/row"
import type {
  Append,
  Appended,
  Branch,
  Canonical,
  CarriedPart,
  Deleted,
  DraftRecord,
  DraftAttachment,
  DraftSave,
  DraftSaved,
  ExportRow,
  HistoryPage,
  Imported,
  AbandonedEdit,
  MessageChanged,
  NewSession,
  NewUpload,
  QueuedChange,
  RawMessage,
  RawPart,
  Rewound,
  SessionChange,
  SessionChanged,
  SessionFilter,
  StashedDraft,
} from "./records.ts"
import type {
  ActionPerformed,
  AnswerEnd,
  CallRecord,
  CallResolution,
  CallResolved,
  Claim,
  CompactionRecord,
  Interruption,
  LiveTurn,
  RequestRecord,
  RetryRecord,
  InstructionsRecord,
  SnapshotRecord,
  StoredCapture,
  StoredReceipt,
  StreamRecord,
  TurnEnd,
  TurnEnded,
  SteerTake,
  WaitRecord,
} from "./turn-records.ts"
import type { EntityReads, EntityWrites } from "./entity-records.ts"
import type { PrincipalReads, PrincipalWrites } from "./principal-records.ts"
import type { TriggerReads, TriggerWrites } from "./trigger-records.ts"

/** Every store keeps four promises, and `test/store/contract.ts` asks each for them: what a call
 *  returned is on disk; a row and the event that tells of it commit together; history comes back in
 *  the order of the path; a queued message fires once, however many runners ask. */
export interface Store
  extends Promised<Writes>,
    Promised<Reads>,
    Promised<TriggerReads>,
    Promised<EntityReads>,
    Promised<PrincipalReads> {
  /** Hear of streams that changed: the ids this process wrote, or `undefined` when another process
   *  wrote and any stream may have changed. */
  watch(listener: (streams: ReadonlySet<string> | undefined) => void): () => void
  /** Every row, or those of one session, as they are stored and in the documented order. */
  exportRows(session_id: string | null): AsyncIterable<ExportRow>
  backup(file: string, progress: (done: number, total: number) => void): Promise<void>
  close(): Promise<void>
}

/** Each write is one named operation: whole or not at all, durable when its promise resolves. */
export interface Writes extends TriggerWrites, EntityWrites, PrincipalWrites {
  createSession(input: NewSession): SessionChanged
  changeSession(input: SessionChange): SessionChanged
  branch(input: Branch): SessionChanged
  /** Hide a message and all behind it; null hides everything. Rows stay, the path changes. */
  rewind(input: { session_id: string; before_message_id: string | null }): Rewound
  unrewind(input: { session_id: string }): SessionChanged
  /** The same id and payload twice is the same message; another payload is a conflict (QUE-003). */
  append(input: Append): Appended
  changeQueued(input: QueuedChange): MessageChanged
  cancelQueued(input: { session_id: string; message_id: string }): MessageChanged
  claim(input: { session_id: string; owner: string }): Claim | null
  /** What is known before the provider is called: receipts, captures, system prompt, the answer's row. */
  recordRequest(input: RequestRecord): { txid: string }
  recordStream(input: StreamRecord): { txid: string }
  recordRetry(input: RetryRecord): { txid: string }
  /** What was said before is told by its summary from here on; its rows stay (SES-030). */
  recordCompaction(input: CompactionRecord): { txid: string }
  /** That the host was told of a message that fired, and what it kept of the world then (SES-011). */
  /** Keep what a message says of the project's instructions, before it is first sent (TRU-003). */
  recordInstructions(input: InstructionsRecord): { txid: string }
  recordSnapshot(input: SnapshotRecord): { txid: string }
  /** The model has said all of an answer whose calls are run next. */
  endAnswer(input: AnswerEnd): { txid: string }
  /** Say that calls start, before they do, or what came of them; hear whether to stop. */
  recordCalls(input: CallRecord): { abort: boolean; txid: string }
  /** Between two steps: what was steered in has its place in history from here on (EA-022). */
  takeSteers(input: SteerTake): { steered: string[]; txid: string }
  /** Leave the turn to a person; whoever ran it lets go of it. */
  waitFor(input: WaitRecord): { turn: Turn; txid: string }
  /** Settle one call that waits: once, whoever asks (SES-071). */
  resolveCall(input: CallResolution): CallResolved
  /** Go on with a turn that waits for nothing any more; null when another does. */
  resumeTurn(input: { turn_id: string; owner: string }): Claim | null
  endTurn(input: TurnEnd): TurnEnded
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
  recordUpload(input: NewUpload): null
  /** Overwrite the session's draft. One that was begun from another revision goes to the stash. */
  saveDraft(input: DraftSave): DraftSaved
  /** Attach to the session's draft as it is, whoever writes it. */
  attachToDraft(input: DraftAttachment): { revision: number; txid: string }
  createStream(input: StreamCreation & { readonly id: string }): StreamCreated
  appendStream(input: StreamAppend): StreamAppended
  deleteStream(input: { readonly path: string }): { readonly type: "deleted" | "missing" | "gone" }
  /** Its time to live begins anew. */
  useStream(input: { readonly id: string }): null
  deleteSession(input: { session_id: string; cascade: boolean }): Deleted
  purgeMessage(input: { session_id: string; message_id: string }): {
    content_ids: string[]
    txid: string
  }
  /** Forget what has expired; `content_ids` are blobs that nothing refers to any more. */
  sweep(input: { uploads_before: number; streams_before: number }): { content_ids: string[] }
  vacuum(input: Record<string, never>): null
  /** `lines` says where each row stood, for who is told that one does not fit. */
  importRows(input: { rows: ExportRow[]; lines?: readonly number[] }): Imported
}

export interface Reads {
  session(id: string): Session | null
  sessions(filter: SessionFilter): Session[]
  message(session_id: string, message_id: string): StoredMessage | null
  /** One page of history by path, newest last; `before` is the cursor of an older page. */
  history(session_id: string, page: { limit: number; before?: string | undefined }): HistoryPage
  /** Messages that fired after `after` on the session's open segment. */
  historyAfter(session_id: string, after: number): StoredMessage[]
  /** What fired on the session's path, oldest first; with `after`, on its open segment behind that
   *  place. */
  rawHistory(session_id: string, after?: number): RawMessage[]
  /** The end of the path that a model is told of: from where the newest summary on it leaves off, or
   *  from `including` where that comes first; all of it where nothing was summarised. */
  toldHistory(session_id: string, including: string | null): RawMessage[]
  /** The parts of one type that fired on the path; with `after`, as `rawHistory` has it. */
  carriedParts(session_id: string, type: string, after?: number): CarriedPart[]
  /** The parts on the path, oldest first, that refer to a blob whose content id begins so. */
  partsReferring(session_id: string, content_prefix: string): RawPart[]
  queue(session_id: string): StoredMessage[]
  queuedCount(session_id: string): number
  turn(id: string): Turn | null
  /** The newest turn, live or not: what the status is derived from. */
  latestTurn(session_id: string): Turn | null
  turns(session_id: string, message_id?: string): Turn[]
  /** The newest turn that a model was asked in, of those in this state. */
  lastAsked(session_id: string, state?: Turn["state"]): Turn | null
  receipts(session_id: string, turn_id: string): StoredReceipt[]
  capture(part_id: string): StoredCapture | null
  systemPrompt(digest: string): string | null
  /** The media that this model would not take (BEY-02). */
  refusals(api: string, model_id: string): string[]
  blob(content_id: string): { content_id: string; size: number; mime: string } | null
  /** Whether a part this session can read carries the blob (BEY: a content id is no authority). */
  sessionHasBlob(session_id: string, content_id: string): boolean
  /** Sessions with something to fire and no live turn. */
  claimable(): string[]
  /** Messages that were left in the middle of an edit: nobody has said for a while that it goes on. */
  abandonedEdits(): AbandonedEdit[]
  liveTurns(): LiveTurn[]
  head(stream_id: string): { first_seq: number; next_seq: number }
  events(stream_id: string, from: number, limit: number): StreamEvent[]
  /** The canonical shape for inspection: rows as they are stored, parts by index (DBG-001). */
  canonical(session_id: string, message_ids: readonly string[]): Canonical | null
  knownBlobs(): string[]
  draft(session_id: string): DraftRecord | null
  stashedDrafts(session_id: string): StashedDraft[]
  stream(path: string, now: number): StreamFound
  /** Whole appends from a place on, at least one and at most so many bytes; null when it is gone. */
  streamPage(id: string, page: { from: number; max_bytes: number }): StreamPage | null
}

type Promised<T> = {
  [Name in keyof T]: T[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Output>
    : never
}

export type * from "./records.ts"
export type * from "./turn-records.ts"
export type * from "./trigger-records.ts"
export type * from "./entity-records.ts"
export type * from "./principal-records.ts"
