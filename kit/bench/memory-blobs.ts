import type { Blobs } from "../../packages/engine/loading/content.ts"

const CHUNK_BYTES = 256 * 1024

/** Bytes in memory, given out piece by piece as a file's would be: the libraries beside us hold theirs
 *  in memory too. */
export class MemoryBlobs implements Blobs {
  readonly #bytes = new Map<string, Uint8Array>()

  add(bytes: Uint8Array): { readonly content_id: string; readonly size: number } {
    const content_id = `sha256:${this.#bytes.size.toString(16).padStart(64, "0")}`
    this.#bytes.set(content_id, bytes)
    return { content_id, size: bytes.length }
  }

  async putBytes(bytes: Uint8Array) {
    return this.add(bytes)
  }

  async size(content_id: string) {
    return this.#bytes.get(content_id)?.length
  }

  async *open(content_id: string, range?: { readonly start: number; readonly end: number }) {
    const bytes = this.#bytes.get(content_id)
    if (!bytes) throw new Error(`there are no bytes ${content_id}`)
    const end = Math.min(bytes.length, range?.end ?? bytes.length)
    for (let at = range?.start ?? 0; at < end; at += CHUNK_BYTES)
      yield bytes.subarray(at, Math.min(end, at + CHUNK_BYTES))
  }
}
