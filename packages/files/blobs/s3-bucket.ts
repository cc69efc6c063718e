import { createHash } from "node:crypto"
import { Agent, type IncomingMessage, request as requestHttp } from "node:http"
import { Agent as SecureAgent, request as requestHttps } from "node:https"
import { setTimeout as pause } from "node:timers/promises"
import { errorCode } from "compositor-core/message/untyped"
import { AwsV4Signer } from "aws4fetch"
import { BlobsFailed } from "./blobs.ts"
import type { S3Address } from "./s3-address.ts"

interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** Within the address's prefix; empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** An answer whose body is still to come. Whoever does not read it must destroy it. */
type S3Answer = IncomingMessage & { readonly statusCode: number }

function hasStatus(answer: IncomingMessage): answer is S3Answer {
  return answer.statusCode !== undefined
}

/** What a bucket would not do. Neither keys nor signatures are in its words. */
export class S3Failed extends BlobsFailed {
  override readonly name = "S3Failed"
  readonly status: number
  readonly code: string

  constructor(what: string, status: number, code: string, cause?: unknown) {
    super(`${what}: ${status > 0 ? `${status} ` : ""}${code}`, { cause })
    this.status = status
    this.code = code
  }
}

const ATTEMPTS = 5
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 3000
/** So long nothing may come, or go, before a connection is given up. */
const SILENCE_MS = 20_000
const MAX_XML_BYTES = 8 * 1024 * 1024
const MAX_SOCKETS = 64
const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "InternalError",
  "SlowDown",
  "RequestTimeout",
])

export interface S3Patience {
  readonly attempts?: number
  readonly pause_ms?: number
  readonly silence_ms?: number
}

/** A bucket that is asked over HTTP: each request is signed, and made again when the network or the
 *  service failed it. All we ask for may be done twice. */
export class S3Bucket {
  readonly #address: S3Address
  readonly #patience: Required<S3Patience>
  readonly #agent: Agent
  /** Keys of the day, derived from the secret. */
  readonly #keys = new Map<string, ArrayBuffer>()

  constructor(address: S3Address, patience: S3Patience = {}) {
    this.#address = address
    this.#patience = {
      attempts: patience.attempts ?? ATTEMPTS,
      pause_ms: patience.pause_ms ?? FIRST_PAUSE_MS,
      silence_ms: patience.silence_ms ?? SILENCE_MS,
    }
    const pool = { keepAlive: true, maxSockets: MAX_SOCKETS }
    const secure = address.endpoint.protocol === "https:"
    this.#agent = secure ? new SecureAgent(pool) : new Agent(pool)
  }

  get name(): string {
    return `s3://${this.#address.bucket}`
  }

  /** The answer, if its status is good or one of `expected`; its body is still to come. */
  ask(request: S3Request, expected: readonly number[] = []): Promise<S3Answer> {
    return this.#again(() => this.#try(request, expected))
  }

  /** The answer's headers; there is nothing to read in it. */
  async head(request: S3Request, expected: readonly number[] = []) {
    const answer = await this.ask(request, expected)
    await drained(answer)
    return answer
  }

  /** An answer in XML. */
  xml(request: S3Request): Promise<string> {
    return this.#again(() => this.#tryXml(request))
  }

  /** The body of an answer. Only our own waiting is bounded: whoever reads may take their time. */
  async *read(answer: S3Answer): AsyncIterable<Buffer> {
    const iterator = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const giveUp = () => answer.destroy(new Error("nothing came"))
    try {
      for (;;) {
        const timer = setTimeout(giveUp, this.#patience.silence_ms)
        const { done, value } = await iterator.next().finally(() => clearTimeout(timer))
        if (done) return
        yield value
      }
    } finally {
      answer.destroy()
    }
  }

  /** An address that gives the bytes to whoever has it, for a while. */
  async link(
    key: string,
    { seconds, query }: { seconds: number; query: Readonly<Record<string, string>> },
  ): Promise<string> {
    const url = this.#url({ key, query: { ...query, "X-Amz-Expires": String(seconds) } })
    const signed = await this.#signer({ method: "GET", url, signQuery: true }).sign()
    return signed.url.href
  }

  /** A key as `x-amz-copy-source` names it. */
  source(key: string): string {
    return encodeURI(`/${this.#address.bucket}/${this.full(key)}`)
  }

  /** What failed `attempt` times is let rest for longer each time. */
  async rest(attempt: number) {
    const longest = Math.min(this.#patience.pause_ms * 2 ** (attempt - 1), MAX_PAUSE_MS)
    await pause(longest * (0.5 + Math.random() / 2))
  }

  get attempts(): number {
    return this.#patience.attempts
  }

  close() {
    this.#agent.destroy()
  }

  async #again<Given>(attempt: () => Promise<Given | S3Failed>): Promise<Given> {
    for (let count = 1; ; count++) {
      const given = await attempt()
      if (!(given instanceof S3Failed)) return given
      if (count >= this.#patience.attempts || !isPassing(given)) throw given
      await this.rest(count)
    }
  }

  async #try(request: S3Request, expected: readonly number[]): Promise<S3Answer | S3Failed> {
    const what = this.#what(request)
    try {
      const answer = await this.#send(request)
      const status = answer.statusCode
      if (status < 300 || expected.includes(status)) return answer
      return new S3Failed(what, status, await this.#codeOf(answer))
    } catch (error) {
      return new S3Failed(what, 0, codeOfNetwork(error), error)
    }
  }

  async #send({ method, key, query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const url = this.#url({ key, query })
    const digest = createHash("sha256")
      .update(body ?? "")
      .digest("hex")
    const wanted = { ...headers, "x-amz-content-sha256": digest }
    const signed = await this.#signer({ method, url, headers: wanted }).sign()
    const length =
      body || method === "PUT" || method === "POST" ? { "content-length": body?.length ?? 0 } : {}
    const open = url.protocol === "https:" ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const sent = open(url, {
        method,
        headers: { ...Object.fromEntries(signed.headers), ...length },
        agent: this.#agent,
        timeout: this.#patience.silence_ms,
      })
      sent.on("response", (answer) => {
        // From here on only whoever reads may say that it takes too long.
        sent.setTimeout(0)
        if (hasStatus(answer)) resolve(answer)
        else reject(new Error("an answer without a status"))
      })
      sent.on("timeout", () =>
        sent.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
      )
      sent.on("error", reject)
      sent.end(body)
    })
  }

  #signer(about: { method: string; url: URL; headers?: Record<string, string>; signQuery?: true }) {
    const { credentials, region } = this.#address
    const { url, ...more } = about
    const common = { ...credentials, service: "s3", region, cache: this.#keys }
    return new AwsV4Signer({ ...common, ...more, url: url.href })
  }

  #url({ key, query = {} }: Pick<S3Request, "key" | "query">): URL {
    const { endpoint, bucket, in_path } = this.#address
    const url = new URL(endpoint)
    if (!in_path) url.hostname = `${bucket}.${url.hostname}`
    const base = endpoint.pathname.replace(/\/+$/, "")
    const path = [in_path ? bucket : "", key === "" ? "" : this.full(key)].filter(
      (part) => part !== "",
    )
    url.pathname = `${base}/${path.map(encodeURI).join("/")}`
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  /** A key as the bucket knows it. */
  full(key: string): string {
    const { prefix } = this.#address
    return prefix === "" ? key : `${prefix}/${key}`
  }

  /** A key of the bucket as we know it; undefined when it is outside our prefix. */
  within(full: string): string | undefined {
    const start = this.full("")
    return full.startsWith(start) ? full.slice(start.length) : undefined
  }

  #what({ method, key }: S3Request): string {
    return `${method} ${this.name}/${key === "" ? "" : this.full(key)}`
  }

  // Some requests are answered with 200 before it is known whether they succeed: the body says so.
  async #tryXml(request: S3Request): Promise<string | S3Failed> {
    const answer = await this.#try(request, [])
    if (answer instanceof S3Failed) return answer
    try {
      const text = await textOf(this.read(answer))
      return text.includes("<Error>") ? new S3Failed(this.#what(request), 200, codeIn(text)) : text
    } catch (error) {
      return new S3Failed(this.#what(request), 0, codeOfNetwork(error), error)
    }
  }

  async #codeOf(answer: S3Answer): Promise<string> {
    const text = await textOf(this.read(answer)).catch(() => "")
    return text === "" ? (STATUS_CODES[answer.statusCode] ?? "no reason given") : codeIn(text)
  }
}

/** An answer to HEAD has no body that could say why. */
const STATUS_CODES: Readonly<Record<number, string>> = {
  301: "PermanentRedirect (the bucket is in another region)",
  403: "AccessDenied",
  404: "NotFound",
}

// Only the code is told: the sentence beside it may quote what was signed.
function codeIn(xml: string): string {
  return /<Code>([A-Za-z0-9.]{1,80})<\/Code>/.exec(xml)?.[1] ?? "no reason given"
}

function codeOfNetwork(error: unknown): string {
  const code = errorCode(error)
  return code ?? "the connection broke"
}

function isPassing({ status, code }: S3Failed): boolean {
  if (status === 0) return code !== "ENOTFOUND" && !code.startsWith("ERR_TLS")
  return RETRYABLE.has(status) || RETRYABLE_CODES.has(code)
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_XML_BYTES) throw new Error(`an answer of more than ${MAX_XML_BYTES} bytes`)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces).toString("utf8")
}

// A body that was read to its end gives the connection back.
async function drained(answer: S3Answer) {
  answer.resume()
  await new Promise<void>((resolve) => {
    answer
      .once("close", resolve)
      .once("end", resolve)
      .once("error", () => resolve())
  })
}
