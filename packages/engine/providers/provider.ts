import type {
  Media,
  ModelEvent,
  PromptMessage,
  Thinking,
  ToolDefinition,
} from "compositor-core/model/prompt"
import type { Receipt } from "compositor-core/model/receipt"

/** Wire bytes in pieces: ready bytes, or a medium whose base64 is streamed in its place. */
export type Piece = Uint8Array | Media

/** Wire bytes whose length is known before any medium is opened. */
export interface Fragment {
  readonly pieces: readonly Piece[]
  readonly size: number
  /** Who speaks in the wire messages that it holds, in their order: some APIs have rules about who
   *  may follow whom, and `body` keeps them. */
  readonly roles?: readonly string[]
  /** Tools that are called in it: some APIs want every one of them defined. */
  readonly tools?: readonly string[]
}

/** A request: fragments and what stands around them, put together without copying them. */
export interface Body {
  readonly pieces: readonly (Piece | Body)[]
  readonly size: number
  /** Written between each two pieces. */
  readonly between?: Uint8Array
}

/** What a request says beside its messages. */
export interface Envelope {
  readonly model: string
  readonly system: string
  readonly max_tokens: number
  readonly tools?: readonly ToolDefinition[]
  /** Nothing said leaves it to the model. */
  readonly thinking?: Thinking
}

export interface Call {
  readonly envelope: Envelope
  /** Closed wire messages, oldest first: what `encode` made of each, this turn or long ago. */
  readonly messages: readonly Fragment[]
  /** What became of the parts that are new in this request. */
  readonly receipts: readonly Receipt[]
  readonly open: (media: Media) => AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/** One wire API. `encode` and `body` are pure, so that a message is encoded once and its bytes are
 *  used in every later request; `stream` never throws: its last event is `end` or `error`.
 *  `test/provider/contract.ts` asks every provider for this. */
export interface Provider {
  readonly id: string
  readonly api: string
  /** Total: what the wire has no place for is described in its place. `model` decides whether seals
   *  are sent back, and where models behind one API differ; without it, as the oldest takes it. */
  encode(message: PromptMessage, model?: string): Fragment
  body(envelope: Envelope, messages: readonly Fragment[]): Body
  /** Neighbours as one fragment, so that a long history is few of them: `body` says the same with
   *  the fold as with what was folded. None where each message is looked at by itself. */
  fold?(messages: readonly Fragment[]): Fragment
  stream(call: Call): AsyncIterable<ModelEvent>
  /** How many tokens the API would count for the request; undefined when it does not say. None where
   *  an API cannot be asked. */
  countTokens?(call: Call): Promise<number | undefined>
}
