import type { McpServer, SessionUpdate } from "@agentclientprotocol/sdk"
import type { Client } from "compositor-client/client"
import { MAX_SESSION_SERVERS } from "compositor-core/message/limits"

const MAX_NAME = 32

type Notice = Extract<SessionUpdate, { sessionUpdate: "notice" }>

/** What an editor names in `session/new` and its like: servers for that session alone. */
export class EditorServers {
  readonly #client: Client
  /** The editor's own name of each server, by ours. */
  readonly #names = new Map<string, ReadonlyMap<string, string>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** Give them to the session, in the place of those it had. They are not waited for. What stands in the
   *  way of it is told: the session works without them. */
  async give(session: string, servers: readonly McpServer[]): Promise<Notice[]> {
    const named = servers.slice(0, MAX_SESSION_SERVERS)
    const names = ourNames(named)
    const given = named.map((server, at) => ({ name: names[at] ?? "", server: entryOf(server) }))
    const left = servers.length - named.length
    try {
      await this.#client.sessionServers.give(session, given)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return [notice(`The editor's MCP servers are not connected: ${message}`)]
    }
    this.#names.set(session, new Map(named.map(({ name }, at) => [names[at] ?? "", name])))
    if (left <= 0) return []
    return [
      notice(
        `${left} of the editor's MCP servers not connected: ${MAX_SESSION_SERVERS} is the most`,
      ),
    ]
  }

  /** Those that cannot be used, when all have said whether they can. */
  async faults(session: string): Promise<Notice[]> {
    const names = this.#names.get(session)
    if (!names) return []
    const { servers } = await this.#client.sessionServers.list(session)
    return servers.flatMap(({ server, error }) =>
      error === undefined
        ? []
        : [notice(`MCP server ${names.get(server) ?? server} is not connected`, error)],
    )
  }

  /** The session is closed, and they with it. */
  async take(session: string) {
    if (this.#names.delete(session)) await this.#client.sessionServers.take(session)
  }
}

/** An entry of `.mcp.json`, as everybody writes it. */
function entryOf(server: McpServer): Readonly<Record<string, unknown>> {
  if ("type" in server) {
    const { type, url, headers } = server
    return { type, url, headers: valuesOf(headers) }
  }
  const { command, args, env } = server
  return { command, args, env: valuesOf(env) }
}

function valuesOf(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}

/** Names go into names of tools: letters, digits and hyphens, each once. */
function ourNames(servers: readonly McpServer[]): string[] {
  const taken = new Set<string>()
  return servers.map(({ name }) => {
    const base = name.replace(/[^a-z0-9]+/gi, "-").replace(/^-+|-+$/g, "") || "server"
    const free = freeName(base.slice(0, MAX_NAME), taken)
    taken.add(free)
    return free
  })
}

function freeName(base: string, taken: ReadonlySet<string>): string {
  for (let count = 2, free = base; ; count++) {
    if (!taken.has(free)) return free
    const end = `-${count}`
    free = `${base.slice(0, MAX_NAME - end.length)}${end}`
  }
}

function notice(title: string, description?: string): Notice {
  return {
    sessionUpdate: "notice",
    severity: "warning",
    title,
    ...(description === undefined ? {} : { description }),
  }
}
