import { z } from "zod"
import { CommandsQuery } from "./fields.ts"
import { route } from "./route.ts"

export const MAX_BODY_BYTES = 16 * 1024
export const MAX_DESCRIPTION_CHARACTERS = 200
const MAX_MEMORY_NAME_CHARACTERS = 64
const MAX_TYPE_CHARACTERS = 32

export const MemoryScope = z.enum(["user", "project"])
export type MemoryScope = z.infer<typeof MemoryScope>

export const MemoryName = z
  .string()
  .max(MAX_MEMORY_NAME_CHARACTERS)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "must be words of a-z and 0-9 with hyphens between them")

export const MemoryType = z
  .string()
  .max(MAX_TYPE_CHARACTERS)
  .regex(/^[a-z][a-z0-9-]*$/, "must be one lower-case word")

/** Who wrote an entry, and in answer to what. */
export const Author = z.object({
  by: z.enum(["user", "agent"]),
  session_id: z.string().optional(),
  message_id: z.string().optional(),
  /** What woke the turn, where no person did: `webhook`, `schedule` … */
  via: z.string().optional(),
})
export type Author = z.infer<typeof Author>

export const ListedMemory = z.object({
  scope: MemoryScope,
  name: z.string(),
  /** One line: all that a session is told of it at its start (UX-037). */
  description: z.string(),
  type: z.string(),
  author: Author,
  updated_at: z.int(),
  /** False of one that came with the repository: no session is told of it before somebody says yes. */
  trusted: z.boolean(),
  path: z.string(),
})
export type ListedMemory = z.infer<typeof ListedMemory>

/** A change of memory that waits for a person: it was asked for in a turn that nobody watches, or it
 *  touches a file of a repository that nobody has trusted (UX-041). */
export const MemoryProposal = z.object({
  id: z.string().regex(/^prp_[0-9a-f]{16}$/),
  action: z.enum(["write", "delete"]),
  scope: MemoryScope,
  name: MemoryName,
  /** What would be written; empty for a deletion. */
  body: z.string(),
  description: z.string(),
  type: z.string(),
  author: Author,
  /** Why it waits, as a sentence. */
  reason: z.string(),
  proposed_at: z.int(),
})
export type MemoryProposal = z.infer<typeof MemoryProposal>

/** A memory as it was written. */
const WrittenMemory = ListedMemory.omit({ trusted: true, path: true }).extend({ body: z.string() })

export const MemoryQuery = z.object({ ...CommandsQuery, scope: MemoryScope.optional() })
const errors = { 409: "Both scopes have the name, and none was said" }

export const memory = {
  listMemories: route("GET /v1/memory", {
    about: "What is remembered: names, and a line on each",
    query: MemoryQuery,
    answer: z.object({ memories: z.array(ListedMemory) }),
  }),
  getMemory: route("GET /v1/memory/:name", {
    about: "One memory whole; 409 when both scopes have the name and none was said",
    query: MemoryQuery,
    answer: z.object({ memory: ListedMemory.extend({ body: z.string() }) }),
    errors,
  }),
  writeMemory: route("PUT /v1/memory/:name", {
    about: "Write a memory, or another in its place",
    body: z.strictObject({
      ...CommandsQuery,
      scope: MemoryScope,
      body: z.string().min(1).max(MAX_BODY_BYTES),
      description: z.string().min(1).max(MAX_DESCRIPTION_CHARACTERS).optional(),
      type: MemoryType.optional(),
    }),
    answer: z.object({ memory: WrittenMemory }),
  }),
  deleteMemory: route("DELETE /v1/memory/:name", {
    about: "Forget a memory; 409 when both scopes have the name and none was said",
    query: MemoryQuery,
    answer: z.object({ deleted: z.object({ scope: MemoryScope, name: z.string() }) }),
    errors,
  }),
  listMemoryProposals: route("GET /v1/memory-proposals", {
    about: "Changes of memory that wait for a person, with who asked for them and why they wait",
    query: z.object(CommandsQuery),
    answer: z.object({ proposals: z.array(MemoryProposal) }),
  }),
  decideMemoryProposal: route("POST /v1/memory-proposals/:id", {
    about: "Say yes or no to one; what cannot be done still waits",
    body: z.strictObject({ ...CommandsQuery, accept: z.boolean() }),
    answer: z.object({ proposal: MemoryProposal }),
  }),
}
