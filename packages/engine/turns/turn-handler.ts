import type { StoredMessage } from "compositor-core/message/row"
import type { Claim } from "../store/store.ts"

/** Code that answers a claimed message; it may ask the model in between (decision 14). */
export type TurnHandler = (turn: HandledTurn) => Promise<void>

export interface HandledTurn {
  readonly claim: Claim
  readonly signal: AbortSignal
  /** The model loop, up to the end of its last answer. A turn that must wait for a person is left in
   *  the middle of it, and its handler runs again from the start when it goes on. */
  converse(options: ConverseOptions): Promise<Conversed>
  /** What was said so far is not what it was: the next request reads it anew. */
  changed(): void
}

export interface ConverseOptions {
  /** Hear of messages that were steered in and have their place in history now (EA-022). */
  steered(message_ids: readonly string[]): Promise<void>
  /** Which of them the loop is told; the others wait and wake the handler after this turn (EA-021).
   *  Without, all of them. */
  readonly joins?: ((message: StoredMessage) => boolean) | undefined
  /** An answer that an earlier conversation of this turn ended with. */
  readonly settled?: string | undefined
}

/** The answer that the model ended with. */
export interface Conversed {
  readonly message_id: string
  readonly finish: string
}

/** The model could not answer; a handler may catch it and go on. */
export class ModelFailed extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = "ModelFailed"
    this.code = code
  }
}
