/** The model's words: what a request says before any wire format. Media are handles, never bytes,
 *  so that a body can be streamed from the blob store. */
export interface Media {
  readonly mime: string
  readonly name: string
  readonly size: number
  readonly content_id: string
}

export type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image"
      readonly media: Media
      readonly width: number
      readonly height: number
    }
  | { readonly type: "document"; readonly media: Media }

export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly blocks: readonly Block[]
}

export interface Prompt {
  readonly system: string
  readonly messages: readonly PromptMessage[]
}

export interface ModelUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache_read: number
  readonly cache_write: number
}

/** What a model says back. A provider never throws once it was called: the last event is `end` or
 *  `error`. */
export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "usage"; readonly usage: ModelUsage }
  | { readonly type: "end"; readonly reason: EndReason }
  | {
      readonly type: "error"
      readonly code: string
      readonly message: string
      readonly retryable: boolean
    }

export type EndReason = "stop" | "length" | "refusal"
