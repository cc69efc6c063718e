import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { MAX_GIVEN_SERVERS, MAX_NAME_CHARACTERS } from "compositor-core/message/limits"
import { Refusal } from "compositor-core/message/refusal"
import type { Session } from "compositor-core/message/row"
import { type Route, route } from "../route.ts"

/** Arguments, variables and headers of all of them. */
const MAX_GIVEN_BYTES = 256 * 1024

const Given = z.strictObject({
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  /** As an entry of `.mcp.json`; one that does not fit is told of, and takes nothing from the others. */
  server: z.looseObject({}),
})
const Status = z.object({ server: z.string(), tools: z.int(), error: z.string().optional() })

/** MCP servers for one session, named by whoever opened it. They start processes here, so they are the
 *  operator's to give; they are never written down. */
export const givenServerRoutes: readonly Route[] = [
  route({
    method: "put",
    path: "/v1/sessions/:id/mcp",
    summary: "Give this session MCP servers of its own, in the place of those it was given before",
    body: z.strictObject({ servers: z.array(Given).max(MAX_GIVEN_SERVERS) }),
    max_bytes: MAX_GIVEN_BYTES,
    answer: z.object({ given: z.int() }),
    async handle({ host, param, body }) {
      const { id, workspace_root } = await known(host, param("id"))
      await host.equipment.given.give(id, body.servers, workspace_root)
      return { given: body.servers.length }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/mcp",
    summary: "The MCP servers that this session was given: what each offers, or why it does not",
    answer: z.object({ servers: z.array(Status) }),
    async handle({ host, param }) {
      const { id } = await known(host, param("id"))
      return { servers: [...(await host.equipment.given.status(id))] }
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id/mcp",
    summary: "Take the session's own MCP servers back, and end them",
    answer: z.object({ given: z.int() }),
    async handle({ host, param }) {
      const { id } = await known(host, param("id"))
      await host.equipment.given.take(id)
      return { given: 0 }
    },
  }),
]

async function known(host: Host, session_id: string): Promise<Session> {
  const session = await host.store.session(session_id)
  if (session) return session
  throw new Refusal("not_found", `there is no session ${session_id}`)
}
