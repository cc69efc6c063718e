import { BlobsBehind } from "./blobs-behind.ts"

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
