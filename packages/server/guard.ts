import type { Context, Next } from "hono"
import { matchedRoutes } from "hono/route"
import type { Owners } from "compositor-engine/principals/owners"
import type { AdmittedPrincipal, Principals } from "compositor-engine/principals/principals"
import { PRINCIPALS_MAY } from "./access.ts"
import { type Named, namedInAddress, namedInBody, notFoundError, requireOwn } from "./ownership.ts"
import { callerOf } from "./caller.ts"

/** Behind the door: what a principal asks for must be open to it, and what it names its own. */
export function guard(owners: Owners, principals: Pick<Principals, "holds">) {
  return async (context: Context, next: Next) => {
    const caller = callerOf(context)
    const pattern = patternOf(context)
    if (caller.type === "operator" || pattern === undefined) return next()
    if (!PRINCIPALS_MAY.has(pattern)) throw notFoundError()
    const require = async (named: Named) => {
      noteNamed(context, ...named.ids, ...named.fresh, ...named.workspaces)
      await requireOwn(owners, caller, named)
    }
    context.set("require", require)
    await require(namedInAddress(context.req.path, context.req.queries()))
    await next()
    if (isLive(context.res)) context.res = whileAdmitted(principals, caller, context.res)
  }
}

function isLive({ headers, body }: Response): boolean {
  return body !== null && headers.get("content-type") === "text/event-stream"
}

/** Who listens is asked after again with every event: nobody hears on who was shut out meanwhile. */
function whileAdmitted(
  principals: Pick<Principals, "holds">,
  admitted: AdmittedPrincipal,
  { body, headers, status }: Response,
) {
  const events = body?.getReader()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const read = await events?.read()
      if (read?.value && (await principals.holds(admitted))) return controller.enqueue(read.value)
      await events?.cancel()
      controller.close()
    },
    cancel: async (reason) => events?.cancel(reason),
  })
  return new Response(stream, { headers, status })
}

/** What a body names is asked after when it was read, and before anything looks at it. */
export async function requireOwnIn(context: Context, body: unknown) {
  const require: ((named: Named) => Promise<void>) | undefined = context.get("require")
  await require?.(namedInBody(body))
}

/** The route of data that will answer: its method and pattern. */
export function patternOf(context: Context): string | undefined {
  const route = matchedRoutes(context).find(({ path }) => DATA.test(path))
  return route && `${route.method} ${route.path}`
}

const DATA = /^\/(?:v1|_electric)\//

const MAX_NOTED = 16

/** Remember what a request was about, for who reads later what was asked. */
export function noteNamed(context: Context, ...names: readonly string[]) {
  context.set("named", [...namedIn(context), ...names].slice(0, MAX_NOTED))
}

export function namedIn(context: Context): readonly string[] {
  const named: readonly string[] | undefined = context.get("named")
  return named ?? []
}
