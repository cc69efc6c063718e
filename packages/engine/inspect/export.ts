import type { BlobStore } from "compositor-files/blobs/blobs"
import type { Store } from "../store/store.ts"

export interface ExportDependencies {
  readonly store: Pick<Store, "exportRows">
  readonly blobs: Pick<BlobStore, "open">
}

/** Bytes a line of blob data carries; a multiple of three, so that base64 pieces need no padding. */
const PIECE_BYTES = 3 * 256 * 1024

/** The folder, or one session, as JSON lines: rows as they are stored, in the documented order, and
 *  after each blob's row its bytes in pieces (DBG-002). The same folder gives the same bytes. */
export async function* exportLines(
  rooms: ExportDependencies,
  what: { readonly session_id: string | null; readonly blobs: boolean },
): AsyncIterable<string> {
  for await (const row of rooms.store.exportRows(what.session_id)) {
    yield JSON.stringify(row)
    if (row.type === "blob" && what.blobs) yield* pieces(rooms, String(row.data.content_id))
  }
}

async function* pieces(rooms: ExportDependencies, content_id: string): AsyncIterable<string> {
  let at = 0
  for await (const bytes of rechunk(rooms.blobs.open(content_id), PIECE_BYTES)) {
    const data = { content_id, at, base64: Buffer.from(bytes).toString("base64") }
    yield JSON.stringify({ type: "blob-data", data })
    at += bytes.length
  }
}

async function* rechunk(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncIterable<Uint8Array> {
  let waiting = Buffer.alloc(0)
  for await (const chunk of chunks) {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= size) {
      yield waiting.subarray(0, size)
      waiting = waiting.subarray(size)
    }
  }
  if (waiting.length > 0) yield waiting
}
