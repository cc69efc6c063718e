import { asItCame, type StoredBytes } from "compositor-core/parts/define-part"
import { definitionOf, type Part } from "compositor-core/parts/table"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { conditionOf, conditionOfBlob, TAIL_BYTES } from "compositor-files/formats/condition"
import { kindOfMime, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { Refusal } from "compositor-core/message/refusal"
import type { NewBlob, Store } from "../store/store.ts"

interface Shelves {
  readonly store: Pick<Store, "blob">
  readonly blobs: Pick<BlobStore, "putBytes" | "open">
  /** Whether the part may carry so many bytes itself. */
  readonly inline: (size: number) => Promise<boolean>
}

export interface PreparedPart {
  readonly part: Part
  readonly blob: NewBlob | null
}

/** Bring a part into the shape that is persisted: bytes are hashed into the blob store, what they
 *  are is read from them, and only small ones stay inline (decision 9). `path` names it in faults. */
export async function preparePart(
  part: Part,
  shelves: Shelves,
  path: string,
): Promise<PreparedPart> {
  const definition = definitionOf(part)
  const now = Date.now()
  const [request] = definition.load(part)
  if (request?.from === "part") {
    const { bytes, blob } = await hashInline(request, shelves)
    return { part: definition.keep(part, { now, bytes }), blob }
  }
  const [named] = definition.blobs(part)
  if (named === undefined) return { part: definition.keep(part, { now }), blob: null }
  const { content_id, size, mime } = await uploaded(named, shelves, path)
  const file = { content_id, size, mime, kind: kindOfMime(mime) }
  const isToldMore = definition.keep !== asItCame
  const condition = isToldMore
    ? await conditionOfBlob(shelves.blobs, file).catch(() => undefined)
    : undefined
  const bytes = { content_id, size, mime, condition }
  return {
    part: definition.keep(part, { now, bytes }),
    blob: { content_id, size, mime, stored: false },
  }
}

async function hashInline(
  { data, name }: { readonly data: string; readonly name: string },
  { blobs, inline }: Shelves,
): Promise<{ readonly bytes: StoredBytes; readonly blob: NewBlob }> {
  const bytes = Buffer.from(data, "base64")
  const complete = bytes.length <= SNIFF_BYTES
  const head = bytes.subarray(0, SNIFF_BYTES)
  const { mime, kind } = await sniff(head, name, complete)
  const { content_id, size } = await blobs.putBytes(bytes)
  const condition = conditionOf({ mime, kind, head, tail: bytes.subarray(-TAIL_BYTES), size })
  // Bytes that no model reads are reached by their content id, not carried along (CMP-031).
  const carried = kind !== "binary" && kind !== "archive" && (await inline(size))
  const stored = { content_id, size, mime }
  return {
    bytes: { ...stored, condition, ...(carried ? { data } : {}) },
    blob: { ...stored, stored: true },
  }
}

async function uploaded(content_id: string, { store }: Shelves, path: string) {
  const blob = await store.blob(content_id)
  if (blob) return blob
  const message = `nothing was uploaded as ${content_id}`
  throw new Refusal("invalid", `${message}: upload the file first`, [{ path, message }])
}
