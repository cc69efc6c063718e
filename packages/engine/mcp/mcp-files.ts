import { dirname, join } from "node:path"
import { recordOf } from "compositor-core/message/untyped"
import { McpConfig, McpServer } from "./server.ts"
import { type Variables, withVariables } from "./variables.ts"
import { readJson } from "compositor-core/catalog/read/json"
import { projectOf, TextFiles } from "../skills/files.ts"
import type { Trust } from "../skills/trust.ts"

/** A file that names MCP servers. */
export interface McpFile {
  readonly path: string
  readonly scope: "user" | "project"
  /** Another content has another one. */
  readonly digest: string
  /** What came with a repository starts nothing before someone said yes to it, as it is. */
  readonly trusted: boolean
  readonly servers: Readonly<Record<string, McpServer>>
  /** What is wrong in it, each with its name. */
  readonly faults: readonly { readonly server: string; readonly message: string }[]
}

export interface McpFolders {
  readonly data: string
  readonly home: string
  /** What `${NAME}` in a file stands for. */
  readonly environment: Variables
  readonly trust: Trust
  readonly files: TextFiles
}

/** The files that are there for a workspace: the user's, then the project's from its folder up. A name
 *  that the user gave to a server no repository takes. */
export async function mcpFiles(
  places: McpFolders,
  workspace_root: string | null,
): Promise<readonly McpFile[]> {
  const { data, home } = places
  const user = [join(data, "config.json"), join(home, ".agents", "mcp.json")]
  const levels = workspace_root === null ? [] : (await projectOf(workspace_root, home)).levels
  const project = levels.map((level) => join(level, ".mcp.json"))
  const read = await Promise.all([
    ...user.map((path) => readFile(places, path, "user")),
    ...project.map((path) => readFile(places, path, "project")),
  ])
  return withoutTaken(read.filter((file) => file !== undefined))
}

async function readFile(
  { files, trust, environment }: McpFolders,
  path: string,
  scope: McpFile["scope"],
): Promise<McpFile | undefined> {
  const file = await files.read(path, scope === "project" ? dirname(path) : null)
  if (file.type === "refused") return undefined
  const { digest, realPath } = file
  const trusted = scope === "user" || (await trust.isTrusted(realPath, digest))
  return { path, scope, digest, trusted, ...serversIn(file.text, { path, scope, environment }) }
}

type Where = Pick<McpFile, "path" | "scope"> & { readonly environment: Variables }

function serversIn(text: string, where: Where): Pick<McpFile, "servers" | "faults"> {
  const servers: Record<string, McpServer> = {}
  const faults: { server: string; message: string }[] = []
  for (const [server, written] of Object.entries(entriesIn(text))) {
    const { value: said, missing } = withVariables(written, where.environment)
    if (missing.length > 0) {
      faults.push({ server, message: `${missing.join(", ")}: not set in the environment` })
      continue
    }
    const read = McpConfig.safeParse({ mcpServers: { [server]: said } })
    if (read.success) Object.assign(servers, placed(read.data.mcpServers, where))
    else faults.push({ server, message: faultOf(said, read.error.issues[0]?.message) })
  }
  return { servers, faults }
}

// A union only says that nothing fits: what the entry seems to be says why.
function faultOf(said: unknown, otherwise: string | undefined): string {
  const isRemote = typeof said === "object" && said !== null && "url" in said
  const read = McpServer.options[isRemote ? 1 : 0].safeParse(said)
  const issue = read.success ? undefined : read.error.issues[0]
  return issue ? `${issue.path.join(".") || "it"}: ${issue.message}` : (otherwise ?? "does not fit")
}

function entriesIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const { mcpServers } = recordOf(readJson(text))
    return typeof mcpServers === "object" && mcpServers !== null ? { ...mcpServers } : {}
  } catch {
    return {}
  }
}

// A project's server runs where its file lies, and nobody but the user vouches for one.
function placed(servers: McpConfig["mcpServers"], { path, scope }: Where) {
  if (scope === "user") return servers
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const cwd = "command" in server ? { cwd: join(dirname(path), server.cwd ?? ".") } : {}
      return [name, { ...server, ...cwd, trusted: false }]
    }),
  )
}

function withoutTaken(files: readonly McpFile[]): McpFile[] {
  const taken = new Set<string>()
  return files.map((file) => {
    const own = Object.entries(file.servers).filter(([name]) => !taken.has(name))
    if (file.trusted) for (const [name] of own) taken.add(name)
    return { ...file, servers: Object.fromEntries(own) }
  })
}
