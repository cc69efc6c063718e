import type { FileHandle } from "node:fs/promises"
import type { ByteRange } from "./blobs.ts"

export const BLOCK_BYTES = 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** The bytes of a file that is open. Each chunk lies in the memory of the one before: it is for those
 *  who are done with one before they ask for the next, as `put` is. */
export async function* fileChunks(handle: FileHandle): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, BLOCK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** The bytes of an open file, or of a range of it. */
export async function* readChunks(
  handle: FileHandle,
  range?: ByteRange,
): AsyncIterable<Uint8Array> {
  const end = range?.end ?? Number.POSITIVE_INFINITY
  let position = range?.start ?? 0
  while (position < end) {
    const length = Math.min(CHUNK_BYTES, end - position)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
