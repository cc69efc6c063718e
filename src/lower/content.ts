import { type BlobStore, readAll } from "../files/blobs.ts"
import { imageSize } from "../files/image-size.ts"
import { decodeText, type FileKind, SNIFF_BYTES, sniff } from "../files/sniff.ts"
import type { LineSpan } from "../files/workspace.ts"
import type { Range } from "../message/part.ts"
import type { MediaKind } from "../model/capabilities.ts"
import type { Media } from "../model/prompt.ts"
import { showName } from "./name.ts"

interface FileFacts {
  readonly name: string
  readonly mime: string
  readonly kind: FileKind
  /** Of the whole file; null where nobody said. */
  readonly size: number | null
  readonly content_id: string | null
  readonly lines: LineSpan | null
  /** What a person should know about how it was read. */
  readonly note: string | null
}

/** A file as lowering needs it. Of an `opaque` one only what it is can be shown, of one that is
 *  `elsewhere` only where. */
export type LoadedFile =
  | (FileFacts & {
      readonly type: "text"
      readonly text: string
      /** The slice that `text` is; null for the whole file. */
      readonly range: Range | null
    })
  | (FileFacts & {
      readonly type: "media"
      readonly kind: FileKind & MediaKind
      readonly media: Media
      readonly width?: number
      readonly height?: number
    })
  | (FileFacts & { readonly type: "opaque" })
  | { readonly type: "elsewhere"; readonly address: string }
  | {
      readonly type: "refused"
      readonly name: string
      readonly outcome: "denied" | "failed"
      readonly reason: string
    }

/** Bytes that are here, inline or in the blob store. */
export interface Content {
  readonly size: number
  readonly content_id: string | null
  read(maxBytes: number): Promise<Uint8Array>
  /** Make them a blob, so that a request can stream them. */
  keep(): Promise<string>
}

export type Blobs = Pick<BlobStore, "open" | "size" | "putBytes">

const IMAGE_HEAD_BYTES = 1024 * 1024

/** Look into a file as far as lowering needs it: all of a small text, the head of anything else. */
export async function loadContent(
  content: Content,
  name: string,
  textBytes: number,
): Promise<Extract<LoadedFile, FileFacts>> {
  const { size, content_id } = content
  const complete = size <= textBytes
  const bytes = await content.read(complete ? size : SNIFF_BYTES)
  const { mime, kind } = await sniff(bytes, name, complete)
  const facts = { name: showName(name), mime, kind, size, content_id, lines: null, note: null }
  if (isNativeKind(kind)) return loadMedia(content, facts, kind)
  const text = kind === "text" && complete ? decodeText(bytes) : undefined
  if (text === undefined) return { type: "opaque", ...facts }
  return { type: "text", text, range: null, ...facts }
}

async function loadMedia(content: Content, facts: FileFacts, kind: FileKind & MediaKind) {
  const { name, mime } = facts
  const content_id = await content.keep()
  const media = { mime, name, size: content.size, content_id }
  const dimensions = kind === "image" ? imageSize(await content.read(IMAGE_HEAD_BYTES)) : undefined
  return { type: "media", media, ...facts, kind, content_id, ...dimensions } as const
}

const NATIVE_KINDS: ReadonlySet<FileKind> = new Set<FileKind>(["image", "pdf"])

/** What some API takes as it is; files of other kinds are described. */
export function isNativeKind(kind: FileKind): kind is FileKind & MediaKind {
  return NATIVE_KINDS.has(kind)
}

export function inlineContent(data: string, blobs: Blobs): Content {
  const bytes = Buffer.from(data, "base64")
  return {
    size: bytes.length,
    content_id: null,
    read: async (maxBytes) => bytes.subarray(0, maxBytes),
    keep: async () => (await blobs.putBytes(bytes)).content_id,
  }
}

export async function storedContent(content_id: string, blobs: Blobs): Promise<Content> {
  const size = await blobs.size(content_id)
  if (size === undefined) throw new Error(`its bytes (${content_id}) are no longer here`)
  return {
    size,
    content_id,
    read: (maxBytes) =>
      readAll(blobs.open(content_id, { start: 0, end: Math.min(size, maxBytes) }), maxBytes),
    keep: async () => content_id,
  }
}
