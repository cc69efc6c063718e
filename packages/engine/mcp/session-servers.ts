import { z } from "zod"
import type { GivenServerStatus } from "compositor-core/contract/mcp"
import type { McpServers } from "./mcp-servers.ts"
import { McpServer, ServerName } from "./server.ts"
import type { Tool } from "../tools/tool.ts"

/** Sessions that were given servers; the one not asked for longest loses them first. */
const MAX_SESSIONS = 64
/** A turn waits so long for servers to start; what comes later is there in the next one. */
const FIRST_WAIT_MS = 5000
/** Where one could not be reached, so long passes before it is asked again. */
const RETRY_MS = 30_000
/** Whoever gave them may be gone without a word: what nobody uses is let go of, and started anew. */
const IDLE_MS = 30 * 60_000

const Named = z.object({ name: ServerName, server: McpServer })

interface SessionServer {
  readonly name: string
  readonly server: unknown
}

interface Given {
  readonly servers: Readonly<Record<string, McpServer>>
  readonly faults: readonly GivenServerStatus[]
  open: McpServers | undefined
  found: Found | undefined
  idle: NodeJS.Timeout | undefined
}

/** The tools of the given servers, and beside those of the workspace. */
interface Found {
  readonly tools: readonly Tool[]
  readonly until: number
  merged?: { readonly served: readonly Tool[]; readonly list: readonly Tool[] }
}

/** Servers that whoever opened a session named for it alone: an editor's own. They are the user's word,
 *  so they are started without being asked about; they are kept in memory only, and every call of theirs
 *  is judged as any server's. */
export class SessionServers {
  readonly #given = new Map<string, Given>()

  /** From now on the session has these and no others. */
  async give(session_id: string, servers: readonly SessionServer[], cwd: string | null) {
    await this.take(session_id)
    if (servers.length === 0) return
    this.#given.set(session_id, read(servers, cwd))
    for (const oldest of this.#given.keys()) {
      if (this.#given.size <= MAX_SESSIONS) break
      await this.take(oldest)
    }
  }

  async take(session_id: string) {
    const given = this.#given.get(session_id)
    this.#given.delete(session_id)
    if (given) await letGo(given)
  }

  /** What each offers, or why it offers nothing; they are started for it. */
  async status(session_id: string): Promise<readonly GivenServerStatus[]> {
    const given = this.#given.get(session_id)
    if (!given) return []
    const asked = await (await this.#opened(given)).status()
    const told = asked.map(({ server, tools, error }) => ({
      server,
      tools,
      ...(error === undefined ? {} : { error }),
    }))
    return [...told, ...given.faults]
  }

  /** The tools of a workspace's servers and of those given; a given one hides its namesake. The same list
   *  as long as they are the same tools. */
  async tools(session_id: string, served: readonly Tool[]): Promise<readonly Tool[]> {
    const given = this.#given.get(session_id)
    if (!given) return served
    this.#given.delete(session_id)
    this.#given.set(session_id, given)
    const known = given.found
    const found = known && performance.now() < known.until ? known : await this.#find(given)
    if (found.merged?.served === served) return found.merged.list
    const isHidden = ({ id }: Tool) => (id.split("_", 1)[0] ?? "") in given.servers
    const list = [...served.filter((tool) => !isHidden(tool)), ...found.tools]
    found.merged = { served, list }
    return list
  }

  async close() {
    await Promise.all([...this.#given.keys()].map((session_id) => this.take(session_id)))
  }

  async #find(given: Given): Promise<Found> {
    const servers = await this.#opened(given)
    const asked = servers.names.map((name) => servers.offers(name).catch(() => undefined))
    const offers = await Promise.all(asked.map((one) => Promise.race([one, late()])))
    const isWhole = offers.every((one) => one !== undefined)
    const found: Found = {
      tools: offers.flatMap((one) => one?.tools ?? []),
      until: isWhole ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS,
    }
    given.found = found
    // One that is late changes what there is when it comes.
    for (const [at, one] of asked.entries())
      if (offers[at] === undefined) void one.then((came) => came && forget(given, found))
    return found
  }

  async #opened(given: Given): Promise<McpServers> {
    const { McpServers: Servers } = await import("./mcp-servers.ts")
    // Set together with what it ends, also where they were taken back meanwhile.
    clearTimeout(given.idle)
    given.idle = setTimeout(() => void letGo(given), IDLE_MS).unref()
    given.open ??= new Servers(
      { mcpServers: given.servers },
      { changed: () => forget(given, given.found) },
    )
    return given.open
  }
}

function read(servers: readonly SessionServer[], cwd: string | null): Given {
  const known: Record<string, McpServer> = {}
  const faults: GivenServerStatus[] = []
  for (const one of servers) {
    const parsed = Named.safeParse(one)
    if (parsed.success) known[parsed.data.name] = placed(parsed.data.server, cwd)
    else faults.push({ server: one.name, tools: 0, error: faultOf(one.server, parsed.error) })
  }
  return { servers: known, faults, open: undefined, found: undefined, idle: undefined }
}

// What a server says of itself is believed of none that nobody vouched for by its name.
function placed(server: McpServer, cwd: string | null): McpServer {
  const own = { ...server, trusted: false }
  return "command" in own && own.cwd === undefined && cwd !== null ? { ...own, cwd } : own
}

// A union only says that nothing fits: what the entry seems to be says why.
function faultOf(server: unknown, error: z.ZodError): string {
  const isRemote = typeof server === "object" && server !== null && "url" in server
  const read = McpServer.options[isRemote ? 1 : 0].safeParse(server)
  const issue = read.success ? error.issues[0] : read.error.issues[0]
  return issue ? `${issue.path.join(".")}: ${issue.message}` : "does not fit"
}

function forget(given: Given, found: Found | undefined) {
  if (given.found === found) given.found = undefined
}

async function letGo(given: Given) {
  clearTimeout(given.idle)
  const { open } = given
  given.open = undefined
  given.found = undefined
  await open?.close()
}

function late(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), FIRST_WAIT_MS).unref()
  })
}
