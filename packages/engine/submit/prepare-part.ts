import type { Condition } from "compositor-core/file/loaded-file"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { conditionOf, conditionOfBlob, TAIL_BYTES } from "compositor-files/formats/condition"
import { kindOfMime, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import type {
  EditorContextPart,
  FileAttachmentPart,
  FileRefPart,
  Part,
  UnknownPart,
} from "compositor-core/message/part"
import { Refusal } from "compositor-core/message/refusal"
import type { NewBlob, Store } from "../store/store.ts"

export interface Shelves {
  readonly store: Pick<Store, "blob">
  readonly blobs: Pick<BlobStore, "putBytes" | "open">
  /** Whether the part may carry so many bytes itself. */
  readonly inline: (size: number) => Promise<boolean>
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
  if (part.type === "editor-context")
    return { part: stamped(part as EditorContextPart), blob: null }
  return { part, blob: null }
}

function stamped(part: EditorContextPart): EditorContextPart {
  return part.emitted_at === undefined ? { ...part, emitted_at: Date.now() } : part
}

async function prepareAttachment(
  part: FileAttachmentPart,
  shelves: Shelves,
  path: string,
): Promise<PreparedPart> {
  if (part.data !== undefined) return hashInline(part, part.data, shelves)
  if (part.content_id === undefined) return { part, blob: null }
  const { content_id, size, mime } = await uploaded(part.content_id, shelves, path)
  const file = { content_id, size, mime, kind: kindOfMime(mime) }
  const condition = await conditionOfBlob(shelves.blobs, file).catch(() => undefined)
  return {
    part: inCondition({ ...part, mime, size }, condition),
    blob: { content_id, size, mime, stored: false },
  }
}

/** What is wrong with a file stands in its part; whatever a surface says of it does not. */
function inCondition(
  part: FileAttachmentPart,
  condition: Condition | undefined,
): FileAttachmentPart {
  const { condition: _, ...rest } = part
  return condition === undefined ? rest : { ...rest, condition }
}

/** The attachment part of some bytes: what `attach` prints and a message carries. */
async function hashInline(
  part: FileAttachmentPart,
  data: string,
  { blobs, inline }: Shelves,
): Promise<PreparedPart> {
  const bytes = Buffer.from(data, "base64")
  const complete = bytes.length <= SNIFF_BYTES
  const head = bytes.subarray(0, SNIFF_BYTES)
  const { mime, kind } = await sniff(head, part.name, complete)
  const { content_id, size } = await blobs.putBytes(bytes)
  const condition = conditionOf({ mime, kind, head, tail: bytes.subarray(-TAIL_BYTES), size })
  // Bytes that no model reads are reached by their content id, not carried along (CMP-031).
  const carried = kind !== "binary" && kind !== "archive" && (await inline(size))
  const { data: _, ...rest } = part
  const whole = { ...rest, mime, size, content_id, ...(carried ? { data } : {}) }
  return {
    part: inCondition(whole, condition),
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
