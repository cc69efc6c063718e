import type { BlobStore, ByteRange, ServedAs } from "./blobs.ts"

/** Blobs that are put now and named in a row soon. Whoever deletes the last row that names the same
 *  bytes may take them along in between: once they are named, they are looked for again, and put again
 *  where they are gone. Bytes that came as a stream are not held for that. */
export class NamingBlobs implements BlobStore {
  readonly #blobs: BlobStore
  readonly #put = new Map<string, Uint8Array>()

  constructor(blobs: BlobStore) {
    this.#blobs = blobs
  }

  /** The rows that name them are written. */
  async named(): Promise<void> {
    for (const [content_id, bytes] of this.#put)
      if (!(await this.#blobs.isKept(content_id))) await this.#blobs.putBytes(bytes)
    this.#put.clear()
  }

  async putBytes(bytes: Uint8Array) {
    const stored = await this.#blobs.putBytes(bytes)
    this.#put.set(stored.content_id, bytes)
    return stored
  }

  put(chunks: AsyncIterable<Uint8Array>, limits: { readonly maxBytes: number }) {
    return this.#blobs.put(chunks, limits)
  }

  open(content_id: string, range?: ByteRange) {
    return this.#blobs.open(content_id, range)
  }

  size(content_id: string) {
    return this.#blobs.size(content_id)
  }

  isKept(content_id: string) {
    return this.#blobs.isKept(content_id)
  }

  remove(content_id: string, put_before?: number, wanted?: () => Promise<boolean>) {
    return this.#blobs.remove(content_id, put_before, wanted)
  }

  list() {
    return this.#blobs.list()
  }

  sweepTemporary(now?: number) {
    return this.#blobs.sweepTemporary(now)
  }

  async link(content_id: string, served: ServedAs) {
    return (await this.#blobs.link?.(content_id, served)) ?? null
  }
}
