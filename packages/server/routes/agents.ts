import { agents } from "compositor-core/contract/agents"
import type { AgentFiles, ListedAgent } from "compositor-engine/agents/agent-files"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { rootOf, type WorkspaceFinder } from "../workspace-root.ts"

interface AgentEngine extends WorkspaceFinder {
  readonly equipment: { readonly agents: Pick<AgentFiles, "list"> }
}

export function agentRoutes(engine: AgentEngine): ServedRoute[] {
  return serveRoutes(agents, {
    async listAgents({ caller, query }) {
      const listed = await engine.equipment.agents.list(await rootOf(engine, caller, query))
      return { agents: listed.map(shown) }
    },
  })
}

function shown({ agent, ...listed }: ListedAgent) {
  if (!agent) return listed
  const { model, prompt, tools, skills, context, gestures } = agent
  return { ...listed, ...(model ? { model } : {}), prompt, tools, skills, context, gestures }
}
