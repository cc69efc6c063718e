import { z } from "zod"
import {
  MAX_BODY_BYTES,
  MAX_DESCRIPTION_CHARACTERS,
  MemoryName,
  MemoryScope,
  MemoryType,
} from "compositor-core/contract/memory"
import type { MemoryEntry } from "./entry.ts"
import type { Memory, MemoryAnswer, NewMemory } from "./memory.ts"
import type { MemoryProposal } from "compositor-core/contract/memory"
import { defineTool, type Tool, ToolError, type ToolRuntime } from "../tools/tool.ts"

/** A change was made, refused, or kept for a person to decide (UX-041). */
export type MemoryOutcome =
  | MemoryAnswer<MemoryEntry>
  | { readonly type: "proposed"; readonly proposal: MemoryProposal }

export interface MemoryAccess extends Pick<Memory, "list" | "read"> {
  write(memory: NewMemory): Promise<MemoryOutcome>
  delete(name: string, scope?: MemoryScope): Promise<MemoryOutcome>
}

/** The memory that belongs to a session: its user's, and its project's. */
type MemoryOf = (runtime: ToolRuntime) => MemoryAccess | Promise<MemoryAccess>

export interface MemoryToolDependencies {
  readonly memory: MemoryOf
  /** What was read from files in this session: a memory is not a copy of one (UX-030). */
  readonly files_read?: (runtime: ToolRuntime) => readonly string[]
}

const WriteInput = z.strictObject({
  scope: MemoryScope.describe(
    "user: for every session of this user. project: for every session in this project.",
  ),
  name: MemoryName,
  body: z.string().min(1).max(MAX_BODY_BYTES),
  description: z
    .string()
    .min(1)
    .max(MAX_DESCRIPTION_CHARACTERS)
    .optional()
    .describe("One line: its first, if left out."),
  type: MemoryType.optional(),
})
const NamedInput = z.strictObject({ name: MemoryName, scope: MemoryScope.optional() })

const NO_MEMORY = "there is no memory here"

/** What is kept across sessions, written and deleted by these tools and by people alone (UX-030). */
export function memoryTools(rooms: MemoryToolDependencies | undefined): Tool[] {
  const memory = async (runtime: ToolRuntime) => {
    if (rooms) return rooms.memory(runtime)
    throw new ToolError(NO_MEMORY)
  }
  const write = defineTool({
    id: "memory_write",
    aliases: [],
    description: "Keep something for later sessions. The same name again replaces it.",
    input: WriteInput,
    requires: ["memory"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: rooms ? undefined : NO_MEMORY,
    subject: ({ name }) => name,
    execute: async (input, runtime) => {
      const author = { by: "agent", session_id: runtime.session_id } as const
      const files = rooms?.files_read?.(runtime) ?? []
      const outcome = await (await memory(runtime)).write({ ...input, author, files })
      if (outcome.type === "proposed") return { data: waiting(outcome.proposal) }
      const entry = done(outcome)
      return { data: { scope: entry.scope, name: entry.name, description: entry.description } }
    },
  })
  const read = defineTool({
    id: "memory_read",
    aliases: [],
    description: "Read what was kept under a name.",
    input: NamedInput,
    requires: ["memory"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: rooms ? undefined : NO_MEMORY,
    subject: ({ name }) => name,
    execute: async ({ name, scope }, runtime) => {
      const entry = done(await (await memory(runtime)).read(name, scope))
      return { data: { scope: entry.scope, name: entry.name, body: entry.body } }
    },
  })
  const list = defineTool({
    id: "memory_list",
    aliases: [],
    description: "List what is kept: names, and a line on each.",
    input: z.strictObject({}),
    requires: ["memory"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: rooms ? undefined : NO_MEMORY,
    subject: () => "",
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
    aliases: [],
    description: "Delete what was kept under a name.",
    input: NamedInput,
    requires: ["memory"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: rooms ? undefined : NO_MEMORY,
    subject: ({ name }) => name,
    execute: async ({ name, scope }, runtime) => {
      const outcome = await (await memory(runtime)).delete(name, scope)
      if (outcome.type === "proposed") return { data: waiting(outcome.proposal) }
      const entry = done(outcome)
      return { data: { deleted: { scope: entry.scope, name: entry.name } } }
    },
  })
  return [write, read, list, remove]
}

/** What the model is told of a change that waits: it goes on without it. */
function waiting({ id, action, scope, name, reason }: MemoryProposal) {
  const note = `${reason} A person decides later whether it is done; go on without it.`
  return { proposed: { id, action, scope, name }, note }
}

function done<Value>(answer: MemoryAnswer<Value>): Value {
  if (answer.type === "done") return answer.value
  throw new ToolError(answer.message)
}
