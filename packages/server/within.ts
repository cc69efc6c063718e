import { errorStack } from "compositor-core/message/untyped"
import type { Context, Hono } from "hono"
import type { Host } from "compositor-engine/host/host"
import { callerOf } from "./caller.ts"
import { conversationRoutes } from "./conversation.ts"
import { errorBody, errorAnswer } from "./errors.ts"
import { EventStream } from "./events.ts"
import { parseJson } from "./body.ts"
import { checkSchema, type ServedRoute } from "./route.ts"

/** As much of a response as a client reads. */
interface Answer extends Pick<Response, "ok" | "status" | "statusText" | "url" | "json" | "text"> {
  readonly body: ReadableStream<Uint8Array> | null
}

type Call = (url: string, init: RequestInit) => Promise<Response>

/** The routes for who lives in the same process. Those that a message needs are called without a wire:
 *  a request and a response of Node's cost as much as its start. The others go through the app, which
 *  is loaded when one of them is asked for. */
export function within(host: Host, log: (message: string) => void): Call {
  let app: Promise<Hono> | undefined
  const routes = conversationRoutes(host).filter(isInProcess).map(withPattern)
  const whole = () =>
    (app ??= import("./app.ts").then(({ createApp }) => createApp(host, { rules: null, log })))
  return async (address, init) => {
    const url = new URL(address)
    const found = find(routes, init.method ?? "GET", url.pathname)
    if (!found) return (await whole()).request(address, init)
    const answer = await call(found, url, init).catch((error: unknown) =>
      refused(error, `${found.route.method} ${url.pathname}`, log),
    )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a client asks no more of a response than this
    return answer as unknown as Response
  }
}

interface MatchedRoute {
  readonly route: ServedRoute
  readonly pattern: RegExp
}

function withPattern(route: ServedRoute): MatchedRoute {
  const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)
  return { route, pattern }
}

// The stream of all sessions is made as a response, and the client reads it as one.
function isInProcess({ name }: ServedRoute): boolean {
  return name !== "followSessions"
}

interface Found {
  readonly route: ServedRoute
  readonly params: Readonly<Record<string, string>>
}

function find(routes: readonly MatchedRoute[], method: string, path: string): Found | undefined {
  for (const { route, pattern } of routes) {
    const match = route.method === method.toLowerCase() ? pattern.exec(path) : null
    if (match) return { route, params: match.groups ?? {} }
  }
  return undefined
}

async function call({ route, params }: Found, url: URL, init: RequestInit): Promise<Answer> {
  const context = contextOf(init)
  const given = Object.fromEntries(url.searchParams)
  const query = route.query ? checkSchema(route.query, given, "query ") : undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client sends text
  const body = route.body ? checkSchema(route.body, parseJson(init.body as string), "") : undefined
  const param = (name: string) => decodeURIComponent(params[name] ?? "")
  const answer = await route.handle({ context, caller: callerOf(context), query, body, param })
  if (answer instanceof EventStream) return answerWith(200, "", answer.bytes)
  return answerWith(route.status ?? 200, JSON.stringify(answer))
}

/** What these routes ask of a request: its headers. Nobody was let in, and nothing was noted. */
function contextOf({ headers = {} }: RequestInit): Context {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client gives a plain object; Node's own class costs a start
  const header = (name: string) => (headers as Record<string, string>)[name]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these routes ask no more of it
  return { req: { header }, get: () => undefined } as unknown as Context
}

function refused(error: unknown, asked: string, log: (message: string) => void): Answer {
  const answer = errorAnswer(error)
  if (answer.status >= 500) log(`${asked}: ${errorStack(error)}`)
  return answerWith(answer.status, JSON.stringify(errorBody(answer)))
}

function answerWith(status: number, text: string, body: Answer["body"] = null): Answer {
  return {
    ok: status < 300,
    status,
    statusText: "",
    url: "",
    body,
    text: async () => text,
    json: async () => JSON.parse(text) as unknown,
  }
}
