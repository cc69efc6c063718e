import type { BlobStore, ByteRange, ServedAs, StoredBlob } from "./blobs.ts"

/** A store in front of another: what it does not do itself, the other does. */
export class BlobsBehind implements BlobStore {
  protected readonly behind: BlobStore

  constructor(behind: BlobStore) {
    this.behind = behind
  }

  put(
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly maxBytes: number },
  ): Promise<StoredBlob> {
    return this.behind.put(chunks, limits)
  }

  putBytes(bytes: Uint8Array): Promise<StoredBlob> {
    return this.behind.putBytes(bytes)
  }

  open(content_id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.behind.open(content_id, range)
  }

  size(content_id: string): Promise<number | undefined> {
    return this.behind.size(content_id)
  }

  isKept(content_id: string): Promise<boolean> {
    return this.behind.isKept(content_id)
  }

  remove(content_id: string, put_before?: number, wanted?: () => Promise<boolean>): Promise<void> {
    return this.behind.remove(content_id, put_before, wanted)
  }

  list() {
    return this.behind.list()
  }

  sweepTemporary(now?: number): Promise<void> {
    return this.behind.sweepTemporary(now)
  }

  async link(content_id: string, served: ServedAs): Promise<string | null> {
    return (await this.behind.link?.(content_id, served)) ?? null
  }
}

/** Blobs that are put now and named in a row soon. Whoever deletes the last row that names the same
 *  bytes may take them along in between: once they are named, they are looked for again, and put again
 *  where they are gone. Bytes that came as a stream are not held for that. */
export class NamingBlobs extends BlobsBehind {
  readonly #put = new Map<string, Uint8Array>()

  /** The rows that name them are written. */
  async named(): Promise<void> {
    for (const [content_id, bytes] of this.#put)
      if (!(await this.behind.isKept(content_id))) await this.behind.putBytes(bytes)
    this.#put.clear()
  }

  override async putBytes(bytes: Uint8Array) {
    const stored = await super.putBytes(bytes)
    this.#put.set(stored.content_id, bytes)
    return stored
  }
}
