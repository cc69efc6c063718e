import { recordOf } from "compositor-core/message/untyped"
import type { CallToolResult, Tool as ServerTool } from "@modelcontextprotocol/client"
import { z } from "zod"
import { type Tool, ToolError, type ToolOutput } from "../tools/tool.ts"
import type { McpConnection } from "./connection.ts"
import { blockOfContent } from "./content.ts"

const MAX_TOOL_NAME_CHARACTERS = 64
const MAX_DESCRIPTION_CHARACTERS = 4000

/** The tools of a server, each under the server's name (MCP-001). */
export async function mcpTools(connection: McpConnection): Promise<Tool[]> {
  const { tools } = await connection.lists()
  const taken = new Set<string>()
  return tools.map((tool) => {
    const id = freeName(`${connection.name}_${tool.name}`, taken)
    taken.add(id)
    return toolOf(connection, tool, id)
  })
}

// Providers take few characters in a name, and few of them.
function freeName(name: string, taken: ReadonlySet<string>): string {
  const base = name.replace(/[^\w-]/g, "_").slice(0, MAX_TOOL_NAME_CHARACTERS)
  for (let count = 2, free = base; ; count++) {
    if (!taken.has(free)) return free
    free = `${base.slice(0, MAX_TOOL_NAME_CHARACTERS - 4)}_${count}`
  }
}

function toolOf(connection: McpConnection, tool: ServerTool, id: string): Tool {
  const schema = readSchema(tool.inputSchema)
  const { trusted } = connection.server
  return {
    id,
    aliases: [],
    description: (tool.description ?? tool.title ?? "").slice(0, MAX_DESCRIPTION_CHARACTERS),
    parameters: tool.inputSchema,
    requires: ["mcp.call"],
    // A hint of a server that nobody vouched for is only its word.
    read_only: trusted && tool.annotations?.readOnlyHint === true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: () => `${connection.name}/${tool.name}`,
    faults: (input) => faultsOf(schema, input),
    execute: async (input, { signal, blobs }) => {
      const values = recordOf(input)
      const result = await connection.callTool(tool.name, values, signal)
      return outputOf(result, connection.name, blobs)
    },
  }
}

// A schema that cannot be read here is left to the server, which knows it.
function readSchema(schema: ServerTool["inputSchema"]): z.ZodType | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no schema is refused there
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return undefined
  }
}

function faultsOf(schema: z.ZodType | undefined, input: unknown): string[] {
  const parsed = (schema ?? z.record(z.string(), z.unknown())).safeParse(input)
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`)
}

async function outputOf(
  { content, structuredContent, isError }: CallToolResult,
  server: string,
  blobs: Parameters<typeof blockOfContent>[2],
): Promise<ToolOutput> {
  const blocks = await Promise.all(content.map((one) => blockOfContent(one, server, blobs)))
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  if (isError) throw new ToolError(text === "" ? "The tool failed and did not say why." : text)
  const media = blocks.filter((block) => block.type !== "text")
  const data = text === "" && structuredContent ? structuredContent : text
  return { data, ...(media.length === 0 ? {} : { blocks: media }) }
}
