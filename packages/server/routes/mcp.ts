import { z } from "zod"
import { Refusal } from "compositor-core/message/refusal"
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

const Offered = z.object({ name: z.string(), description: z.string().optional() })
const Offers = z.object({
  tools: z.array(Offered),
  prompts: z.array(Offered),
  resources: z.array(Offered.extend({ uri: z.string() })),
})

export const mcpRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/mcp",
    summary: "The MCP servers of a workspace: what they offer, or why they offer nothing",
    query: z.object(Where),
    answer: z.object({ servers: z.array(Listed) }),
    async handle({ host, caller, query }) {
      return { servers: await host.equipment.mcp.list(await rootOf({ host, caller }, query)) }
    },
  }),
  route({
    method: "get",
    path: "/v1/mcp/:server",
    summary: "What one MCP server offers: tools, prompts and resources, by name",
    query: z.object(Where),
    answer: Offers,
    async handle({ host, caller, query, param }) {
      const root = await rootOf({ host, caller }, query)
      const { tools, commands, resources } = await asked(() =>
        host.equipment.mcp.offers(root, param("server")),
      )
      return {
        tools: tools.map(({ id, description }) => ({ name: id, description })),
        prompts: commands.map(({ name, description }) => ({ name, description })),
        resources: resources.map(({ uri, name, description }) => ({ uri, name, description })),
      }
    },
  }),
  route({
    method: "post",
    path: "/v1/mcp/:server/reconnect",
    summary: "Let go of an MCP server, and start it anew",
    body: z.strictObject(Where),
    answer: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
    async handle({ host, caller, body, param }) {
      const root = await rootOf({ host, caller }, body)
      const server = param("server")
      const { tools, commands, resources } = await asked(async () => {
        await host.equipment.mcp.reconnect(root, server)
        return host.equipment.mcp.offers(root, server)
      })
      return {
        tools: tools.length,
        prompts: commands.length,
        resources: resources.length,
      }
    },
  }),
]

/** A server that cannot be reached is its own fault, and not ours. */
async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (error) {
    throw new Refusal("conflict", error instanceof Error ? error.message : String(error))
  }
}
