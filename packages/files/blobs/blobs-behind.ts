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
