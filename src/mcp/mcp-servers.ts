import type { McpCommand } from "../catalog/command.ts"
import { mcpCommands } from "../catalog/foreign.ts"
import type { Part } from "../message/part.ts"
import type { Tool } from "../tool/tool.ts"
import { type ConnectionOptions, McpConnection } from "./connection.ts"
import { partOfContent, partOfResource } from "./content.ts"
import type { McpConfig } from "./server.ts"
import { mcpTools } from "./tools.ts"

export interface McpResource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
  readonly mime?: string | undefined
}

export interface McpStatus {
  readonly server: string
  readonly trusted: boolean
  readonly tools: number
  readonly prompts: number
  readonly resources: number
  /** Why it cannot be used. */
  readonly error?: string
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
      return resources.map(({ uri, name, description, mimeType }) => ({
        server: connection.name,
        uri,
        name,
        ...(description === undefined ? {} : { description }),
        ...(mimeType === undefined ? {} : { mime: mimeType }),
      }))
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
