import { z } from "zod"
import {
  Author,
  MAX_BODY_BYTES,
  MAX_DESCRIPTION_CHARACTERS,
  MemoryScope,
  MemoryType,
} from "compositor-engine/memory/entry"
import type { KnownMemory, Memory, MemoryAnswer } from "compositor-engine/memory/memory"
import { Proposal } from "compositor-engine/memory/proposals"
import { Refusal } from "compositor-core/message/refusal"
import { ownerOf } from "../caller.ts"
import { type Asked, type Route, route } from "../route.ts"
import { rootOf, Where } from "./commands.ts"

const Listed = z.object({
  scope: MemoryScope,
  name: z.string(),
  description: z.string(),
  type: z.string(),
  author: Author,
  updated_at: z.int(),
  trusted: z.boolean(),
  path: z.string(),
})
const Shown = Listed.extend({ body: z.string() })
const Named = z.object({ ...Where, scope: MemoryScope.optional() })

/** What is kept across sessions, for the person whose it is: what an agent may not be shown yet, a
 *  person may read. */
export const memoryRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/memory",
    summary: "What is remembered: names, and a line on each",
    query: Named,
    answer: z.object({ memories: z.array(Listed) }),
    async handle({ query, ...by }) {
      const found = await known(by, query)
      return { memories: found.map(listed) }
    },
  }),
  route({
    method: "get",
    path: "/v1/memory/:name",
    summary: "One memory whole; 409 when both scopes have the name and none was said",
    query: Named,
    answer: z.object({ memory: Shown }),
    async handle({ query, param, ...by }) {
      const name = param("name")
      const found = (await known(by, query)).filter(({ entry }) => entry.name === name)
      const [memory, other] = found
      if (!memory) throw new Refusal("not_found", `there is no memory named ${name}`)
      if (other) throw new Refusal("conflict", `${name} is in both scopes: say which`)
      return { memory: { ...listed(memory), body: memory.entry.body } }
    },
  }),
  route({
    method: "put",
    path: "/v1/memory/:name",
    summary: "Write a memory, or another in its place",
    body: z.strictObject({
      ...Where,
      scope: MemoryScope,
      body: z.string().min(1).max(MAX_BODY_BYTES),
      description: z.string().min(1).max(MAX_DESCRIPTION_CHARACTERS).optional(),
      type: MemoryType.optional(),
    }),
    answer: z.object({ memory: z.looseObject({ name: z.string() }) }),
    async handle({ body: said, param, ...by }) {
      const { scope, body, description, type } = said
      const memory = await memoryOf(by, said)
      const note = { scope, name: param("name"), body, description, type }
      return { memory: done(await memory.write({ ...note, author: { by: "user" } })) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/memory/:name",
    summary: "Forget a memory; 409 when both scopes have the name and none was said",
    query: Named,
    answer: z.object({ deleted: z.object({ scope: MemoryScope, name: z.string() }) }),
    async handle({ query, param, ...by }) {
      const memory = await memoryOf(by, query)
      const { scope, name } = done(await memory.delete(param("name"), query.scope))
      return { deleted: { scope, name } }
    },
  }),
  route({
    method: "get",
    path: "/v1/memory-proposals",
    summary: "Changes of memory that wait for a person, with who asked for them and why they wait",
    query: z.object(Where),
    answer: z.object({ proposals: z.array(Proposal) }),
    async handle({ query, ...by }) {
      return { proposals: await (await memoryOf(by, query)).proposals() }
    },
  }),
  route({
    method: "post",
    path: "/v1/memory-proposals/:id",
    summary: "Say yes or no to one; what cannot be done still waits",
    body: z.strictObject({ ...Where, accept: z.boolean() }),
    answer: z.object({ proposal: Proposal }),
    async handle({ body, param, ...by }) {
      const memory = await memoryOf(by, body)
      return { proposal: done(await memory.decide(param("id"), body.accept)) }
    },
  }),
]

type By = Pick<Asked, "host" | "caller">

/** The caller's own notes, and those of the project. */
async function memoryOf(by: By, where: Parameters<typeof rootOf>[1]): Promise<Memory> {
  return by.host.equipment.memories.of(await rootOf(by, where), ownerOf(by.caller))
}

async function known(by: By, query: z.output<typeof Named>): Promise<KnownMemory[]> {
  const all = await (await memoryOf(by, query)).list()
  return all.filter(({ entry }) => query.scope === undefined || entry.scope === query.scope)
}

function listed({ entry, trusted, path }: KnownMemory): z.output<typeof Listed> {
  const { scope, name, description, type, author, updated_at } = entry
  return { scope, name, description, type, author, updated_at, trusted, path }
}

const CODES = { missing: "not_found", choose: "conflict", refused: "invalid" } as const

function done<Value>(answer: MemoryAnswer<Value>): Value {
  if (answer.type === "done") return answer.value
  throw new Refusal(CODES[answer.type], answer.message)
}
