import { setImmediate as pause } from "node:timers/promises"
import type { Context, Hono } from "hono"
import type { z } from "zod"
import type {
  AnswerOf,
  DeepReadonly,
  ParameterName,
  RouteContract,
  RouteTable,
} from "compositor-core/contract/route"
import { parseJsonBytes, readBody } from "./body.ts"
import { type Caller, callerOf } from "./caller.ts"
import { HttpError } from "./errors.ts"
import { EventStream, eventStream } from "./events.ts"
import { requireOwnIn } from "./guard.ts"

/** A route of the contract with its address taken apart. */
export interface Route extends RouteContract {
  /** The name of its operation. */
  readonly name: string
  readonly method: "get" | "post" | "put" | "patch" | "delete"
  readonly path: string
}

/** A route and what it does. */
export interface ServedRoute extends Route {
  handle(asked: RouteRequest): Promise<unknown>
}

interface RouteRequest<Of extends RouteContract = RouteContract> {
  readonly context: Context
  readonly caller: Caller
  readonly query: z.output<NonNullable<Of["query"]>>
  readonly body: z.output<NonNullable<Of["body"]>>
  readonly param: (name: ParameterName<Of["address"]>) => string
}

/** What a route does: its answer is what the contract says, or a response that the handler made. */
export type Handler<Of extends RouteContract> = (
  asked: RouteRequest<Of>,
) => Promise<DeepReadonly<AnswerOf<Of>> | Response | EventStream>

/** One handler for each route of a table; a missing one does not compile. */
type Handlers<Table extends RouteTable> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>
}

export function routesOf(table: RouteTable): Route[] {
  return Object.entries(table).map(([name, contract]) => {
    const [method = "", path = ""] = contract.address.split(" ")
    return { ...contract, name, method: method.toLowerCase() as Route["method"], path }
  })
}

/** Pair the routes of a table with what they do. */
export function serveRoutes<Table extends RouteTable>(
  table: Table,
  handlers: Handlers<Table>,
): ServedRoute[] {
  // Each handler is typed by its own route; from here on a request is checked by that route's schemas.
  const byName = handlers as unknown as Readonly<Record<string, ServedRoute["handle"]>>
  return routesOf(table).map((route) => {
    const handle = byName[route.name]
    if (!handle) throw new Error(`there is no handler for ${route.address}`)
    return { ...route, handle }
  })
}

const MAX_JSON_BYTES = 32 * 1024 * 1024

export function mountRoutes(app: Hono, routes: readonly ServedRoute[]) {
  for (const route of routes)
    app.on(route.method.toUpperCase(), route.path, (context) => answer(route, context))
}

async function answer(route: ServedRoute, context: Context): Promise<Response> {
  const query = route.query ? checkSchema(route.query, context.req.query(), "query ") : undefined
  const body = route.body
    ? checkSchema(route.body, await readJsonBody(context, route.max_bytes), "")
    : undefined
  // A large body took a while to check: others have their turn before anything is made of it.
  if (route.body) await pause()
  const param = (name: string) => context.req.param(name) ?? ""
  const answer = await route.handle({ context, caller: callerOf(context), query, body, param })
  if (answer instanceof Response) return answer
  if (answer instanceof EventStream) return eventStream(answer.bytes)
  return context.json(answer as object, (route.status ?? 200) as 200)
}

export function checkSchema(schema: z.ZodType, value: unknown, where: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.map((issue) => ({
    path: `/${issue.path.map(String).join("/")}`,
    message: faultOf(issue),
  }))
  const [first] = details
  const message = `${where}${first?.path ?? "/"}: ${first?.message ?? "is not valid"}`
  throw new HttpError(422, "validation_failed", message, details)
}

const MAX_NAMED_KEYS = 20

/** What is wrong, in a sentence of bounded length: keys that nobody knows may be many. */
function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys" || issue.keys.length <= MAX_NAMED_KEYS)
    return issue.message
  const named = issue.keys.slice(0, MAX_NAMED_KEYS).map((key) => JSON.stringify(key))
  return `Unrecognized keys: ${named.join(", ")} and ${issue.keys.length - named.length} more`
}

/** A body that is JSON, and not more of it than may be. */
export async function readJsonBody(context: Context, max_bytes = MAX_JSON_BYTES): Promise<unknown> {
  const type = context.req.header("content-type") ?? ""
  if (!/^application\/json\b/i.test(type))
    throw new HttpError(415, "unsupported_media_type", "the body must be application/json")
  const value = await parseJsonBytes(await readBody(context.req.raw, { max_bytes, json: true }))
  await requireOwnIn(context, value)
  return value
}
