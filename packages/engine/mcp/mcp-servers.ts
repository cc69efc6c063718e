import type { Part } from "compositor-core/parts/table"
import type { McpCommand } from "compositor-core/catalog/command"
import { mcpCommands } from "compositor-core/catalog/foreign"
import type { Tool } from "../tools/tool.ts"
import { type ConnectionOptions, McpConnection, type McpLists, type Watcher } from "./connection.ts"
import { partOfContent, partOfResource } from "./content.ts"
import type { McpConfig } from "./server.ts"
import { mcpTools } from "./tools.ts"

interface McpResource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
  readonly mime?: string | undefined
}

interface McpStatus {
  readonly server: string
  readonly trusted: boolean
  readonly tools: number
  readonly prompts: number
  readonly resources: number
  /** Why it cannot be used. */
  readonly error?: string
}

export interface McpOffers {
  readonly tools: readonly Tool[]
  readonly commands: readonly McpCommand[]
  readonly resources: readonly McpResource[]
}

/** All MCP servers of a host. One that does not answer takes nothing from the others. */
export class McpServers {
  readonly #connections: ReadonlyMap<string, McpConnection>

  constructor(config: McpConfig, options: ConnectionOptions = {}) {
    this.#connections = new Map(
      Object.entries(config.mcpServers)
        .filter(([, server]) => !server.disabled)
        .map(([name, server]) => [name, new McpConnection(name, server, options)]),
    )
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()]
  }

  /** What one server offers now; fails with a sentence. */
  async offers(server: string): Promise<McpOffers> {
    const connection = this.#connection(server)
    const { prompts, resources } = await connection.lists()
    return {
      tools: await mcpTools(connection),
      commands: mcpCommands(connection.name, prompts),
      resources: resources.map((resource) => resourceOf(connection.name, resource)),
    }
  }

  /** Let go of one server: it is started anew when something is asked of it. */
  reconnect(server: string): Promise<void> {
    return this.#connection(server).reconnect()
  }

  async tools(): Promise<Tool[]> {
    return this.#fromAll((connection) => mcpTools(connection))
  }

  async commands(): Promise<McpCommand[]> {
    return this.#fromAll(async (connection) => {
      const { prompts } = await connection.lists()
      return mcpCommands(connection.name, prompts)
    })
  }

  async resources(): Promise<McpResource[]> {
    return this.#fromAll(async (connection) => {
      const { resources } = await connection.lists()
      return resources.map((resource) => resourceOf(connection.name, resource))
    })
  }

  /** What a prompt says: every content of every message, in order. */
  async prompt(command: McpCommand, values: Readonly<Record<string, string>>): Promise<Part[]> {
    const { messages } = await this.#connection(command.server).prompt(command.prompt, values)
    return messages.map(({ role, content }) => {
      const part = partOfContent(content, command.server)
      return role === "user" ? part : { ...part, role }
    })
  }

  async complete(
    command: McpCommand,
    argument: { readonly name: string; readonly value: string },
    others: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    return this.#connection(command.server).complete(command.prompt, argument, others)
  }

  /** A resource as attachments: one for each of its contents. */
  async attach(server: string, uri: string): Promise<Part[]> {
    const { contents } = await this.#connection(server).read(uri)
    return contents.map((content) => partOfResource(content, server))
  }

  /** Hear that a resource of a server changed, until `unwatch` is called with the same key. */
  watch(server: string, key: string, watcher: Watcher): Promise<void> {
    return this.#connection(server).watch(key, watcher)
  }

  unwatch(server: string, key: string): void {
    this.#connections.get(server)?.unwatch(key)
  }

  async status(): Promise<McpStatus[]> {
    return Promise.all([...this.#connections.values()].map(statusOf))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()))
  }

  #connection(server: string): McpConnection {
    const connection = this.#connections.get(server)
    if (!connection) throw new Error(`there is no MCP server named ${server}`)
    return connection
  }

  async #fromAll<Value>(ask: (connection: McpConnection) => Promise<Value[]>): Promise<Value[]> {
    const answers = await Promise.all(
      [...this.#connections.values()].map((connection) => ask(connection).catch(() => [])),
    )
    return answers.flat()
  }
}

function resourceOf(server: string, resource: McpLists["resources"][number]): McpResource {
  const { uri, name, description, mimeType } = resource
  return {
    server,
    uri,
    name,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mime: mimeType }),
  }
}

async function statusOf(connection: McpConnection): Promise<McpStatus> {
  const about = { server: connection.name, trusted: connection.server.trusted }
  try {
    const { tools, prompts, resources } = await connection.lists()
    return {
      ...about,
      tools: tools.length,
      prompts: prompts.length,
      resources: resources.length,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...about, tools: 0, prompts: 0, resources: 0, error: message }
  }
}
