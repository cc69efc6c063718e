import { createHash, timingSafeEqual } from "node:crypto"
import type { Context, Hono } from "hono"
import type { Store } from "compositor-engine/store/store"
import { CONTENT_TYPE } from "compositor-engine/telemetry/metrics"
import { ANSWER_HEADERS } from "./door.ts"
import { HttpError } from "./errors.ts"
import type { ServerMetrics } from "./metrics.ts"

const PATIENCE_MS = 2000

export interface Health {
  readonly store: Pick<Store, "liveTurns">
  readonly metrics: ServerMetrics
  /** Who may read the figures; empty in process, where whoever asks is inside. */
  readonly tokens: readonly string[]
  /** Whether this server is about to leave. */
  leaving(): boolean
}

/** What watches a server is answered in front of the door: by whatever name it calls us, since a probe
 *  knows only an address. The first two say nothing but how we are; the figures need a token. */
export function mountHealth(app: Hono, health: Health) {
  const digests = health.tokens.map(digest)
  app.get("/healthz", () => plain(200, "ok"))
  app.get("/readyz", async () => {
    if (health.leaving()) return plain(503, "leaving")
    return (await answers(health.store))
      ? plain(200, "ready")
      : plain(503, "the store does not answer")
  })
  app.get("/metrics", async (context) => {
    checkReader(context, digests)
    const headers = { ...ANSWER_HEADERS, "content-type": CONTENT_TYPE, "cache-control": "no-store" }
    return new Response(await health.metrics.all.text(), { headers })
  })
}

// A store is open only after its migrations: one that answers has them done.
async function answers(store: Pick<Store, "liveTurns">): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), PATIENCE_MS)
  void store.liveTurns().then(
    () => resolve(true),
    () => resolve(false),
  )
  return promise.finally(() => clearTimeout(timer))
}

function checkReader(context: Context, digests: readonly Buffer[]) {
  // A page has no business here, whatever it knows.
  if (context.req.header("origin") !== undefined)
    throw new HttpError(403, "forbidden_origin", "pages may not read the figures")
  const given = /^Bearer (\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1]
  const known = given !== undefined && digests.some((one) => timingSafeEqual(one, digest(given)))
  if (!known && digests.length > 0)
    throw new HttpError(
      401,
      "unauthorized",
      "the figures need a token: Authorization: Bearer <token>",
    )
}

function plain(status: number, text: string): Response {
  const headers = { ...ANSWER_HEADERS, "content-type": "text/plain", "cache-control": "no-store" }
  return new Response(`${text}\n`, { status, headers })
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
