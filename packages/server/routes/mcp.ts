import { mcp } from "compositor-core/contract/mcp"
import { Refusal } from "compositor-core/message/refusal"
import type { WorkspaceServers } from "compositor-engine/mcp/workspace-servers"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { rootOf, type WorkspaceFinder } from "../workspace-root.ts"

interface McpEngine extends WorkspaceFinder {
  readonly equipment: { readonly mcp: Pick<WorkspaceServers, "list" | "offers" | "reconnect"> }
}

export function mcpRoutes(engine: McpEngine): ServedRoute[] {
  return serveRoutes(mcp, {
    async listServers({ caller, query }) {
      return { servers: await engine.equipment.mcp.list(await rootOf(engine, caller, query)) }
    },
    async getServerOffers({ caller, query, param }) {
      const root = await rootOf(engine, caller, query)
      const { tools, commands, resources } = await asked(() =>
        engine.equipment.mcp.offers(root, param("server")),
      )
      return {
        tools: tools.map(({ id, description }) => ({ name: id, description })),
        prompts: commands.map(({ name, description }) => ({ name, description })),
        resources: resources.map(({ uri, name, description }) => ({ uri, name, description })),
      }
    },
    async reconnectServer({ caller, body, param }) {
      const root = await rootOf(engine, caller, body)
      const server = param("server")
      const { tools, commands, resources } = await asked(async () => {
        await engine.equipment.mcp.reconnect(root, server)
        return engine.equipment.mcp.offers(root, server)
      })
      return {
        tools: tools.length,
        prompts: commands.length,
        resources: resources.length,
      }
    },
  })
}

/** A server that cannot be reached is its own fault, and not ours. */
async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (error) {
    throw new Refusal("conflict", error instanceof Error ? error.message : String(error))
  }
}
