import type { BlobStore } from "compositor-files/blobs/blobs"
import { conditionOfBlob } from "compositor-files/formats/condition"
import { SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { Refusal } from "compositor-core/message/refusal"
import type { Store } from "../store/store.ts"
import { SniffingStream } from "./sniffing-stream.ts"

export const MAX_UPLOAD_BYTES = 2 * 1024 * 1024 * 1024

/** Take bytes in and say what they are; a message then names them by their content id. */
export async function takeUpload(
  {
    store,
    blobs,
  }: { store: Pick<Store, "recordUpload">; blobs: Pick<BlobStore, "put" | "open" | "isKept"> },
  chunks: AsyncIterable<Uint8Array>,
  { name, principal }: { readonly name: string; readonly principal: string | null },
) {
  const head = new SniffingStream(chunks)
  const { content_id, size } = await blobs.put(head, { maxBytes: MAX_UPLOAD_BYTES })
  const { mime, kind } = await sniff(head.bytes(), name, size <= SNIFF_BYTES)
  await store.recordUpload({ content_id, size, mime, principal })
  // Whoever deleted the last message with the same bytes may have taken them along.
  if (!(await blobs.isKept(content_id)))
    throw new Refusal("conflict", `${name} was deleted elsewhere while it came in: upload it again`)
  const condition = await conditionOfBlob(blobs, { content_id, size, mime, kind })
  return { content_id, size, mime, name, kind, ...(condition ? { condition } : {}) }
}
