import { z } from "zod"
import type { ListedAgent } from "compositor-engine/agents/agent-files"
import { ModelChoice } from "compositor-core/message/message"
import { type Route, route } from "../route.ts"
import { rootOf, Where } from "./commands.ts"

const Names = z.union([z.literal("all"), z.array(z.string())])
const Listed = z.object({
  type: z.string(),
  description: z.string().optional(),
  scope: z.enum(["builtin", "host", "project", "user"]),
  /** Of one that is not, nothing but its name is used. */
  trusted: z.boolean(),
  path: z.string().optional(),
  digest: z.string().optional(),
  faults: z.array(z.string()).optional(),
  model: ModelChoice.optional(),
  prompt: z.string().optional(),
  tools: Names.optional(),
  skills: Names.optional(),
  context: z.looseObject({}).optional(),
  gestures: z.array(z.looseObject({})).optional(),
})

export const agentRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/agents",
    summary: "Who can answer in a workspace, and what each may do",
    query: z.object(Where),
    answer: z.object({ agents: z.array(Listed) }),
    async handle({ host, caller, query }) {
      const agents = await host.equipment.agents.list(await rootOf({ host, caller }, query))
      return { agents: agents.map(shown) }
    },
  }),
]

function shown({ agent, ...listed }: ListedAgent) {
  if (!agent) return listed
  const { model, prompt, tools, skills, context, gestures } = agent
  return { ...listed, ...(model ? { model } : {}), prompt, tools, skills, context, gestures }
}
