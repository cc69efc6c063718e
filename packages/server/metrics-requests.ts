import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Context, Next } from "hono"
import { routePath } from "hono/route"
import type { Log } from "compositor-engine/telemetry/log"
import { readTraceparent, runInSpan } from "compositor-engine/telemetry/span"
import type { ServerMetrics } from "./metrics.ts"

const REQUEST_ID = /^[\w.-]{1,64}$/
const SESSION = /\/(ses_[0-9A-Za-z]{1,60})(?:\/|$)/
const METHODS: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "))

/** Every request has an id, is counted under its route's pattern, is a span of whoever sent it, and is a
 *  line of the log. Paths, queries and bodies are in none of them. */
export function observeRequests(metrics: ServerMetrics, log: Log) {
  return async (context: Context, next: Next) => {
    const given = context.req.header("x-request-id") ?? ""
    const request_id = REQUEST_ID.test(given) ? given : randomUUID()
    context.set("request_id", request_id)
    context.header("x-request-id", request_id)
    const began = performance.now()
    const { method } = context.req
    const parent = readTraceparent(context.req.header("traceparent")) ?? null
    const attributes = { "http.request.method": METHODS.has(method) ? method : "OTHER" }
    const about = await runInSpan(
      "http.request",
      attributes,
      async (open) => {
        await next()
        const answered = answeredOf(context)
        open.set({ "http.route": answered.route, "http.response.status_code": answered.status })
        return answered
      },
      { kind: "server", parent },
    )
    const ms = performance.now() - began
    metrics.requests.add(1, about.route, attributes["http.request.method"], String(about.status))
    metrics.latency.observe(ms / 1000, about.route)
    if (about.outgoing) followStream(metrics, about.outgoing)
    const session_id = SESSION.exec(context.req.path)?.[1]
    const principal: string | undefined = context.get("principal")
    const { route, status } = about
    const fields = { request_id, method, route, status, ms: Math.round(ms * 10) / 10 }
    log(status >= 500 ? "error" : "info", "request", { ...fields, session_id, principal })
  }
}

interface Answered {
  readonly route: string
  readonly status: number
  /** Of an event stream, which goes on when the answer has begun. */
  readonly outgoing?: ServerResponse
}

function answeredOf(context: Context): Answered {
  const route = routePath(context)
  const outgoing: ServerResponse | undefined = context.env?.outgoing
  const { status, headers } = context.res
  const type = outgoing?.headersSent
    ? String(outgoing.getHeader("content-type"))
    : headers.get("content-type")
  if (outgoing && type?.startsWith("text/event-stream")) return { route, status, outgoing }
  return { route, status }
}

function followStream(metrics: ServerMetrics, outgoing: ServerResponse) {
  if (outgoing.destroyed) return
  metrics.streams.add(1)
  outgoing.once("close", () => metrics.streams.add(-1))
}
