import { createHash, randomUUID } from "node:crypto"
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  computeContentId,
  type ListedBlob,
  type ServedAs,
  type StoredBlob,
} from "./blobs.ts"
import { inBlocks } from "./blocks.ts"
import type { S3Address } from "./s3-address.ts"
import { S3Bucket, S3Failed, type S3Patience } from "./s3-bucket.ts"
import { listObjects, listUploads } from "./s3-list.ts"
import { S3Upload } from "./s3-upload.ts"

const CONTENT_ID = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/
const KEY = /^([0-9a-f]{2})\/([0-9a-f]{62})$/
const TEMPORARY = "tmp/"
const PART_BYTES = 8 * 1024 * 1024
const TEMPORARY_LIFETIME_MS = 6 * 60 * 60 * 1000
/** What was put within this time counts as put now: it is young for every sweeper. */
const FRESH_MS = 60_000

/** Blobs as objects of a bucket: `<prefix>/ab/cdef…`. What is larger than a part is sent in parts
 *  while it comes in, under a name of its own, and takes the name that its bytes give it at the end. */
export class S3Blobs implements BlobStore {
  readonly #bucket: S3Bucket
  readonly #presign_seconds: number | null

  constructor(address: S3Address, patience: S3Patience = {}) {
    this.#bucket = new S3Bucket(address, patience)
    this.#presign_seconds = address.presign_seconds
  }

  /** Throws with a reason when the bucket is not there, or not ours to read. */
  async check(): Promise<void> {
    await this.#bucket.xml({ method: "GET", key: "", query: { "list-type": "2", "max-keys": "1" } })
  }

  async put(
    chunks: AsyncIterable<Uint8Array>,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<StoredBlob> {
    const hash = createHash("sha256")
    const upload = new S3Upload(this.#bucket, `${TEMPORARY}${randomUUID()}`)
    let size = 0
    let small: Uint8Array = new Uint8Array()
    try {
      for await (const block of inBlocks(chunks, {
        maxBytes,
        block_bytes: PART_BYTES,
        blocks: 2,
      })) {
        hash.update(block)
        size += block.length
        if (size < PART_BYTES) small = block
        else await upload.add(block)
      }
      const blob = { content_id: `sha256:${hash.digest("hex")}`, size }
      if (size < PART_BYTES) await this.#putSmall(blob, small)
      else await this.#land(upload, blob)
      return blob
    } finally {
      await upload.leave()
    }
  }

  async putBytes(bytes: Uint8Array): Promise<StoredBlob> {
    if (bytes.length >= PART_BYTES) return this.put(once(bytes), { maxBytes: bytes.length })
    const blob = { content_id: computeContentId(bytes), size: bytes.length }
    await this.#putSmall(blob, bytes)
    return blob
  }

  async *open(content_id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    const key = keyOf(content_id)
    if (key === undefined) throw new BlobMissing(content_id)
    const end = range?.end ?? Number.POSITIVE_INFINITY
    let position = range?.start ?? 0
    if (position >= end && (await this.size(content_id)) === undefined)
      throw new BlobMissing(content_id)
    for (let failures = 0; position < end; ) {
      try {
        for await (const chunk of this.#readFrom(content_id, key, { start: position, end })) {
          position += chunk.length
          failures = 0
          yield chunk
        }
        return
      } catch (error) {
        // What was read stays read: the rest is asked for again.
        failures++
        if (!isBroken(error) || failures >= this.#bucket.attempts) throw error
        await this.#bucket.rest(failures)
      }
    }
  }

  async size(content_id: string): Promise<number | undefined> {
    const key = keyOf(content_id)
    return key === undefined ? undefined : (await this.#look(key))?.size
  }

  async isKept(content_id: string): Promise<boolean> {
    return (await this.size(content_id)) !== undefined
  }

  async remove(
    content_id: string,
    put_before = Number.POSITIVE_INFINITY,
    wanted?: () => Promise<boolean>,
  ): Promise<void> {
    const key = keyOf(content_id)
    if (key === undefined) return
    if (put_before < Number.POSITIVE_INFINITY) {
      const found = await this.#look(key)
      if (!found || found.modified_at >= put_before) return
    }
    if (wanted) await this.#removeUnless(wanted, key)
    else await this.#delete(key)
  }

  async #removeUnless(wanted: () => Promise<boolean>, key: string) {
    const aside = `${TEMPORARY}${randomUUID()}`
    if (!(await this.#copyIfThere(key, aside))) return
    await this.#delete(key)
    if (await wanted()) await this.#copy(aside, key)
    await this.#delete(aside)
  }

  async #delete(key: string) {
    await this.#bucket.head({ method: "DELETE", key }, [404])
  }

  async *list(): AsyncIterable<ListedBlob> {
    for await (const { key, size, modified_at } of listObjects(this.#bucket, "")) {
      const [, folder, rest] = KEY.exec(key) ?? []
      if (folder !== undefined) yield { content_id: `sha256:${folder}${rest}`, size, modified_at }
    }
  }

  async sweepTemporary(now: number = Date.now()): Promise<void> {
    const before = now - TEMPORARY_LIFETIME_MS
    for await (const { key, modified_at } of listObjects(this.#bucket, TEMPORARY))
      if (modified_at < before) await this.#delete(key)
    for (const { key, id, begun_at } of await listUploads(this.#bucket, TEMPORARY))
      if (begun_at < before)
        await this.#bucket.head({ method: "DELETE", key, query: { uploadId: id } }, [404])
  }

  async link(content_id: string, { type, disposition }: ServedAs): Promise<string | null> {
    const key = keyOf(content_id)
    if (key === undefined || this.#presign_seconds === null) return null
    const query = {
      "response-content-type": type,
      "response-content-disposition": disposition,
      "response-cache-control": "private, immutable, max-age=31536000",
    }
    return this.#bucket.link(key, { seconds: this.#presign_seconds, query })
  }

  close() {
    this.#bucket.close()
  }

  async #putSmall(blob: StoredBlob, bytes: Uint8Array) {
    const key = placeOf(blob)
    if (await this.#keep(key, blob.size)) return
    await this.#bucket.head({ method: "PUT", key, headers: TYPE, body: bytes })
  }

  async #land(upload: S3Upload, blob: StoredBlob) {
    const key = placeOf(blob)
    if (await this.#keep(key, blob.size)) return
    await upload.finish()
    await this.#copy(upload.key, key)
  }

  /** True when the blob is there; it counts as put now. */
  async #keep(key: string, size: number): Promise<boolean> {
    const found = await this.#look(key)
    if (found?.size !== size) return false
    if (found.age_ms < FRESH_MS) return true
    return this.#copyIfThere(key, key)
  }

  async #copyIfThere(from: string, to: string): Promise<boolean> {
    return this.#copy(from, to).then(
      () => true,
      (error: unknown) => {
        if (error instanceof S3Failed && error.status === 404) return false
        throw error
      },
    )
  }

  // A copy onto itself is how an object becomes young; it must say that it replaces something.
  async #copy(from: string, to: string) {
    const directive = { "x-amz-metadata-directive": "REPLACE" }
    const headers = { ...TYPE, ...directive, "x-amz-copy-source": this.#bucket.source(from) }
    await this.#bucket.xml({ method: "PUT", key: to, headers })
  }

  async #look(key: string) {
    const { statusCode, headers } = await this.#bucket.head({ method: "HEAD", key }, [404])
    if (statusCode === 404) return undefined
    const modified_at = Date.parse(headers["last-modified"] ?? "")
    // Both times are the service's own: our clock may be another.
    const now = Date.parse(headers.date ?? "")
    return { size: Number(headers["content-length"]), modified_at, age_ms: now - modified_at }
  }

  async *#readFrom(content_id: string, key: string, { start, end }: ByteRange) {
    const last = end === Number.POSITIVE_INFINITY ? "" : String(end - 1)
    const headers: Record<string, string> =
      start === 0 && last === "" ? {} : { range: `bytes=${start}-${last}` }
    const answer = await this.#bucket.ask({ method: "GET", key, headers }, [404, 416])
    if (answer.statusCode === 404) {
      answer.destroy()
      throw new BlobMissing(content_id)
    }
    if (answer.statusCode === 416) {
      answer.destroy()
      return
    }
    if (start > 0 && answer.statusCode !== 206)
      throw new Error(`${this.#bucket.name} does not answer ranges`)
    let left = end - start
    for await (const chunk of this.#bucket.read(answer)) {
      yield chunk.length > left ? chunk.subarray(0, left) : chunk
      left -= chunk.length
      if (left <= 0) return
    }
  }
}

const TYPE = { "content-type": "application/octet-stream" }

// Ids come from outside: only one that is nothing but digits becomes a key.
function keyOf(content_id: string): string | undefined {
  const [, folder, rest] = CONTENT_ID.exec(content_id) ?? []
  return folder === undefined ? undefined : `${folder}/${rest}`
}

function placeOf({ content_id }: StoredBlob): string {
  const key = keyOf(content_id)
  if (key === undefined) throw new Error(`${content_id} is not a content id`)
  return key
}

// An answer that broke off. What a request itself came to was tried often enough already.
function isBroken(error: unknown): boolean {
  return !(error instanceof BlobMissing) && !(error instanceof S3Failed)
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
