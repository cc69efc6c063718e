import type { Context, Next } from "hono"
import type { PrincipalLimits } from "compositor-core/message/principal"
import { HttpError } from "./errors.ts"
import type { ServerMetrics } from "./metrics.ts"

/** What is counted: how much of it comes back in what time, and how much may be spent at once. */
const KINDS = {
  requests: { limit: "requests_per_second", per_ms: 1000, burst: 2, unit: "requests per second" },
  messages: { limit: "messages_per_minute", per_ms: 60_000, burst: 1, unit: "messages per minute" },
  uploads: {
    limit: "upload_bytes_per_day",
    per_ms: 24 * 60 * 60 * 1000,
    burst: 1,
    unit: "bytes uploaded per day",
  },
} as const

export type Kind = keyof typeof KINDS

/** Whoever was not heard of for longest is forgotten, with whatever it had spent. */
const MAX_PRINCIPALS = 10_000

interface Bucket {
  left: number
  at: number
}

/** Token buckets, three for each principal. A limit that is absent is none. */
export class Limits {
  readonly #usual: PrincipalLimits
  readonly #now: () => number
  readonly #buckets = new Map<string, Map<Kind, Bucket>>()

  constructor(usual: PrincipalLimits, now: () => number = () => performance.now()) {
    this.#usual = usual
    this.#now = now
  }

  /** Spend some, and hear after how many seconds it could be spent; 0 when it was. */
  spend(kind: Kind, principal: string, { amount = 1, own = {} }: Spending = {}): number {
    const { limit, per_ms, burst } = KINDS[kind]
    const rate = own[limit] ?? this.#usual[limit]
    if (rate === undefined) return 0
    const most = Math.max(rate * burst, 1)
    const bucket = this.#bucketOf(principal, kind, most)
    const now = this.#now()
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) * rate) / per_ms)
    bucket.at = now
    if (bucket.left < amount) return Math.ceil(((amount - bucket.left) * per_ms) / rate / 1000) || 1
    bucket.left -= amount
    return 0
  }

  #bucketOf(principal: string, kind: Kind, most: number): Bucket {
    const buckets = this.#buckets.get(principal) ?? new Map<Kind, Bucket>()
    this.#buckets.delete(principal)
    this.#buckets.set(principal, buckets)
    const [oldest] = this.#buckets.size > MAX_PRINCIPALS ? this.#buckets.keys() : []
    if (oldest !== undefined) this.#buckets.delete(oldest)
    const bucket = buckets.get(kind) ?? { left: most, at: this.#now() }
    buckets.set(kind, bucket)
    return bucket
  }
}

interface Spending {
  readonly amount?: number
  /** What is allowed to this one. */
  readonly own?: PrincipalLimits | undefined
}

function isKind(name: string): name is Kind {
  return Object.hasOwn(KINDS, name)
}

/** Reads `requests=50/s,messages=120/m,uploads=20g/d`. */
export function readLimits(text: string): PrincipalLimits {
  const entries = text
    .split(",")
    .filter((one) => one.trim() !== "")
    .map((one) => {
      const [, name = "", digits, unit = "", per] =
        /^\s*(\w+)=(\d{1,12})([kmg]?)\/([smd])\s*$/i.exec(one) ?? []
      const kind = isKind(name) ? KINDS[name] : undefined
      if (!kind || per !== kind.unit.split(" per ")[1]?.charAt(0))
        throw new Error(
          `--limit ${one}: a limit is requests=<n>/s, messages=<n>/m or uploads=<n>/d`,
        )
      return [kind.limit, Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)]
    })
  return Object.fromEntries(entries)
}

const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Requests that make someone work: each is a message. */
const MESSAGES: readonly RegExp[] = [
  /^\/v1\/sessions\/[^/]+\/messages$/,
  /^\/v1\/entities\/.+\/(?:send|inbox)$/,
  /^\/_electric\/entities\/.+\/send$/,
]

/** Who delivers to a webhook has no token. What its trigger lets in, the trigger's own throttle counts;
 *  what it turns away is counted by the route, so that no stranger uses up what is another's. */
const HOOK = /^\/v1\/hooks\/[^/]+$/

/** Everyone is held to the limits, which are counted for each principal. */
export function limitRequests(limits: Limits, metrics: ServerMetrics) {
  return async (context: Context, next: Next) => {
    const meter = meterOf(context, limits, metrics)
    context.set("meter", meter)
    const { method, path } = context.req
    if (method === "POST" && HOOK.test(path)) return next()
    meter("requests", 1)
    if (method === "POST" && MESSAGES.some((pattern) => pattern.test(path))) meter("messages", 1)
    await next()
  }
}

const NOBODY = "nobody"

type Meter = (kind: Kind, amount: number) => void

function meterOf(context: Context, limits: Limits, metrics: ServerMetrics): Meter {
  // Strangers at webhooks have no token: all of them are one.
  const principal: string = context.get("principal") ?? NOBODY
  const own: PrincipalLimits | undefined = context.get("caller")?.principal?.limits
  return (kind, amount) => {
    const seconds = limits.spend(kind, principal, { amount, own })
    if (seconds === 0) return
    metrics.limited.add(1, kind)
    throw new RateLimited(kind, seconds)
  }
}

class RateLimited extends HttpError {
  constructor(kind: Kind, seconds: number) {
    const message = `${KINDS[kind].unit}: no more for now; try again in ${seconds} s`
    super(429, "rate_limited", message, [], { "retry-after": String(seconds) })
  }
}

/** How whoever asks is counted; not in process, where nobody is. */
export function meterIn(context: Context): Meter | undefined {
  return context.get("meter")
}

/** Chunks whose bytes are counted as they come. */
export async function* countBytes(
  context: Context,
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const meter = meterIn(context)
  for await (const chunk of chunks) {
    meter?.("uploads", chunk.length)
    yield chunk
  }
}
