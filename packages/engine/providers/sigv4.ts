import { createHash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import type { SigningKey } from "compositor-core/wires/define-wire"
import type { Post } from "./transport.ts"
import { writeBody } from "./write-body.ts"

/** The headers that sign a request (Signature Version 4). The signature covers the body, so its
 *  media are read once to be hashed and once more to be sent; they are never held. */
export async function signRequest(
  post: Post,
  key: SigningKey,
  now: Date = new Date(),
): Promise<Readonly<Record<string, string>>> {
  const signer = new HashedSigner(post, key, now)
  signer.body_hash = await bodyHash(post)
  const { headers } = await signer.sign()
  const sent = new Set(Object.keys(post.headers))
  return Object.fromEntries([...headers].filter(([name]) => !sent.has(name)))
}

/** Signs a body of which only the hash is known, without a header that says it. */
class HashedSigner extends AwsV4Signer {
  body_hash = ""

  constructor({ url, headers }: Post, key: SigningKey, now: Date) {
    super({
      method: "POST",
      url,
      headers,
      accessKeyId: key.access_key_id,
      secretAccessKey: key.secret_access_key,
      ...(key.session_token ? { sessionToken: key.session_token } : {}),
      region: key.region,
      service: key.service,
      datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ""),
      allHeaders: true,
    })
  }

  override hexBodyHash(): Promise<string> {
    return Promise.resolve(this.body_hash)
  }
}

async function bodyHash({ body, open }: Post): Promise<string> {
  const sum = createHash("sha256")
  for await (const chunk of writeBody(body, open)) sum.update(chunk)
  return sum.digest("hex")
}
