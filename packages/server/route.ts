import { setImmediate as pause } from "node:timers/promises"
import type { Context, Hono } from "hono"
import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { parseJsonBytes, readBody } from "./body.ts"
import { type Caller, callerOf } from "./caller.ts"
import { DoorError } from "./errors.ts"
import { EventStream, eventStream } from "./events.ts"
import { requireOwnIn } from "./guard.ts"

/** One route: what it takes, what it answers, and what it does. The OpenAPI document is made from
 *  the same schemas that check the request. */
export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete"
  readonly path: string
  readonly summary: string
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly answer?: z.ZodType
  readonly status?: number
  readonly max_bytes?: number
  handle(asked: Asked): Promise<unknown>
}

export interface Asked<Query = unknown, Body = unknown> {
  readonly host: Host
  readonly context: Context
  readonly caller: Caller
  readonly query: Query
  readonly body: Body
  readonly param: (name: string) => string
}

interface RouteOf<Query extends z.ZodType, Body extends z.ZodType>
  extends Omit<Route, "query" | "body" | "handle"> {
  readonly query?: Query
  readonly body?: Body
  handle(asked: Asked<z.output<Query>, z.output<Body>>): Promise<unknown>
}

export function route<Query extends z.ZodType, Body extends z.ZodType>(
  spec: RouteOf<Query, Body>,
): Route {
  return spec as unknown as Route
}

const MAX_JSON_BYTES = 32 * 1024 * 1024

export function mount(app: Hono, host: Host, routes: readonly Route[]) {
  for (const one of routes)
    app.on(one.method.toUpperCase(), one.path, (context) => serve(one, host, context))
}

async function serve(one: Route, host: Host, context: Context): Promise<Response> {
  const query = one.query ? check(one.query, context.req.query(), "query ") : undefined
  const body = one.body ? check(one.body, await readJson(context, one.max_bytes), "") : undefined
  // A large body took a while to check: others have their turn before anything is made of it.
  if (one.body) await pause()
  const param = (name: string) => context.req.param(name) ?? ""
  const answer = await one.handle({ host, context, caller: callerOf(context), query, body, param })
  if (answer instanceof Response) return answer
  if (answer instanceof EventStream) return eventStream(answer.bytes)
  return context.json(answer as object, (one.status ?? 200) as 200)
}

export function check(schema: z.ZodType, value: unknown, where: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.map((issue) => ({
    path: `/${issue.path.map(String).join("/")}`,
    message: faultOf(issue),
  }))
  const [first] = details
  const message = `${where}${first?.path ?? "/"}: ${first?.message ?? "is not valid"}`
  throw new DoorError(422, "validation_failed", message, details)
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
export async function readJson(context: Context, max_bytes = MAX_JSON_BYTES): Promise<unknown> {
  const type = context.req.header("content-type") ?? ""
  if (!/^application\/json\b/i.test(type))
    throw new DoorError(415, "unsupported_media_type", "the body must be application/json")
  const value = await parseJsonBytes(await readBody(context.req.raw, { max_bytes, json: true }))
  await requireOwnIn(context, value)
  return value
}

/** The document that describes the routes (OpenAPI 3.1). */
export function openapi(routes: readonly Route[], version: string, parts: z.ZodType): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [one.method]: operation(one) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Compositor", version },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Part: schemaOf(parts), Error: schemaOf(ErrorBody) },
    },
    security: [{ token: [] }],
  }
}

const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
})

function operation(one: Route): object {
  const failed = { $ref: "#/components/schemas/Error" }
  return {
    summary: one.summary,
    parameters: [...pathParameters(one), ...queryParameters(one)],
    ...(one.body ? { requestBody: { required: true, content: json(schemaOf(one.body)) } } : {}),
    responses: {
      [one.status ?? 200]: {
        description: one.summary,
        ...(one.answer ? { content: json(schemaOf(one.answer)) } : {}),
      },
      default: { description: "What was wrong", content: json(failed) },
    },
  }
}

function json(schema: object) {
  return { "application/json": { schema } }
}

function pathParameters(one: Route): object[] {
  const names = [...one.path.matchAll(/:(\w+)/g)].map((match) => match[1])
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }))
}

function queryParameters(one: Route): object[] {
  if (!(one.query instanceof z.ZodObject)) return []
  return Object.entries(one.query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: schemaOf(schema as z.ZodType),
  }))
}

function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === "pipe" && Object.keys(jsonSchema).length === 0)
        jsonSchema.$ref = "#/components/schemas/Part"
    },
  })
  return json
}
