import type { LineSpan } from "compositor-core/file/loaded-file"
import type { FileMeasures } from "compositor-core/file/route"
import type { FileLocation } from "compositor-core/file/slice"

/** What a file-ref sent, kept for ever: later lowerings read this and never the disk, so history
 *  and prompt caches do not shift (decision 4). `content` without an id is a file that no model
 *  reads. */
export interface Capture extends FileMeasures {
  readonly part_id: string
  readonly content_id: string | null
  readonly mime: string
  /** Bytes that were kept. */
  readonly size: number
  /** Bytes of the whole file. */
  readonly total_size: number
  readonly lines: LineSpan | null
  readonly outcome: "content" | "too-large" | "denied" | "failed"
  readonly reason: string | null
  /** Set where a slicer took it out of the file. */
  readonly slice?: CapturedSlice
}

/** What a slicer took out of a file; the capture's blob holds it. */
interface CapturedSlice {
  readonly type: "text" | "media" | "none"
  /** In words; null for a whole file, or a whole entry of an archive. */
  readonly place: string | null
  /** Text that was taken out of a file that is none. */
  readonly extracted: boolean
}

/** A file that a part wants read, by itself or by a mention of it. */
export interface PathTarget {
  readonly part_id: string
  /** Where it is in the workspace; of stored bytes, what they are called. */
  readonly path: string
  /** Set where the bytes are in the blob store and not in the workspace. */
  readonly content_id?: string | undefined
  readonly place: FileLocation
  /** What stood in the range when it was selected, where the surface says so. */
  readonly selected?: string | undefined
}

export function largeCapture(target: PathTarget, total_size: number, mime: string): Capture {
  const { part_id } = target
  const nothing = { content_id: null, size: 0, lines: null, reason: null }
  return { part_id, mime, total_size, outcome: "too-large", ...nothing }
}

const UNKNOWN_MIME = "application/octet-stream"

export function refusedCapture(
  target: PathTarget,
  outcome: "denied" | "failed",
  reason: string,
): Capture {
  const nothing = { content_id: null, mime: UNKNOWN_MIME, size: 0, total_size: 0, lines: null }
  return { part_id: target.part_id, outcome, reason, ...nothing }
}
