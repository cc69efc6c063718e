import { createHash, timingSafeEqual } from "node:crypto"
import type { Context, Next } from "hono"
import type { Principals } from "compositor-engine/principals/principals"
import { type Caller, setCaller } from "./caller.ts"
import { HttpError } from "./errors.ts"

export interface AccessRules {
  readonly token: string
  /** Names under which this server may be addressed, with their port. */
  readonly hosts: () => readonly string[]
  /** Further origins whose pages may call us; none by default. */
  readonly origins?: readonly string[]
}

/** What every answer says, so that no browser guesses at what it is or tells where it came from. */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const

/** Whoever comes in is asked three things, on every route: whom it thinks it is talking to (a name
 *  rebound to our address is not ours), which page sent it, and, for data, the token (DAE-001). */
export function checkAccess(rules: AccessRules, principals: Pick<Principals, "admit">) {
  const token = digest(rules.token)
  return async (context: Context, next: Next) => {
    checkHost(context, rules)
    if (context.req.method === "OPTIONS") return preflight(context, rules)
    checkOrigin(context, rules)
    if (isData(context.req.path) && !isHook(context))
      setCaller(context, await callerBy(givenToken(context), token, principals))
    // Set before, because changing a finished answer makes a copy of it.
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) context.header(name, value)
    await next()
  }
}

function checkHost(context: Context, rules: AccessRules) {
  const host = context.req.header("host") ?? ""
  if (!rules.hosts().includes(host.toLowerCase()))
    throw new HttpError(
      403,
      "forbidden_host",
      `this server does not answer to ${host || "no name"}`,
    )
}

function checkOrigin(context: Context, rules: AccessRules) {
  const origin = context.req.header("origin")
  if (origin !== undefined && !isWelcome(origin, rules))
    throw new HttpError(403, "forbidden_origin", `pages of ${origin} may not call this server`)
}

function isWelcome(origin: string, rules: AccessRules): boolean {
  const ours = rules.hosts().some((host) => origin.toLowerCase() === `http://${host}`)
  return ours || rules.origins?.includes(origin) === true
}

/** What a page may ask for, told to whoever asks; only a welcome page is told that it may ask. */
function preflight(context: Context, rules: AccessRules): Response {
  const origin = context.req.header("origin")
  const welcome = origin !== undefined && isWelcome(origin, rules)
  return new Response(null, {
    status: 204,
    headers: {
      ...ANSWER_HEADERS,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": "600",
      vary: "origin",
      ...(welcome ? { "access-control-allow-origin": origin } : {}),
    },
  })
}

const ALLOWED_HEADERS = [
  "authorization",
  "content-type",
  "if-none-match",
  "last-event-id",
  "producer-epoch",
  "producer-id",
  "producer-seq",
  "stream-closed",
  "stream-expires-at",
  "stream-fork-offset",
  "stream-fork-sub-offset",
  "stream-forked-from",
  "stream-seq",
  "stream-ttl",
].join(", ")

function isData(path: string): boolean {
  return DATA.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
}

const DATA = ["/v1", "/_electric"]

/** A webhook asks for the key of its trigger: who sends to it has no token of ours (TRG-004). */
function isHook({ req }: Context): boolean {
  return req.method === "POST" && HOOK.test(req.path)
}

const HOOK = /^\/v1\/hooks\/trg_[0-9A-Za-z]{1,60}$/

function givenToken(context: Context): string | undefined {
  const header = context.req.header("authorization") ?? ""
  const bearer = /^Bearer (\S+)$/i.exec(header)?.[1]
  // An EventSource cannot set headers: event streams, and only they, take the token in the query.
  const query = context.req.path.endsWith("/events") ? context.req.query("token") : undefined
  return bearer ?? query
}

/** The folder's own token is the operator's; any other is asked after. */
async function callerBy(
  given: string | undefined,
  token: Buffer,
  principals: Pick<Principals, "admit">,
): Promise<Caller> {
  if (given !== undefined && timingSafeEqual(digest(given), token)) return { type: "operator" }
  const admitted = given === undefined ? undefined : await principals.admit(given)
  if (admitted) return { type: "principal", ...admitted }
  const message = "a valid token is needed: Authorization: Bearer <token>"
  throw new HttpError(401, "unauthorized", message)
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
