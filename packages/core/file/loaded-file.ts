import { isOffice } from "../model/media-types.ts"
import type { MediaKind } from "../model/capabilities.ts"
import type { Range } from "../message/file-reference.ts"
import type { Media } from "../model/prompt.ts"
import type { FileMeasures, FileRoute } from "./route.ts"

export type FileKind = "text" | "image" | "pdf" | "audio" | "video" | "archive" | "binary"

/** Why a file of a known type cannot be read all the same. */
export type Condition = "encrypted" | "damaged"

/** The lines that were read, 1-based and inclusive; `total` where the end of the file was seen. */
export interface LineSpan {
  readonly start: number
  readonly end: number
  readonly total?: number
}

/** What is new in a file since the model was shown it. */
export type Freshness =
  | { readonly type: "unchanged"; readonly shown_at: number }
  | { readonly type: "changed"; readonly shown_at: number; readonly diff: string }

export interface FileFacts extends FileMeasures {
  readonly name: string
  readonly mime: string
  /** Of the whole file; null where nobody said. */
  readonly size: number | null
  readonly content_id: string | null
  readonly lines: LineSpan | null
  /** What a person should know about how it was read. */
  readonly note: string | null
  /** What of the file this is, in words, where it took a slicer to find it. */
  readonly place?: string | null
  /** Who reads it where the model cannot. */
  readonly route?: FileRoute | undefined
  /** What is seen to be wrong with it. */
  readonly condition?: Condition | undefined
}

export interface TextFile extends FileFacts {
  readonly type: "text"
  readonly kind: FileKind
  readonly text: string
  /** The slice that `text` is; null for the whole file. */
  readonly range: Range | null
  /** The text was taken out of a file that is none. */
  readonly extracted?: boolean
  /** Set where the model was shown the file before. */
  readonly fresh?: Freshness | undefined
}

export interface MediaFile extends FileFacts {
  readonly type: "media"
  readonly kind: MediaKind
  readonly media: Media
  readonly width?: number
  readonly height?: number
  /** What it was before it was made to fit. */
  readonly scaled_from?: ScaledFrom
}

interface ScaledFrom {
  readonly mime: string
  readonly width?: number | undefined
  readonly height?: number | undefined
}

/** Only what it is can be shown. */
export interface OpaqueFile extends FileFacts {
  readonly type: "opaque"
  readonly kind: FileKind
}

export type HereFile = TextFile | MediaFile | OpaqueFile

/** A file as lowering needs it. Of one that is `elsewhere` only where can be shown. */
export type LoadedFile =
  | HereFile
  | { readonly type: "elsewhere"; readonly address: string }
  | {
      readonly type: "refused"
      readonly name: string
      readonly outcome: "denied" | "failed"
      readonly reason: string
    }

/** The kind under which some API takes such a file as it is; files of no such kind are described. */
export function nativeKind(kind: FileKind, mime: string): MediaKind | undefined {
  switch (kind) {
    case "image":
    case "pdf":
    case "audio":
    case "video":
      return kind
    case "text":
      return undefined
    case "archive":
    case "binary":
      return isOffice(mime) ? "office" : undefined
  }
}
