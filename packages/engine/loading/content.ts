import {
  type Condition,
  type FileFacts,
  type HereFile,
  type MediaFile,
  nativeKind,
} from "compositor-core/file/loaded-file"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { readAll } from "compositor-files/blobs/blocks"
import { conditionOf, type Ends, TAIL_BYTES } from "compositor-files/formats/condition"
import { type ImageSize, imageSize } from "compositor-files/kinds/image-size"
import { decodeText, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import type { MediaKind } from "compositor-core/model/capabilities"
import { showName } from "compositor-core/file/name"
import type { OpenFile } from "compositor-core/file/slice"

/** Bytes that are here, inline or in the blob store. */
export interface Content {
  readonly size: number
  readonly content_id: string | null
  read(maxBytes: number): Promise<Uint8Array>
  /** Its last bytes. */
  tail(maxBytes: number): Promise<Uint8Array>
  open(): AsyncIterable<Uint8Array>
  /** Make them a blob, so that a request can stream them. */
  keep(): Promise<string>
}

export type Blobs = Pick<BlobStore, "open" | "size" | "putBytes">

/** Look into a file as far as lowering needs it: all of a small text, the head of anything else. */
export async function loadContent(
  content: Content,
  name: string,
  textBytes: number,
): Promise<HereFile> {
  const { size, content_id } = content
  const complete = size <= textBytes
  const bytes = await content.read(complete ? size : SNIFF_BYTES)
  const { mime, kind } = namedOffice(await sniff(bytes, name, complete), name)
  const facts = { name: showName(name), mime, size, content_id, lines: null, note: null }
  const text = kind === "text" && complete ? decodeText(bytes) : undefined
  if (text !== undefined) return { type: "text", kind, text, range: null, ...facts }
  const condition = await conditionIn(content, { mime, kind, head: bytes })
  const about = { ...facts, ...(condition ? { condition } : {}) }
  const native = nativeKind(kind, mime)
  return native ? loadMedia(content, about, native) : { type: "opaque", kind, ...about }
}

async function conditionIn(
  content: Content,
  about: Pick<Ends, "mime" | "kind" | "head">,
): Promise<Condition | undefined> {
  if (about.kind === "text") return undefined
  const { size } = content
  return conditionOf({ ...about, size, tail: await content.tail(TAIL_BYTES) })
}

/** Old office files share one container, and only their names tell them apart. */
export function namedOffice<Sniffed extends { readonly mime: string }>(
  sniffed: Sniffed,
  name: string,
): Sniffed {
  if (sniffed.mime !== "application/x-cfb") return sniffed
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return { ...sniffed, mime: OLD_OFFICE.get(extension) ?? sniffed.mime }
}

const OLD_OFFICE: ReadonlyMap<string, string> = new Map([
  ["doc", "application/msword"],
  ["xls", "application/vnd.ms-excel"],
  ["ppt", "application/vnd.ms-powerpoint"],
])

async function loadMedia(
  content: Content,
  facts: Omit<FileFacts, "kind">,
  kind: MediaKind,
): Promise<MediaFile> {
  const { name, mime } = facts
  const content_id = await content.keep()
  const media = { mime, name, size: content.size, content_id }
  const dimensions = kind === "image" ? await dimensionsOf(content) : undefined
  return { type: "media", media, ...facts, kind, content_id, ...dimensions }
}

const IMAGE_HEAD_BYTES = 1024 * 1024

/** Nearly every image says its size at once; a photograph may say it late. */
async function dimensionsOf(content: Content): Promise<ImageSize | undefined> {
  const size = imageSize(await content.read(SNIFF_BYTES))
  if (size || content.size <= SNIFF_BYTES) return size
  return imageSize(await content.read(IMAGE_HEAD_BYTES))
}

export function openFile(file: HereFile, content: Content): OpenFile {
  const { name, mime } = file
  const kind = file.kind === "office" ? "binary" : file.kind
  return { name, mime, kind, size: content.size, open: () => content.open() }
}

export function bytesContent(bytes: Uint8Array, blobs: Blobs): Content {
  return {
    size: bytes.length,
    content_id: null,
    read: async (maxBytes) => bytes.subarray(0, maxBytes),
    tail: async (maxBytes) => bytes.subarray(-maxBytes),
    open: () => pieces(bytes),
    keep: async () => (await blobs.putBytes(bytes)).content_id,
  }
}

export async function* pieces(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

export async function storedContent(content_id: string, blobs: Blobs): Promise<Content> {
  const size = await blobs.size(content_id)
  if (size === undefined) throw new Error(`its bytes (${content_id}) are no longer here`)
  const slice = (start: number, end: number) =>
    readAll(blobs.open(content_id, { start, end }), end - start)
  return {
    size,
    content_id,
    read: (maxBytes) => slice(0, Math.min(size, maxBytes)),
    tail: (maxBytes) => slice(Math.max(0, size - maxBytes), size),
    open: () => blobs.open(content_id),
    keep: async () => content_id,
  }
}
