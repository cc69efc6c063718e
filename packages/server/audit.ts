import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Context, Next } from "hono"
import type { AuditLog } from "compositor-engine/principals/audit-log"
import { PRINCIPALS_MAY } from "./access.ts"
import { callerOf, nameOf } from "./caller.ts"
import { namedIn, patternOf } from "./guard.ts"

/** Writes down everything that a principal asks for, and what the operator does that is the operator's
 *  alone. On a server of one person nothing else is worth a row. */
export function auditRequests(audit: Pick<AuditLog, "add">) {
  return async (context: Context, next: Next) => {
    const caller = callerOf(context)
    const pattern = patternOf(context)
    if (pattern === undefined) return next()
    if (caller.type === "operator" && PRINCIPALS_MAY.has(pattern)) return next()
    await next()
    audit.add({
      at: Date.now(),
      principal: nameOf(caller),
      action: `${context.req.method} ${pattern.slice(pattern.indexOf(" ") + 1)}`,
      named: [...namedIn(context), ...(caller.type === "operator" ? stepsIn(context) : [])],
      status: context.res.status,
      request_id: requestId(context),
      address: addressOf(context),
    })
  }
}

// The operator's own routes name principals and tokens, each by a step of the path.
function stepsIn(context: Context): string[] {
  const [, , , ...steps] = context.req.path.split("/")
  return steps.map((step) => step.slice(0, MAX_STEP)).slice(0, MAX_STEPS)
}

const MAX_STEP = 128
const MAX_STEPS = 4
const REQUEST_ID = /^[\w.:-]{1,64}$/

function requestId(context: Context): string {
  const known: unknown = context.get("request_id")
  if (typeof known === "string") return known
  const said = context.req.header("x-request-id") ?? ""
  return REQUEST_ID.test(said) ? said : randomUUID()
}

function addressOf({ env }: Context): string | null {
  const { incoming }: { incoming?: IncomingMessage } = env ?? {}
  return incoming?.socket?.remoteAddress ?? null
}
