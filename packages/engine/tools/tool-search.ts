import { z } from "zod"
import { defineTool, type Tool, ToolError } from "./tool.ts"

/** With more tools of servers than this, a model is not told of each: it looks for them (MCP-001). */
const MOST_TOLD = 20
const MOST_FOUND = 10
const MAX_QUERY_CHARACTERS = 200

/** The servers' tools as a model has them: each by its name, or, where they are many, one that finds
 *  them and one that calls what was found. */
export function offeredTools(tools: readonly Tool[]): readonly Tool[] {
  if (tools.length <= MOST_TOLD) return tools
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  return [searchTool(tools), callTool(byId)]
}

function searchTool(tools: readonly Tool[]): Tool {
  return defineTool({
    id: "tool_search",
    aliases: [],
    description: `Find tools of connected servers by words. There are ${tools.length}; tool_call calls one.`,
    input: z.strictObject({ query: z.string().min(1).max(MAX_QUERY_CHARACTERS) }),
    requires: [],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ query }) => query,
    execute: async ({ query }) => {
      const found = ranked(tools, query).slice(0, MOST_FOUND)
      const shown = found.map(({ id, description, parameters }) => ({
        id,
        description,
        parameters,
      }))
      return { data: { tools: shown } }
    },
  })
}

function ranked(tools: readonly Tool[], query: string): Tool[] {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean)
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}

/** A word in the name says more than one in the description. */
function scoreOf({ id, description }: Tool, words: readonly string[]): number {
  const [name, about] = [id.toLowerCase(), description.toLowerCase()]
  return words.reduce(
    (score, word) => score + (name.includes(word) ? 3 : 0) + (about.includes(word) ? 1 : 0),
    0,
  )
}

const CallInput = z.strictObject({
  id: z.string().min(1).max(128).describe("As tool_search names it."),
  input: z.record(z.string(), z.unknown()).default({}),
})

/** Judged as what it calls would be: by its subject, and with its input checked first. */
function callTool(byId: ReadonlyMap<string, Tool>): Tool {
  const tool = defineTool({
    id: "tool_call",
    aliases: [],
    description: "Call a tool that tool_search found, with an input of its parameters.",
    input: CallInput,
    requires: ["mcp.call"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ id, input }) => byId.get(id)?.subject(input) ?? id,
    execute: async ({ id, input }, runtime) => {
      const called = byId.get(id)
      if (!called) throw new ToolError(`There is no tool ${id} here.`)
      return called.execute(input, runtime)
    },
  })
  return { ...tool, faults: (value) => [...tool.faults(value), ...faultsWithin(byId, value)] }
}

function faultsWithin(byId: ReadonlyMap<string, Tool>, value: unknown): readonly string[] {
  const read = CallInput.safeParse(value)
  if (!read.success) return []
  const called = byId.get(read.data.id)
  if (!called) return [`id: there is no tool ${read.data.id} here`]
  return called.faults(read.data.input).map((fault) => `input.${fault}`)
}
