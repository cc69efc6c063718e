import type { Media, ModelEvent, PromptMessage } from "../model/prompt.ts"
import type { Receipt } from "../model/receipt.ts"

/** Wire bytes in pieces: ready bytes, or a medium whose base64 is streamed in its place. */
export type Piece = Uint8Array | Media

/** Wire bytes whose length is known before any medium is opened. */
export interface Fragment {
  readonly pieces: readonly Piece[]
  readonly size: number
}

/** What a request says beside its messages. */
export interface Envelope {
  readonly model: string
  readonly system: string
  readonly max_tokens: number
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
  encode(message: PromptMessage): Fragment
  body(envelope: Envelope, messages: readonly Fragment[]): Fragment
  stream(call: Call): AsyncIterable<ModelEvent>
}
