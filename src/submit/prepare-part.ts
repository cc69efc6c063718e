import type { BlobStore } from "../files/blobs.ts"
import { SNIFF_BYTES, sniff } from "../files/sniff.ts"
import { INLINE_ATTACHMENT_BYTES } from "../message/limits.ts"
import type { FileAttachmentPart, FileRefPart, Part, UnknownPart } from "../message/part.ts"
import { Refusal } from "../message/refusal.ts"
import type { NewBlob, Store } from "../store/store.ts"

export interface Shelves {
  readonly store: Pick<Store, "blob">
  readonly blobs: Pick<BlobStore, "putBytes">
}

export interface PreparedPart {
  readonly part: Part | UnknownPart
  readonly blob: NewBlob | null
}

/** Bring a part into the shape that is persisted: bytes are hashed into the blob store, what they
 *  are is read from them, and only small ones stay inline (decision 9). `path` names it in faults. */
export async function preparePart(
  part: Part | UnknownPart,
  shelves: Shelves,
  path: string,
): Promise<PreparedPart> {
  if (part.type === "file-attachment")
    return prepareAttachment(part as FileAttachmentPart, shelves, path)
  if (part.type === "file-ref") return prepareReference(part as FileRefPart, shelves, path)
  return { part, blob: null }
}

async function prepareAttachment(
  part: FileAttachmentPart,
  shelves: Shelves,
  path: string,
): Promise<PreparedPart> {
  if (part.data !== undefined) return hashInline(part, part.data, shelves)
  if (part.content_id === undefined) return { part, blob: null }
  const { content_id, size, mime } = await uploaded(part.content_id, shelves, path)
  return { part: { ...part, mime, size }, blob: { content_id, size, mime, stored: false } }
}

/** The attachment part of some bytes: what `attach` prints and a message carries. */
async function hashInline(
  part: FileAttachmentPart,
  data: string,
  { blobs }: Pick<Shelves, "blobs">,
): Promise<PreparedPart> {
  const bytes = Buffer.from(data, "base64")
  const complete = bytes.length <= SNIFF_BYTES
  const { mime, kind } = await sniff(bytes.subarray(0, SNIFF_BYTES), part.name, complete)
  const { content_id, size } = await blobs.putBytes(bytes)
  const small = size <= INLINE_ATTACHMENT_BYTES
  // Bytes that no model reads are reached by their content id, not carried along (CMP-031).
  const inline = small && kind !== "binary" && kind !== "archive"
  const { data: _, ...rest } = part
  return {
    part: { ...rest, mime, size, content_id, ...(inline ? { data } : {}) },
    blob: { content_id, size, mime, stored: true },
  }
}

async function prepareReference(
  part: FileRefPart,
  shelves: Shelves,
  path: string,
): Promise<PreparedPart> {
  if (part.ref.kind !== "content") return { part, blob: null }
  const { content_id, size, mime } = await uploaded(part.ref.content_id, shelves, path)
  return { part, blob: { content_id, size, mime, stored: false } }
}

async function uploaded(content_id: string, { store }: Shelves, path: string) {
  const blob = await store.blob(content_id)
  if (blob) return blob
  const message = `nothing was uploaded as ${content_id}`
  throw new Refusal("invalid", `${message}: upload the file first`, [{ path, message }])
}
