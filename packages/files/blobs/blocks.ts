import type { FileHandle } from "node:fs/promises"
import type { ByteRange } from "./blobs.ts"

/** The same bytes in blocks, only the last of them shorter, in memory that is used again and again. The
 *  next chunk is asked for before a block is given out, so that it is on its way while the block is
 *  hashed and written. */
export async function* inBlocks(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, block_bytes, blocks }: Cut,
): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const ring = Array.from({ length: blocks }, () => Buffer.allocUnsafeSlow(block_bytes))
  const turn = () => {
    const [next = Buffer.allocUnsafeSlow(block_bytes)] = ring.splice(0, 1)
    ring.push(next)
    return next
  }
  let block = turn()
  let filled = 0
  let size = 0
  try {
    let next = iterator.next()
    for (let given = await next; !given.done; given = await next) {
      let rest = given.value
      size += rest.length
      if (size > maxBytes) throw new BlobTooLarge(maxBytes)
      while (filled + rest.length > block_bytes) {
        block.set(rest.subarray(0, block_bytes - filled), filled)
        rest = rest.subarray(block_bytes - filled)
        yield block
        block = turn()
        filled = 0
      }
      block.set(rest, filled)
      filled += rest.length
      next = iterator.next()
      // Whoever awaits it is told; until then it is nobody's.
      next.catch(() => undefined)
      if (filled < block_bytes) continue
      yield block
      block = turn()
      filled = 0
    }
    if (filled > 0) yield block.subarray(0, filled)
  } finally {
    // Not awaited: someone who stopped in the middle of a chunk may never send the rest of it.
    void iterator.return?.().catch(() => undefined)
  }
}

interface Cut {
  readonly maxBytes: number
  readonly block_bytes: number
  /** A block is good until so many more were asked for. */
  readonly blocks: number
}

export class BlobTooLarge extends Error {
  override readonly name = "BlobTooLarge"
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`the upload is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

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

/** Every byte of a small blob. More than `maxBytes` is our own mistake, and throws. */
export async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw new BlobTooLarge(maxBytes)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces)
}
