import { type BlobStore, computeContentId } from "compositor-files/blobs/blobs"

/** Blobs that are forgotten afterwards, in front of those that are kept. */
export class PassingBlobs implements Pick<BlobStore, "open" | "size" | "putBytes"> {
  readonly #kept: Pick<BlobStore, "open" | "size">
  readonly #passing = new Map<string, Uint8Array>()

  constructor(kept: Pick<BlobStore, "open" | "size">) {
    this.#kept = kept
  }

  async putBytes(bytes: Uint8Array) {
    const content_id = computeContentId(bytes)
    this.#passing.set(content_id, bytes)
    return { content_id, size: bytes.length }
  }

  async size(content_id: string) {
    return this.#passing.get(content_id)?.length ?? this.#kept.size(content_id)
  }

  async *open(content_id: string, range?: { start: number; end: number }) {
    const bytes = this.#passing.get(content_id)
    if (bytes) yield bytes.subarray(range?.start ?? 0, range?.end ?? bytes.length)
    else yield* this.#kept.open(content_id, range)
  }
}
