import { z } from "zod"
import { type Route, route } from "../route.ts"
import { rootOf, Where } from "./commands.ts"

const Listed = z.object({
  server: z.string(),
  path: z.string(),
  scope: z.enum(["user", "project"]),
  digest: z.string(),
  trusted: z.boolean(),
  disabled: z.boolean().optional(),
  tools: z.int().optional(),
  prompts: z.int().optional(),
  resources: z.int().optional(),
  error: z.string().optional(),
})

export const mcpRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/mcp",
    summary: "The MCP servers of a workspace: what they offer, or why they offer nothing",
    query: z.object(Where),
    answer: z.object({ servers: z.array(Listed) }),
    async handle({ host, query }) {
      return { servers: await host.equipment.mcp.list(await rootOf(host, query)) }
    },
  }),
]
