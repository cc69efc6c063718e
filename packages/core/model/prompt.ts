/** The model's words: what a request says before any wire format. Media are handles, never bytes,
 *  so that a body can be streamed from the blob store. */
export interface Media {
  readonly mime: string
  readonly name: string
  readonly size: number
  readonly content_id: string
}

/** What can be shown to a model: what a user message says, and what a tool gives back. */
export type Block =
  | TextBlock
  | {
      readonly type: "image"
      readonly media: Media
      readonly width: number
      readonly height: number
    }
  | { readonly type: "audio"; readonly media: Media }
  | { readonly type: "video"; readonly media: Media }
  /** A PDF, or a text or office file that the API reads by itself. */
  | { readonly type: "document"; readonly media: Media }

export type MediaBlock = Exclude<Block, { type: "text" }>

export interface TextBlock {
  readonly type: "text"
  readonly text: string
  readonly seal?: Seal
}

/** What a provider wants back unchanged with words it said; nobody else can read it. */
export interface Seal {
  readonly api: string
  readonly model: string
  readonly id?: string
  readonly signature?: string
  readonly encrypted?: string
  readonly phase?: string
}

export interface ReasoningBlock {
  readonly type: "reasoning"
  readonly text: string
  /** Without a seal it stays with us: no API takes back thoughts that it cannot verify. */
  readonly seal?: Seal
}

export interface ToolCallBlock {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly input: unknown
  readonly seal?: Seal
}

export interface ToolResultBlock {
  readonly type: "tool-result"
  /** Of the call that it answers. */
  readonly id: string
  readonly name: string
  readonly blocks: readonly Block[]
  readonly is_error: boolean
}

/** A user says blocks and gives tool results; an assistant says text, thinks and calls tools. */
export type PromptBlock = Block | ReasoningBlock | ToolCallBlock | ToolResultBlock

export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly blocks: readonly PromptBlock[]
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type Effort = "low" | "medium" | "high" | "max"

/** How much a model is to think; the ways that it takes are in its entry (`model/models.ts`). */
export type Thinking =
  | { readonly type: "off" }
  | { readonly type: "budget"; readonly tokens: number }
  | { readonly type: "effort"; readonly effort: Effort }

/** Five figures that add up: input without what the cache gave or took, output without
 *  reasoning. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache_read: number
  readonly cache_write: number
}

/** What a model says back. A provider never throws once it was called: the last event is `end` or
 *  `error`. `text-end` and `reasoning-end` close what was said so far in that kind; they come where
 *  the API tells a boundary, and may close nothing but a seal. Every call that starts also ends,
 *  before the `end` of the answer; `invalid` is what stood where JSON should have been. */
export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "text-end"; readonly seal: Seal }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "reasoning-end"; readonly seal: Seal | null }
  | { readonly type: "tool-call-start"; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly id: string; readonly text: string }
  | {
      readonly type: "tool-call-end"
      readonly id: string
      readonly name: string
      readonly input: unknown
      readonly invalid?: string
      readonly seal?: Seal
    }
  | { readonly type: "usage"; readonly usage: ModelUsage }
  /** An attempt failed before anything was said; another follows after the delay. */
  | {
      readonly type: "retrying"
      readonly attempt: number
      readonly delay_ms: number
      readonly code: string
      readonly message: string
    }
  | { readonly type: "end"; readonly reason: EndReason }
  | ModelFault

export interface ModelFault {
  readonly type: "error"
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retry_after_ms?: number
  /** Where in the request the API sees the fault, in its own words. */
  readonly path?: string
  /** The API refused media: the content ids it points at, or none when it does not say which. */
  readonly implicates_media?: readonly string[]
}

export type EndReason = "stop" | "length" | "tool-call" | "refusal" | "content-filter"
