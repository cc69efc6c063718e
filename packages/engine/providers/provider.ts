import type { Media, ModelEvent } from "compositor-core/model/prompt"
import type { Receipt } from "compositor-core/model/receipt"
import type { WireFragment } from "compositor-core/wires/body"
import type { RequestEnvelope, Wire } from "compositor-core/wires/define-wire"

export interface ProviderCall {
  readonly envelope: RequestEnvelope
  /** Closed wire messages, oldest first: what `encode` made of each, this turn or long ago. */
  readonly messages: readonly WireFragment[]
  /** What became of the parts that are new in this request. */
  readonly receipts: readonly Receipt[]
  readonly open: (media: Media) => AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/** Someone who speaks a wire API and can be asked. `encode` and `body` are pure, so that a message is
 *  encoded once and its bytes are used in every later request; `stream` never throws: its last event
 *  is `end` or `error`. `test/provider/contract.ts` asks every provider for this. */
export interface Provider extends Pick<Wire, "api" | "encode" | "body"> {
  readonly id: string
  readonly fold?: Wire["fold"]
  stream(call: ProviderCall): AsyncIterable<ModelEvent>
  /** How many tokens the API would count for the request; undefined when it does not say. None where
   *  an API cannot be asked. */
  countTokens?(call: ProviderCall): Promise<number | undefined>
}
