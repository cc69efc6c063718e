import type { QueueEffect } from "compositor-core/commands/queue-effect"
import type { CompactionPart } from "compositor-core/message/compaction-part"
import type {
  Delta,
  Metadata,
  Retry,
  Segment,
  Turn,
  TurnState,
  Usage,
  Wait,
} from "compositor-core/message/row"
export type { StoredReceipt } from "compositor-core/contract/turns"
import type { Receipt } from "compositor-core/model/receipt"
import type { NewBlob } from "./records.ts"

/** A message that fires, and the right to write its turn: `turn.fence` with every later write. */
export interface Claim {
  readonly turn: Turn
  readonly path: readonly Segment[]
  readonly path_revision: number
  readonly workspace_root: string | null
  /** What the message asks of its session instead of a model (decision 6). */
  readonly action: QueueEffect | null
  /** The session's own permission rules. */
  readonly permissions: readonly unknown[]
  /** No person sent the message, so nobody is there to be asked (TRG-002). */
  readonly headless: boolean
  /** A sidecar: it may look and not change anything, unless its metadata say otherwise (BEY-09). */
  readonly read_only: boolean
  /** An answer that the turn begins with: it goes on where it was left, or where another was, and what
   *  that answer called may still be open. */
  readonly answer_id: string | null
}

export interface ActionPerformed extends TurnKey {
  readonly action: QueueEffect
  /** Where the branch goes, when it is one. */
  readonly branch_id: string
  readonly answer_id: string
  readonly part_id: string
  readonly owner: string | null
  /** The summary that was asked for; without, there was nothing to summarise. */
  readonly compaction?: NewCompaction
}

/** A summary that stands in for what was said before it. */
export interface NewCompaction {
  readonly message_id: string
  readonly part_id: string
  readonly part: CompactionPart
  /** What the next request holds without what is new; an estimate. */
  readonly context_tokens: number
  /** What the summary cost. */
  readonly usage: Usage | null
}

export interface CompactionRecord extends TurnKey {
  readonly compaction: NewCompaction
  /** What the user should know about it. */
  readonly notice: string
}

/** What the host kept of the world before a message was answered; null as long as it kept nothing. */
export interface SnapshotRecord extends TurnKey {
  readonly message_id: string
  readonly snapshot_id: string | null
  /** Why it kept none. */
  readonly notice?: string
}

/** What the host says in a message beside the user's words: a project's instructions. */
export interface InstructionsRecord extends TurnKey {
  readonly message_id: string
  readonly instructions: readonly Readonly<Record<string, unknown>>[]
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
/** What of the steered messages joins the turn: all of them, or only these. */
export interface SteerTake extends TurnKey {
  readonly only?: readonly string[] | undefined
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
export interface StepAnswer {
  readonly message_id: string
  readonly metadata: Metadata
  readonly parts: readonly PartUpsert[]
}

/** The model has spoken, and its calls follow. */
export interface AnswerEnd extends TurnKey {
  readonly answer: StepAnswer
  readonly usage: Usage | null
  /** What the user should know about it. */
  readonly notices?: readonly string[]
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
export type CallDecision =
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
  /** The part that was shown to whoever decides: where another call has the id by now, nothing is settled. */
  readonly part_id?: string | undefined
  readonly resolution: CallDecision
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
  readonly answer: StepAnswer | null
  /** Who claims the next message in the same commit, if anyone. */
  readonly owner: string | null
  /** The caller is a loop: what was steered in the meantime keeps the turn going (EA-022). */
  readonly takes_steers?: boolean
  /** What the user should know about its last step. */
  readonly notices?: readonly string[]
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
  /** Its handler runs again and goes on where it was, whatever ran before (EA-035). */
  readonly resumes?: boolean
}

export interface LiveTurn {
  readonly turn: Turn
  readonly owner: string
  readonly beat: number
  readonly abort_requested: boolean
}
