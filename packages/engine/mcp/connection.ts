import { recordOf } from "compositor-core/message/untyped"
import type {
  CallToolResult,
  Client,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
  Transport,
} from "@modelcontextprotocol/client"
import { limitedFetch, MAX_MESSAGE_BYTES, TOO_LONG } from "./message-limit.ts"
import type { McpServer } from "./server.ts"

export interface McpLists {
  readonly tools: readonly Tool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly templates: readonly { readonly uriTemplate: string; readonly name: string }[]
}

const MAX_LISTED = 2000
const MAX_PAGES = 64
/** One that could not be reached is not asked again before this. */
const RETRY_MS = 30_000
const NOTHING = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
const METHOD_NOT_FOUND = -32601

export interface ConnectionOptions {
  /** A list changed, or the connection went. */
  readonly changed?: () => void
  readonly version?: string
}

/** Somebody who wants to hear that a resource changed; without an address, that any did. */
export interface Watcher {
  readonly uri?: string | undefined
  heard(uri: string): void
}

/** One server. It is started when something is asked of it, and again when it went away; what it
 *  listed is kept until it says that the list changed. */
export class McpConnection {
  readonly name: string
  readonly server: McpServer
  readonly #options: ConnectionOptions
  #client: Promise<Client> | undefined
  #transport: Transport | undefined
  #lists: Promise<McpLists> | undefined
  #failure: { readonly at: number; readonly error: Error } | undefined
  readonly #watchers = new Map<string, Watcher>()
  /** Those that were cut off in the middle of a message without end. */
  readonly #tooLong = new WeakSet<Client>()
  #closed = false

  constructor(name: string, server: McpServer, options: ConnectionOptions = {}) {
    this.name = name
    this.server = server
    this.#options = options
  }

  async lists(): Promise<McpLists> {
    this.#lists ??= this.#readLists().catch((error: Error) => {
      this.#lists = undefined
      // Every step of a turn asks for the lists: it is not started for each of them to fail again.
      this.#failure ??= { at: performance.now(), error }
      throw error
    })
    return this.#lists
  }

  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const call = { name: tool, arguments: input }
    const patience = { signal, timeout: this.server.timeout_ms }
    return this.#ask((client) => client.callTool(call, patience))
  }

  async prompt(name: string, values: Readonly<Record<string, string>>): Promise<GetPromptResult> {
    const prompt = { name, arguments: { ...values } }
    return this.#ask((client) => client.getPrompt(prompt, this.#patience()))
  }

  async read(uri: string): Promise<ReadResourceResult> {
    return this.#ask((client) => client.readResource({ uri }, this.#patience()))
  }

  /** What may stand for an argument of a prompt, given what stands for the others. */
  async complete(
    prompt: string,
    argument: { readonly name: string; readonly value: string },
    others: Readonly<Record<string, string>> = {},
  ): Promise<CompleteResult["completion"]["values"]> {
    const client = await this.#connected()
    if (!client.getServerCapabilities()?.completions) return []
    const ref = { type: "ref/prompt" as const, name: prompt }
    const context = { arguments: { ...others } }
    const answer = await client.complete({ ref, argument, context }, this.#patience())
    return answer.completion.values
  }

  /** Hear of changes under a key; the same key again takes the place of the first. */
  async watch(key: string, watcher: Watcher): Promise<void> {
    const isKnown = this.#client !== undefined && this.#watchers.get(key)?.uri === watcher.uri
    this.#watchers.set(key, watcher)
    const client = await this.#connected()
    if (!isKnown) await this.#subscribe(client, watcher)
  }

  unwatch(key: string): void {
    this.#watchers.delete(key)
  }

  /** Let go of it, a failure included: whoever asks next starts it anew. */
  async reconnect(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#failure = undefined
    this.#forget()
    await client?.close()
  }

  async close(): Promise<void> {
    this.#closed = true
    // One that is still starting is not waited for.
    await this.#transport?.close()
    const client = await this.#client?.catch(() => undefined)
    await client?.close()
  }

  /** Ask it, and say in our words when it was cut off: the library only knows that it went. */
  async #ask<Given>(question: (client: Client) => Promise<Given>): Promise<Given> {
    const client = await this.#connected()
    try {
      return await question(client)
    } catch (error) {
      if (!this.#tooLong.has(client)) throw error
      throw new Error(`the MCP server ${this.name} was cut off: ${TOO_LONG}`, { cause: error })
    }
  }

  #patience() {
    return { timeout: this.server.timeout_ms }
  }

  #connected(): Promise<Client> {
    if (this.#closed) return Promise.reject(new Error(`${this.name} was closed`))
    const failure = this.#failure
    if (failure && performance.now() - failure.at < RETRY_MS) return Promise.reject(failure.error)
    this.#client ??= this.#connect().catch((cause: unknown) => {
      const message = `the MCP server ${this.name} cannot be reached: ${messageOf(cause)}`
      const error = new Error(message, { cause })
      this.#failure = { at: performance.now(), error }
      this.#forget()
      throw error
    })
    return this.#client
  }

  async #connect(): Promise<Client> {
    // Loaded with the first server: a host without any starts faster.
    const { Client } = await import("@modelcontextprotocol/client")
    const listChanged = { onChanged: () => this.#relist(), autoRefresh: false }
    const client = new Client(
      { name: "compositor", version: this.#options.version ?? "0" },
      {
        listMaxPages: MAX_PAGES,
        listChanged: { tools: listChanged, prompts: listChanged, resources: listChanged },
      },
    )
    const cutOff = () => {
      this.#tooLong.add(client)
      void client.close().catch(() => undefined)
    }
    this.#transport = await transportOf(this.server, cutOff)
    if (this.#closed) throw new Error(`${this.name} was closed`)
    await client.connect(this.#transport, this.#patience()).catch((error: unknown) => {
      throw this.#tooLong.has(client) ? new Error(TOO_LONG, { cause: error }) : error
    })
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
    client.onclose = () => this.#forget()
    this.#failure = undefined
    client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) =>
      this.#tell(uri),
    )
    for (const watcher of this.#watchers.values()) await this.#subscribe(client, watcher)
    return client
  }

  // A server may tell of changes that nobody subscribed to, so a refused subscription is no fault.
  async #subscribe(client: Client, { uri }: Watcher) {
    if (uri === undefined || !client.getServerCapabilities()?.resources?.subscribe) return
    await client.subscribeResource({ uri }, this.#patience()).catch(() => undefined)
  }

  #tell(uri: string) {
    for (const watcher of this.#watchers.values())
      if (watcher.uri === undefined || watcher.uri === uri) watcher.heard(uri)
  }

  #readLists(): Promise<McpLists> {
    return this.#ask((client) => this.#listsOf(client))
  }

  async #listsOf(client: Client): Promise<McpLists> {
    const has = client.getServerCapabilities() ?? {}
    const patience = this.#patience()
    const [tools, prompts, resources, templates] = await Promise.all([
      has.tools ? client.listTools({}, patience).catch(noneIfUnknown) : NOTHING,
      has.prompts ? client.listPrompts({}, patience).catch(noneIfUnknown) : NOTHING,
      has.resources ? client.listResources({}, patience).catch(noneIfUnknown) : NOTHING,
      has.resources ? client.listResourceTemplates({}, patience).catch(noneIfUnknown) : NOTHING,
    ])
    return {
      tools: tools.tools.slice(0, MAX_LISTED),
      prompts: prompts.prompts.slice(0, MAX_LISTED),
      resources: resources.resources.slice(0, MAX_LISTED),
      templates: templates.resourceTemplates.slice(0, MAX_LISTED),
    }
  }

  #relist() {
    this.#lists = undefined
    this.#options.changed?.()
  }

  #forget() {
    this.#client = undefined
    this.#relist()
  }
}

/** A server that always has another page is told by what it does, not by an option of the library. */
function explained(error: unknown): unknown {
  const isEndless = /exceeded listMaxPages/.test(messageOf(error))
  return isEndless ? new Error(`it lists more than ${MAX_PAGES} pages`, { cause: error }) : error
}

/** A server that offers a thing and does not know how to list it has none of it (MCP-002). */
function noneIfUnknown(error: unknown): typeof NOTHING {
  if (recordOf(error).code !== METHOD_NOT_FOUND) throw explained(error)
  return NOTHING
}

async function transportOf(server: McpServer, cutOff: () => void): Promise<Transport> {
  if ("url" in server) {
    const { StreamableHTTPClientTransport, SSEClientTransport } = await import(
      "@modelcontextprotocol/client"
    )
    const Remote = server.type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport
    return new Remote(new URL(server.url), {
      requestInit: { headers: server.headers },
      fetch: limitedFetch(cutOff),
    })
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
  const { command, args, env, cwd } = server
  // The server gets the few variables that the protocol's library names, and what it was given.
  const transport = new StdioClientTransport({
    maxBufferSize: MAX_MESSAGE_BYTES,
    command,
    args: [...args],
    env: { ...env },
    stderr: "ignore",
    ...(cwd === undefined ? {} : { cwd }),
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
  transport.onerror = (error) => {
    if (/exceeded maximum size/.test(error.message)) cutOff()
  }
  return transport
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
