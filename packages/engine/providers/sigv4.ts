import { createHash, createHmac } from "node:crypto"
import type { Post } from "./transport.ts"
import type { SigningKey } from "compositor-core/wires/define-wire"
import { writeBody } from "./write-body.ts"

const ALGORITHM = "AWS4-HMAC-SHA256"

/** The headers that sign a request (Signature Version 4). The signature covers the body, so its
 *  media are read once to be hashed and once more to be sent; they are never held. */
export async function signed(
  post: Post,
  key: SigningKey,
  now: Date = new Date(),
): Promise<Readonly<Record<string, string>>> {
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, "")
  const token = key.session_token ? { "x-amz-security-token": key.session_token } : {}
  const added = { "x-amz-date": time, ...token }
  const headers = { ...post.headers, ...added, host: new URL(post.url).host }
  const names = Object.keys(headers).sort()
  const request = [
    "POST",
    canonicalPath(post.url),
    "",
    ...Object.entries(headers)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, " ")}`),
    "",
    names.join(";"),
    await bodyHash(post),
  ].join("\n")
  const scope = [time.slice(0, 8), key.region, key.service, "aws4_request"]
  const text = [ALGORITHM, time, scope.join("/"), hash(request)].join("\n")
  const signature = hmac(signingKey(key, scope), text).toString("hex")
  const credential = `Credential=${key.access_key_id}/${scope.join("/")}`
  const authorization = `${ALGORITHM} ${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`
  return { ...added, authorization }
}

// Outside S3 the path is encoded once more than it was for the request itself.
function canonicalPath(url: string): string {
  return new URL(url).pathname.split("/").map(encode).join("/")
}

function encode(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

async function bodyHash({ body, open }: Post): Promise<string> {
  const sum = createHash("sha256")
  for await (const chunk of writeBody(body, open)) sum.update(chunk)
  return sum.digest("hex")
}

function signingKey({ secret_access_key }: SigningKey, scope: readonly string[]): Buffer {
  return scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret_access_key}`))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
