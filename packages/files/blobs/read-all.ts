import { BlobTooLarge } from "./blocks.ts"

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
