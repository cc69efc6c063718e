import { createHmac, timingSafeEqual } from "node:crypto"
import type { WebhookKey } from "compositor-core/triggers/trigger"

/** A signature that names its time is worth this long. */
const MAX_SKEW_MS = 5 * 60 * 1000

export interface WebhookDelivery {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly at: number
}

type Admission =
  /** The signature is the one that was expected, in one form, however the header wrote it. */
  | { readonly type: "admitted"; readonly subject: string; readonly signature?: string }
  | { readonly type: "refused"; readonly reason: string }

export function admitDelivery(key: WebhookKey, delivery: WebhookDelivery): Admission {
  switch (key.kind) {
    case "bearer": {
      const given = delivery.headers.authorization ?? ""
      return same(given, `Bearer ${key.token}`)
        ? { type: "admitted", subject: "bearer" }
        : { type: "refused", reason: "the bearer token is not the trigger's" }
    }
    case "hmac":
      return admitSigned(key, delivery)
  }
}

function admitSigned(
  key: Extract<WebhookKey, { kind: "hmac" }>,
  { headers, body, at }: WebhookDelivery,
): Admission {
  const time = key.time_header === undefined ? undefined : headers[key.time_header.toLowerCase()]
  if (key.time_header !== undefined && !isRecent(time, at))
    return { type: "refused", reason: `${key.time_header} is not a time within five minutes` }
  const given = headers[key.header.toLowerCase()]
  if (given === undefined) return { type: "refused", reason: `there is no ${key.header} header` }
  const mac = createHmac("sha256", key.secret)
  if (time !== undefined) mac.update(`${time}.`)
  const expected = mac.update(body).digest("hex")
  const signed = given.split(",").some((part) => same(part.trim().replace(/^\w+=/, ""), expected))
  return signed
    ? { type: "admitted", subject: "hmac", signature: expected }
    : { type: "refused", reason: "the signature is not that of the body" }
}

/** Whether a delivery's signature covers a time, so that the same words twice can be two deliveries. */
export function signsTime(key: WebhookKey): boolean {
  return key.kind === "hmac" && key.time_header !== undefined
}

function isRecent(time: string | undefined, at: number): boolean {
  const given = Number(time)
  if (time === undefined || !Number.isFinite(given)) return false
  const milliseconds = given < 1e11 ? given * 1000 : given
  return Math.abs(at - milliseconds) <= MAX_SKEW_MS
}

function same(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const DELIVERY_HEADERS = [
  "webhook-id",
  "x-github-delivery",
  "x-gitlab-event-uuid",
  "x-request-id",
  "idempotency-key",
  "x-delivery-id",
]
const MAX_DELIVERY_ID_CHARACTERS = 200

/** What the sender calls this delivery: the same one twice is one (TRG-002). */
export function deliveryId(headers: WebhookDelivery["headers"]): string | undefined {
  for (const name of DELIVERY_HEADERS) {
    const value = headers[name]
    if (value !== undefined && value !== "") return value.slice(0, MAX_DELIVERY_ID_CHARACTERS)
  }
  return undefined
}

const KEPT_HEADERS = /^(?:content-type|user-agent|x-[\w-]*(?:event|topic|action)[\w-]*|webhook-id)$/
const MAX_HEADER_CHARACTERS = 500

/** The headers that go along with the message: what happened, and nothing that proves who we are. */
export function chooseHeaders(headers: WebhookDelivery["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => KEPT_HEADERS.test(name))
      .map(([name, value]) => [name, value.slice(0, MAX_HEADER_CHARACTERS)]),
  )
}
