import { sessionServers } from "compositor-core/contract/mcp"
import type { SessionServers } from "compositor-engine/mcp/session-servers"
import type { Store } from "compositor-engine/store/store"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"

interface SessionServerEngine {
  readonly store: Pick<Store, "session">
  readonly equipment: { readonly given: Pick<SessionServers, "give" | "status" | "take"> }
}

/** MCP servers for one session, named by whoever opened it. They start processes here, so they are the
 *  operator's to give; they are never written down. */
export function sessionServerRoutes(engine: SessionServerEngine): ServedRoute[] {
  return serveRoutes(sessionServers, {
    async giveServers({ param, body }) {
      const { id, workspace_root } = await existing(engine.store, param("id"))
      await engine.equipment.given.give(id, body.servers, workspace_root)
      return { given: body.servers.length }
    },
    async listGivenServers({ param }) {
      const { id } = await existing(engine.store, param("id"))
      return { servers: [...(await engine.equipment.given.status(id))] }
    },
    async takeServers({ param }) {
      const { id } = await existing(engine.store, param("id"))
      await engine.equipment.given.take(id)
      return { given: 0 }
    },
  })
}
