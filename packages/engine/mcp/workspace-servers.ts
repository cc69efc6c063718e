import type { ListedServer } from "compositor-core/contract/mcp"
import type { CommandLayer } from "compositor-core/catalog/catalog"
import type { McpCommand } from "compositor-core/catalog/command"
import { valuesOf } from "compositor-core/catalog/values"
import type { Watcher } from "./connection.ts"
import type { McpOffers, McpServers } from "./mcp-servers.ts"
import { TextFiles } from "../skills/files.ts"
import type { ArgumentPosition, CompletionSource, Offer } from "../completion/completion.ts"
import type { ServerPartDependencies } from "../submit/server-parts.ts"
import type { Tool } from "../tools/tool.ts"
import { type McpFile, mcpFiles, type McpFolders } from "./mcp-files.ts"
import { type CompleteArgument, type Offered, combineOffers } from "./mcp-offers.ts"

/** Whoever asks first waits so long for servers to start; what comes later is there the next time. */
const FIRST_WAIT_MS = 5000
/** Files of servers that are open at once; the one not asked for longest is closed. */
const MAX_OPEN = 32
const MAX_GATHERED = 256
const RETRY_MS = 30_000
/** So often files are looked at while somebody asks. */
const LOOK_MS = 1000

interface Open {
  readonly digest: string
  readonly servers: McpServers
}

/** What the servers of one workspace offer. */
interface Gathered extends Offered {
  readonly revision: number
  readonly looked_at: number
  /** The files it was gathered from. */
  readonly key: string
  /** Where a server did not answer: when to ask again. */
  readonly until: number
}

type WorkspaceServersOptions = Omit<McpFolders, "files"> & { readonly version?: string }

/** The MCP servers of each workspace. They are started when something is asked of them; a project's
 *  only once its file is trusted. */
export class WorkspaceServers {
  readonly #places: McpFolders
  readonly #version: string
  readonly #open = new Map<string, Open>()
  readonly #gathered = new Map<string | null, Gathered>()
  readonly #looking = new Map<string | null, Promise<Gathered>>()
  #revision = 0

  constructor({ version = "0", ...places }: WorkspaceServersOptions) {
    this.#places = { ...places, files: new TextFiles() }
    this.#version = version
  }

  /** Look anew: a file was trusted, or is no longer. */
  refresh() {
    this.#changed()
  }

  /** The same list until a server's own list changes (MCP-001). */
  async tools(workspace_root: string | null): Promise<readonly Tool[]> {
    return (await this.#gather(workspace_root)).tools
  }

  /** The prompts, a layer of commands for each server. */
  async layers(workspace_root: string | null): Promise<readonly CommandLayer[]> {
    return (await this.#gather(workspace_root)).layers
  }

  /** Resources by their server's name, and values for the arguments of prompts. What is known so far:
   *  nobody is asked. */
  sources(workspace_root: string | null): readonly CompletionSource[] {
    return this.#gathered.get(workspace_root)?.sources ?? []
  }

  servers(workspace_root: string | null): ServerPartDependencies {
    return {
      prompt: async (command, values) =>
        (await this.#serversOf(workspace_root, command.server)).prompt(command, values),
      resource: async (server, uri) =>
        (await this.#serversOf(workspace_root, server)).attach(server, uri),
    }
  }

  async watch(workspace_root: string | null, server: string, about: Watcher & { key: string }) {
    await (await this.#serversOf(workspace_root, server)).watch(server, about.key, about)
  }

  unwatch(key: string) {
    for (const { servers } of this.#open.values())
      for (const name of servers.names) servers.unwatch(name, key)
  }

  /** What one server offers now, each by name; fails with a sentence. */
  async offers(workspace_root: string | null, server: string): Promise<McpOffers> {
    return (await this.#serversOf(workspace_root, server)).offers(server)
  }

  async reconnect(workspace_root: string | null, server: string) {
    await (await this.#serversOf(workspace_root, server)).reconnect(server)
  }

  async list(workspace_root: string | null): Promise<ListedServer[]> {
    const files = await mcpFiles(this.#places, workspace_root)
    return (await Promise.all(files.map((file) => this.#listFile(file)))).flat()
  }

  async close() {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(open.map(({ servers }) => servers.close()))
  }

  async #listFile(file: McpFile): Promise<ListedServer[]> {
    const { path, scope, digest, trusted, faults } = file
    const about = { path, scope, digest, trusted }
    const wrong = faults.map(({ server, message }) => ({ server, ...about, error: message }))
    const inert = Object.entries(file.servers)
      .filter(([, { disabled }]) => disabled || !trusted)
      .map(([server, { disabled }]) => ({ server, ...about, ...(disabled ? { disabled } : {}) }))
    const [opened] = trusted ? await this.#openAll([file]) : []
    const status = (await opened?.status()) ?? []
    const running = status.map((one) => ({ ...one, ...about }))
    return [...running, ...inert, ...wrong]
  }

  // Asked for with every keystroke: the files are looked at again behind the answer's back.
  async #gather(workspace_root: string | null): Promise<Gathered> {
    const known = this.#gathered.get(workspace_root)
    if (known?.revision !== this.#revision) return this.#look(workspace_root)
    if (performance.now() > known.looked_at + LOOK_MS)
      this.#look(workspace_root).catch(() => undefined)
    return known
  }

  #look(workspace_root: string | null): Promise<Gathered> {
    const looking =
      this.#looking.get(workspace_root) ??
      this.#lookOnce(workspace_root).finally(() => this.#looking.delete(workspace_root))
    this.#looking.set(workspace_root, looking)
    return looking
  }

  async #lookOnce(workspace_root: string | null): Promise<Gathered> {
    const revision = this.#revision
    const looked_at = performance.now()
    const files = await this.#trusted(workspace_root)
    const key = JSON.stringify(files.map(({ path, digest }) => [path, digest]))
    const known = this.#gathered.get(workspace_root)
    if (known?.revision === revision && known.key === key && looked_at < known.until) {
      const same = { ...known, looked_at }
      this.#gathered.set(workspace_root, same)
      return same
    }
    const opened = await this.#openAll(files)
    const offers = new Map((await Promise.all(opened.map((one) => this.#offersOf(one)))).flat())
    const isWhole = opened.every(({ names }) => names.every((name) => offers.has(name)))
    const until = isWhole ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS
    const complete: CompleteArgument = (command, asked) =>
      this.#complete(workspace_root, command, asked)
    const about = { revision, looked_at, key, until }
    const gathered = { ...about, ...combineOffers(offers, complete) }
    if (this.#gathered.size >= MAX_GATHERED) this.#gathered.clear()
    this.#gathered.set(workspace_root, gathered)
    return gathered
  }

  // One that is late changes what there is when it comes.
  async #offersOf(servers: McpServers): Promise<(readonly [string, McpOffers])[]> {
    const found = await Promise.all(
      servers.names.map(async (name) => {
        const asked = servers.offers(name).catch(() => undefined)
        const offers = await Promise.race([asked, late()])
        if (offers === LATE) void asked.then((found) => found && this.#changed())
        return offers === LATE || offers === undefined ? [] : [[name, offers] as const]
      }),
    )
    return found.flat()
  }

  async #trusted(workspace_root: string | null): Promise<McpFile[]> {
    const files = await mcpFiles(this.#places, workspace_root)
    return files.filter(({ trusted, servers }) => trusted && Object.keys(servers).length > 0)
  }

  // A house without servers does not load what speaks to them.
  async #openAll(files: readonly McpFile[]): Promise<McpServers[]> {
    if (files.length === 0) return []
    const { McpServers: Servers } = await import("./mcp-servers.ts")
    return files.map((file) => this.#opened(file, Servers))
  }

  #opened({ path, digest, servers: mcpServers }: McpFile, Servers: typeof McpServers): McpServers {
    const known = this.#open.get(path)
    if (known && known.digest !== digest) void known.servers.close()
    const options = { version: this.#version, changed: () => this.#changed() }
    const servers = known?.digest === digest ? known.servers : new Servers({ mcpServers }, options)
    this.#open.delete(path)
    this.#open.set(path, { digest, servers })
    for (const [oldest, { servers: left }] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break
      this.#open.delete(oldest)
      void left.close()
    }
    return servers
  }

  #changed() {
    this.#revision += 1
  }

  async #serversOf(workspace_root: string | null, server: string): Promise<McpServers> {
    const files = await this.#trusted(workspace_root)
    const [found] = await this.#openAll(files.filter((file) => server in file.servers).slice(0, 1))
    if (found) return found
    throw new Error(`there is no MCP server named ${server} here`)
  }

  async #complete(
    workspace_root: string | null,
    command: McpCommand,
    { query, at }: { readonly query: string; readonly at: ArgumentPosition },
  ): Promise<readonly Offer[]> {
    if (at.argument === undefined) return []
    const servers = await this.#serversOf(workspace_root, command.server)
    const argument = { name: at.argument, value: query }
    const values = Object.fromEntries(valuesOf(at.typed, command.arguments ?? [], "mcp").named)
    return (await servers.complete(command, argument, values)).map((value) => ({ value }))
  }
}

const LATE = Symbol("late")

function late(): Promise<typeof LATE> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(LATE), FIRST_WAIT_MS).unref()
  })
}
