import { z } from "zod"
import { MemoryName, MemoryScope, MemoryType } from "../memory/entry.ts"
import type { Memory, MemoryAnswer } from "../memory/memory.ts"
import { defineTool, type Tool, ToolError, type ToolRuntime } from "./tool.ts"

type MemoryRoom = Pick<Memory, "list" | "read" | "write" | "delete">

/** The memory that belongs to a session: its user's, and its project's. */
export type MemoryOf = (runtime: ToolRuntime) => MemoryRoom | Promise<MemoryRoom>

export interface MemoryToolRooms {
  readonly memory: MemoryOf
  /** What was read from files in this session: a memory is not a copy of one (UX-030). */
  readonly files_read?: (runtime: ToolRuntime) => readonly string[]
}

const WriteInput = z.strictObject({
  scope: MemoryScope.describe("user: in every session. project: in this one."),
  name: MemoryName,
  body: z.string().min(1).max(64_000),
  description: z.string().min(1).max(200).optional().describe("One line: its first, if left out."),
  type: MemoryType.optional(),
})
const NamedInput = z.strictObject({ name: MemoryName, scope: MemoryScope.optional() })

/** What is kept across sessions, written and deleted by these tools and by people alone (UX-030). */
export function memoryTools({ memory, files_read }: MemoryToolRooms): Tool[] {
  const write = defineTool({
    id: "memory_write",
    description: "Keep something for later sessions. The same name again replaces it.",
    input: WriteInput,
    requires: ["memory"],
    subject: ({ name }) => name,
    execute: async (input, runtime) => {
      const author = { by: "agent", session_id: runtime.session_id } as const
      const files = files_read?.(runtime) ?? []
      const entry = done(await (await memory(runtime)).write({ ...input, author, files }))
      return { data: { scope: entry.scope, name: entry.name, description: entry.description } }
    },
  })
  const read = defineTool({
    id: "memory_read",
    description: "Read what was kept under a name.",
    input: NamedInput,
    requires: ["memory"],
    read_only: true,
    subject: ({ name }) => name,
    execute: async ({ name, scope }, runtime) => {
      const entry = done(await (await memory(runtime)).read(name, scope))
      return { data: { scope: entry.scope, name: entry.name, body: entry.body } }
    },
  })
  const list = defineTool({
    id: "memory_list",
    description: "List what is kept: names, and a line on each.",
    input: z.strictObject({}),
    requires: ["memory"],
    read_only: true,
    execute: async (_, runtime) => {
      const known = await (await memory(runtime)).list()
      const memories = known.map(({ entry: { scope, name, description }, trusted }) =>
        trusted ? { scope, name, description } : { scope, name, trusted },
      )
      return { data: { memories } }
    },
  })
  const remove = defineTool({
    id: "memory_delete",
    description: "Delete what was kept under a name.",
    input: NamedInput,
    requires: ["memory"],
    subject: ({ name }) => name,
    execute: async ({ name, scope }, runtime) => {
      const entry = done(await (await memory(runtime)).delete(name, scope))
      return { data: { deleted: { scope: entry.scope, name: entry.name } } }
    },
  })
  return [write, read, list, remove]
}

function done<Value>(answer: MemoryAnswer<Value>): Value {
  if (answer.type === "done") return answer.value
  throw new ToolError(answer.message)
}
