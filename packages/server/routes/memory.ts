import type { z } from "zod"
import type { CommandsQuery } from "compositor-core/contract/fields"
import { type ListedMemory, memory, type MemoryQuery } from "compositor-core/contract/memory"
import { Refusal } from "compositor-core/message/refusal"
import type { Memories } from "compositor-engine/memory/memories"
import type { KnownMemory, Memory, MemoryAnswer } from "compositor-engine/memory/memory"
import { type Caller, callerOwner } from "../caller.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { rootOf, type WorkspaceFinder } from "../workspace-root.ts"

interface MemoryEngine extends WorkspaceFinder {
  readonly equipment: { readonly memories: Pick<Memories, "of"> }
}

/** What is kept across sessions, for the person whose it is: what an agent may not be shown yet, a
 *  person may read. */
export function memoryRoutes(engine: MemoryEngine): ServedRoute[] {
  return serveRoutes(memory, {
    async listMemories({ query, caller }) {
      const found = await known(engine, caller, query)
      return { memories: found.map(listed) }
    },
    async getMemory({ query, param, caller }) {
      const name = param("name")
      const found = (await known(engine, caller, query)).filter(({ entry }) => entry.name === name)
      const [memory, other] = found
      if (!memory) throw new Refusal("not_found", `there is no memory named ${name}`)
      if (other) throw new Refusal("conflict", `${name} is in both scopes: say which`)
      return { memory: { ...listed(memory), body: memory.entry.body } }
    },
    async writeMemory({ body: said, param, caller }) {
      const { scope, body, description, type } = said
      const memory = await memoryOf(engine, caller, said)
      const note = { scope, name: param("name"), body, description, type }
      return { memory: done(await memory.write({ ...note, author: { by: "user" } })) }
    },
    async deleteMemory({ query, param, caller }) {
      const memory = await memoryOf(engine, caller, query)
      const { scope, name } = done(await memory.delete(param("name"), query.scope))
      return { deleted: { scope, name } }
    },
    async listMemoryProposals({ query, caller }) {
      return { proposals: await (await memoryOf(engine, caller, query)).proposals() }
    },
    async decideMemoryProposal({ body, param, caller }) {
      const memory = await memoryOf(engine, caller, body)
      return { proposal: done(await memory.decide(param("id"), body.accept)) }
    },
  })
}

/** The caller's own notes, and those of the project. */
async function memoryOf(
  engine: MemoryEngine,
  caller: Caller,
  where: CommandsQuery,
): Promise<Memory> {
  return engine.equipment.memories.of(await rootOf(engine, caller, where), callerOwner(caller))
}

async function known(
  engine: MemoryEngine,
  caller: Caller,
  query: z.output<typeof MemoryQuery>,
): Promise<KnownMemory[]> {
  const all = await (await memoryOf(engine, caller, query)).list()
  return all.filter(({ entry }) => query.scope === undefined || entry.scope === query.scope)
}

function listed({ entry, trusted, path }: KnownMemory): ListedMemory {
  const { scope, name, description, type, author, updated_at } = entry
  return { scope, name, description, type, author, updated_at, trusted, path }
}

const CODES = { missing: "not_found", choose: "conflict", refused: "invalid" } as const

function done<Value>(answer: MemoryAnswer<Value>): Value {
  if (answer.type === "done") return answer.value
  throw new Refusal(CODES[answer.type], answer.message)
}
