import { z } from "zod"

const MAX_ARGUMENTS = 100

const about = {
  /** Said by the user: hints of this server, such as "changes nothing", are believed. */
  trusted: z.boolean().default(false),
  disabled: z.boolean().default(false),
  timeout_ms: z.int().min(100).max(600_000).default(60_000),
}

/** How a server is reached: a process of ours, or an address. The keys are those that everybody's
 *  `.mcp.json` has. */
export const McpServer = z.union([
  z.object({
    command: z.string().min(1),
    args: z.array(z.string()).max(MAX_ARGUMENTS).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    ...about,
  }),
  z.object({
    url: z.url({ protocol: /^https?$/ }),
    /** `sse` is how servers were reached before one address did for both directions. */
    type: z.enum(["http", "sse"]).optional().catch(undefined),
    headers: z.record(z.string(), z.string()).default({}),
    ...about,
  }),
])
export type McpServer = z.infer<typeof McpServer>

/** Names go into names of tools and commands. */
export const ServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/i, "must be letters, digits and hyphens")

export const McpConfig = z.object({ mcpServers: z.record(ServerName, McpServer).default({}) })
export type McpConfig = z.infer<typeof McpConfig>
