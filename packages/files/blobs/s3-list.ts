import { type S3Bucket, S3Failed } from "./s3-bucket.ts"

interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modified_at: number
}

interface ListedUpload {
  readonly key: string
  readonly id: string
  readonly begun_at: number
}

/** Every object whose key begins so, within the bucket's prefix, a page at a time. */
export async function* listObjects(bucket: S3Bucket, begin: string): AsyncIterable<ListedObject> {
  let token: string | undefined
  do {
    const query = {
      "list-type": "2",
      prefix: bucket.full(begin),
      ...(token === undefined ? {} : { "continuation-token": token }),
    }
    const page = await bucket.xml({ method: "GET", key: "", query })
    for (const object of elements(page, "Contents")) {
      const key = bucket.within(xmlText(object, "Key"))
      const modified_at = Date.parse(xmlText(object, "LastModified"))
      if (key !== undefined) yield { key, size: Number(xmlText(object, "Size")), modified_at }
    }
    token = xmlText(page, "NextContinuationToken") || undefined
  } while (token !== undefined)
}

/** Uploads that were begun and not ended, the first thousand of them. A service that does not tell of
 *  them has none that we could end. */
export async function listUploads(bucket: S3Bucket, begin: string): Promise<ListedUpload[]> {
  const query = { uploads: "", prefix: bucket.full(begin) }
  const page = await bucket.xml({ method: "GET", key: "", query }).catch((error: unknown) => {
    if (error instanceof S3Failed && error.code === "NotImplemented") return ""
    throw error
  })
  return elements(page, "Upload").flatMap((upload) => {
    const key = bucket.within(xmlText(upload, "Key"))
    const begun_at = Date.parse(xmlText(upload, "Initiated"))
    return key === undefined ? [] : [{ key, id: xmlText(upload, "UploadId"), begun_at }]
  })
}

function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(
    ([, text = ""]) => text,
  )
}

/** The text of an element that holds nothing but text; empty when there is none. */
export function xmlText(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ""
  return text.replace(/&(?:amp|lt|gt|quot|apos|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#34;": '"',
  "&#39;": "'",
}
