import { resolve } from "node:path"
import type { Principal, PrincipalToken } from "compositor-core/message/principal"
import { type CommonOptions, withConnection } from "../connect.ts"
import { momentOf } from "../moments.ts"
import { showAge, table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface PrincipalOptions extends CommonOptions {
  readonly name?: string
  readonly allow?: readonly string[]
  readonly expires?: string
  readonly requestsPerSecond?: number
  readonly messagesPerMinute?: number
  readonly uploadBytesPerDay?: number
}

export async function listPrincipals(options: PrincipalOptions) {
  await withConnection(options, async ({ client }) => {
    const { principals } = await client.principals.list()
    if (options.json) return printJson(principals)
    if (principals.length === 0) return printLine("Nobody shares this server: it is yours alone.")
    printLine(table([["id", "name", "since", "state", "workspaces"], ...principals.map(rowOf)]))
  })
}

/** A principal and its first token, which is told only here. */
export async function addPrincipal(id: string, options: PrincipalOptions) {
  const { name, allow = [] } = options
  const expires_at = expiryOf(options)
  await withConnection(options, async ({ client }) => {
    const workspaces = allow.map((folder) => resolve(folder))
    const about = { id, workspaces, limits: limitsOf(options), ...(name ? { name } : {}) }
    const { principal } = await client.principals.add(about)
    const { token, secret } = await client.principals.addToken(id, { name: "first", ...expires_at })
    if (options.json) return printJson({ principal, token, secret })
    printLine(`${principal.id}  ${principal.workspaces.join(", ") || "no workspace"}`)
    tellToken(client.url, token, secret)
  })
}

export async function revokePrincipal(id: string, options: PrincipalOptions) {
  await withConnection(options, async ({ client }) => {
    const gone = await client.principals.revoke(id)
    if (options.json) printJson(gone)
    else printLine(`${id} comes in no more; what it made stays`)
  })
}

export async function listTokens(id: string, options: PrincipalOptions) {
  await withConnection(options, async ({ client }) => {
    const { tokens } = await client.principals.tokens(id)
    if (options.json) return printJson(tokens)
    if (tokens.length === 0) return printLine(`${id} has no token.`)
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      stateOf(token),
      token.last_used_at === null ? "never" : showAge(token.last_used_at),
    ])
    printLine(table([["id", "name", "state", "used"], ...rows]))
  })
}

export async function addToken(id: string, options: PrincipalOptions) {
  const { name } = options
  const about = { ...(name ? { name } : {}), ...expiryOf(options) }
  await withConnection(options, async ({ client }) => {
    const added = await client.principals.addToken(id, about)
    if (options.json) return printJson(added)
    tellToken(client.url, added.token, added.secret)
  })
}

export async function revokeToken(id: string, token: string, options: PrincipalOptions) {
  await withConnection(options, async ({ client }) => {
    const gone = await client.principals.revokeToken(id, token)
    if (options.json) printJson(gone)
    else printLine(`nobody comes in by ${token} any more`)
  })
}

function rowOf({ id, name, created_at, revoked_at, workspaces }: Principal): string[] {
  const state = revoked_at === null ? "in" : "revoked"
  return [id, name, showAge(created_at), state, workspaces.join(", ") || "none"]
}

function tellToken(url: string, { id }: PrincipalToken, secret: string) {
  printLine(`token ${id}, told only now: ${secret}`)
  printLine(`page: ${url}/#token=${secret}`)
}

function stateOf({ revoked_at, expires_at }: PrincipalToken): string {
  if (revoked_at !== null) return "revoked"
  if (expires_at === null) return "good"
  const until = new Date(expires_at).toISOString()
  return expires_at <= Date.now() ? "expired" : `until ${until}`
}

function expiryOf({ expires }: PrincipalOptions): { expires_at?: number } {
  return expires === undefined ? {} : { expires_at: momentOf("--expires", expires, 1) }
}

function limitsOf(options: PrincipalOptions) {
  const { requestsPerSecond, messagesPerMinute, uploadBytesPerDay } = options
  return {
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
    ...(messagesPerMinute === undefined ? {} : { messages_per_minute: messagesPerMinute }),
    ...(uploadBytesPerDay === undefined ? {} : { upload_bytes_per_day: uploadBytesPerDay }),
  }
}
