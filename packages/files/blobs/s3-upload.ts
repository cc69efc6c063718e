import { type S3Bucket, S3Failed } from "./s3-bucket.ts"
import { xmlText } from "./s3-list.ts"

/** One object that is sent in parts while its bytes still come in. One part is under way at a time, so
 *  that two parts are all the memory it takes. Whoever began one must `leave` it: what was not
 *  finished is then gone, part by part. */
export class S3Upload {
  readonly key: string
  readonly #bucket: S3Bucket
  readonly #etags: string[] = []
  #id: string | undefined
  #sending: Promise<void> = Promise.resolve()
  #finished = false

  constructor(bucket: S3Bucket, key: string) {
    this.#bucket = bucket
    this.key = key
  }

  /** Resolves when the part before is there; the part itself must not change until then. */
  async add(part: Uint8Array): Promise<void> {
    this.#id ??= await this.#begin()
    await this.#sending
    this.#sending = this.#send(part, this.#id)
    // Whoever adds the next part is told; until then it is nobody's.
    this.#sending.catch(() => undefined)
  }

  async finish(): Promise<void> {
    await this.#sending
    const { key } = this
    const body = Buffer.from(`<CompleteMultipartUpload>${this.#parts()}</CompleteMultipartUpload>`)
    const query = { uploadId: this.#id ?? "" }
    await this.#bucket.xml({ method: "POST", key, query, body }).catch(async (error: unknown) => {
      if (!(await this.#isThere(error))) throw error
    })
    this.#finished = true
  }

  async leave(): Promise<void> {
    if (this.#id === undefined) return
    await this.#sending.catch(() => undefined)
    const { key } = this
    const query = this.#finished ? {} : { uploadId: this.#id }
    // What cannot be removed now is found by the sweeper.
    await this.#bucket.head({ method: "DELETE", key, query }, [404]).catch(() => undefined)
  }

  async #begin(): Promise<string> {
    const headers = { "content-type": "application/octet-stream" }
    const text = await this.#bucket.xml({
      method: "POST",
      key: this.key,
      query: { uploads: "" },
      headers,
    })
    const id = xmlText(text, "UploadId")
    if (id === "") throw new Error(`${this.#bucket.name} began an upload without naming it`)
    return id
  }

  async #send(body: Uint8Array, uploadId: string) {
    const query = { partNumber: String(this.#etags.length + 1), uploadId }
    const { headers } = await this.#bucket.head({ method: "PUT", key: this.key, query, body })
    if (headers.etag === undefined)
      throw new Error(`${this.#bucket.name} took a part without an etag`)
    this.#etags.push(headers.etag)
  }

  #parts(): string {
    return this.#etags
      .map(
        (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escape(etag)}</ETag></Part>`,
      )
      .join("")
  }

  // The answer to the first try may have been lost: then the second finds no upload, but the object.
  async #isThere(error: unknown): Promise<boolean> {
    if (!(error instanceof S3Failed) || error.status !== 404) return false
    const { statusCode } = await this.#bucket.head({ method: "HEAD", key: this.key }, [404])
    return statusCode !== 404
  }
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
