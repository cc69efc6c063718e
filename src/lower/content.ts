import { type BlobStore, readAll } from "../files/blobs.ts"
import { imageSize } from "../files/image-size.ts"
import { decodeText, SNIFF_BYTES, sniff } from "../files/sniff.ts"
import type { LineSpan } from "../files/workspace.ts"
import type { MediaKind } from "../model/capabilities.ts"
import type { Media } from "../model/prompt.ts"
import { showName } from "./name.ts"

export interface FileFacts {
  readonly name: string
  readonly mime: string
  /** Of the whole file. */
  readonly size: number
  readonly content_id: string | null
  readonly lines: LineSpan | null
  /** What a person should know about how it was read. */
  readonly note: string | null
}

export type LoadedFile =
  | (FileFacts & { readonly type: "text"; readonly text: string; readonly ranged: boolean })
  | (FileFacts & {
      readonly type: "media"
      readonly kind: MediaKind
      readonly media: Media
      readonly width?: number
      readonly height?: number
    })
  /** Nothing of it can be shown but what it is. */
  | (FileFacts & { readonly type: "opaque" })
  | {
      readonly type: "refused"
      readonly name: string
      readonly outcome: "denied" | "failed"
      readonly reason: string
    }

export interface LoadLimits {
  /** A file of the workspace beyond this is only described. */
  readonly file_bytes: number
  /** Text beyond this is only described. */
  readonly text_bytes: number
}

export const LOAD_LIMITS: LoadLimits = { file_bytes: 32 * 1024 * 1024, text_bytes: 256 * 1024 }

/** Bytes that are here, inline or in the blob store. */
interface Content {
  readonly size: number
  read(maxBytes: number): Promise<Uint8Array>
  /** Make them a blob, so that a request can stream them. */
  keep(): Promise<string>
}

function inlineContent(data: string, sources: Sources): Content {
  const bytes = Buffer.from(data, "base64")
  return {
    size: bytes.length,
    read: async (maxBytes) => bytes.subarray(0, maxBytes),
    keep: async () => (await sources.blobs.putBytes(bytes)).content_id,
  }
}

async function storedContent(content_id: string, sources: Sources): Promise<Content> {
  const size = await sources.blobs.size(content_id)
  if (size === undefined) throw new Error(`its bytes (${content_id}) are no longer here`)
  return {
    size,
    read: (maxBytes) =>
      readAll(sources.blobs.open(content_id, { start: 0, end: Math.min(size, maxBytes) }), maxBytes),
    keep: async () => content_id,
  }
}

async function loadContent(
  content: Content,
  fileName: string,
  sources: Sources,
): Promise<LoadedFile> {
  const { size } = content
  const complete = size <= sources.limits.text_bytes
  const bytes = await content.read(complete ? size : SNIFF_BYTES)
  const { mime, kind } = await sniff(bytes, fileName, complete)
  const facts = { name: showName(fileName), mime, size, content_id: null, lines: null, note: null }
  if (isNativeKind(kind)) return loadMedia(content, facts, kind)
  const text = kind === "text" && complete ? decodeText(bytes) : undefined
  if (text === undefined) return { type: "opaque", ...facts }
  return { type: "text", text, ranged: false, ...facts, content_id: await content.keep() }
}

async function loadMedia(
  content: Content,
  facts: FileFacts,
  kind: MediaKind,
): Promise<LoadedFile> {
  const { name, mime, size } = facts
  const content_id = await content.keep()
  const media = { mime, name, size, content_id }
  const dimensions = kind === "image" ? imageSize(await content.read(IMAGE_HEAD_BYTES)) : undefined
  return { type: "media", kind, media, ...facts, content_id, ...dimensions }
}

const IMAGE_HEAD_BYTES = 1024 * 1024

/** What an API of today takes as it is; the other kinds are described. */
const NATIVE_KINDS: ReadonlySet<string> = new Set<MediaKind>(["image", "pdf"])

function isNativeKind(kind: string): kind is MediaKind {
  return NATIVE_KINDS.has(kind)
}
