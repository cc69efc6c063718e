import type { ListedServer } from "compositor-client/client"
import { type CommonOptions, withConnection, workspaceFolder } from "../connect.ts"
import { table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

export async function listServers(options: CommonOptions) {
  await withConnection(options, async ({ client }) => {
    const { servers } = await client.mcp({ workspace: workspaceFolder(options) })
    if (options.json) return printJson(servers)
    if (servers.length === 0)
      return printLine("No servers: config.json, ~/.agents/mcp.json and .mcp.json name them.")
    const rows = servers.map(({ server, scope, path, ...about }) => [
      server,
      scope,
      stateOf(about),
      path,
    ])
    printLine(table([["server", "scope", "offers", "from"], ...rows]))
  })
}

export async function listAgents(options: CommonOptions) {
  await withConnection(options, async ({ client }) => {
    const { agents } = await client.agents({ workspace: workspaceFolder(options) })
    if (options.json) return printJson(agents)
    const rows = agents.map(({ type, scope, trusted, faults, description }) => [
      type,
      scope,
      trusted ? (faults?.join("; ") ?? "") : "untrusted",
      description ?? "",
    ])
    printLine(table([["type", "scope", "", "what it is for"], ...rows]))
  })
}

type ServerState = Omit<ListedServer, "server" | "scope" | "path">

function stateOf({ trusted, disabled, error, tools, prompts, resources }: ServerState): string {
  if (disabled) return "off"
  if (!trusted) return "untrusted: compositor trust <file>"
  return error ?? `${tools} tools, ${prompts} prompts, ${resources} resources`
}
