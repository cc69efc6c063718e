import type { StreamOffsetPosition } from "./offset.ts"
import type { Producer } from "./producer.ts"

/** A stream as its readers and writers need to know it. */
export interface StreamHead {
  readonly id: string
  readonly path: string
  readonly content_type: string
  /** Seconds after the last use. */
  readonly ttl_seconds: number | null
  readonly expires_at: number | null
  readonly closed: boolean
  readonly tail: StreamOffsetPosition
  /** Its messages are rows, told as they are when they are read: a place does not always tell the same
   *  bytes. */
  readonly rows?: boolean
}

/** What is appended: bytes, or messages of a JSON stream as they were written. */
export type StreamData =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "messages"; readonly messages: readonly string[] }

export interface StreamCreation {
  readonly path: string
  /** Null inherits it from the stream that is forked, and is bytes otherwise. */
  readonly content_type: string | null
  readonly ttl_seconds: number | null
  readonly expires_at: number | null
  readonly closed: boolean
  readonly body: Uint8Array | null
  readonly fork: Fork | null
}

export interface Fork {
  readonly path: string
  /** Null is the tail. */
  readonly position: StreamOffsetPosition | null
  /** So much of the append that follows, in units. */
  readonly within: number
}

export type StreamCreated =
  | { readonly type: "created" | "same"; readonly head: StreamHead }
  | { readonly type: "missing" | "gone" | "conflict" | "invalid"; readonly message: string }

export interface StreamAppend {
  readonly path: string
  readonly content_type: string | null
  readonly body: Uint8Array | null
  /** The writer's own order: each must sort after the one before. */
  readonly order: string | null
  readonly producer: Producer | null
  readonly close: boolean
}

export type StreamAppended =
  | {
      readonly type: "appended"
      readonly tail: StreamOffsetPosition
      readonly closed: boolean
      readonly seq: number | null
    }
  | {
      readonly type: "again"
      readonly tail: StreamOffsetPosition
      readonly closed: boolean
      readonly seq: number
    }
  | { readonly type: "closed"; readonly tail: StreamOffsetPosition }
  | { readonly type: "stale"; readonly epoch: number }
  | { readonly type: "gap"; readonly expected: number; readonly received: number }
  | { readonly type: "missing" | "gone" | "conflict" | "invalid"; readonly message: string }

export type StreamFound =
  | { readonly type: "found"; readonly head: StreamHead }
  | { readonly type: "missing" | "gone"; readonly message: string }

/** What stands in a stream from a place on: whole appends, as many as fit. */
export interface StreamPage {
  readonly chunks: readonly StreamChunk[]
  readonly next: StreamOffsetPosition
}

export interface StreamChunk {
  /** Bytes, or messages with commas between them. */
  readonly data: Uint8Array
  readonly end: StreamOffsetPosition
}

export function lifeOf(
  head: Pick<StreamHead, "ttl_seconds" | "expires_at">,
  used_at: number,
): number | null {
  if (head.expires_at !== null) return head.expires_at
  return head.ttl_seconds === null ? null : used_at + head.ttl_seconds * 1000
}
