import { createHash, createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** Whether a request was signed with this secret (AWS Signature Version 4), by header or by query. The
 *  server behind does not look at signatures of this version. */
export function isSigned(asked: IncomingMessage, secret: string): boolean {
  const url = new URL(asked.url ?? "", "http://s3")
  const given = inHeader(asked) ?? inQuery(url)
  if (!given) return false
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&")
  const headers = given.headers.map((name) => `${name}:${String(asked.headers[name]).trim()}\n`)
  const canonical = [
    asked.method,
    url.pathname,
    query,
    headers.join(""),
    given.headers.join(";"),
    given.payload,
  ].join("\n")
  const text = ["AWS4-HMAC-SHA256", given.date, given.scope, sha256(canonical)].join("\n")
  const key = given.scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, text).toString("hex") === given.signature
}

function inHeader(asked: IncomingMessage) {
  const pattern = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/
  const [, scope, headers, signature] = pattern.exec(asked.headers.authorization ?? "") ?? []
  if (scope === undefined || headers === undefined || signature === undefined) return undefined
  const payload = String(asked.headers["x-amz-content-sha256"])
  const date = String(asked.headers["x-amz-date"])
  return { scope, headers: headers.split(";"), signature, payload, date }
}

function inQuery({ searchParams }: URL) {
  const signature = searchParams.get("X-Amz-Signature")
  if (signature === null) return undefined
  const scope = (searchParams.get("X-Amz-Credential") ?? "").split("/").slice(1).join("/")
  const headers = (searchParams.get("X-Amz-SignedHeaders") ?? "").split(";")
  const date = searchParams.get("X-Amz-Date") ?? ""
  return { scope, headers, signature, payload: "UNSIGNED-PAYLOAD", date }
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex")
}
