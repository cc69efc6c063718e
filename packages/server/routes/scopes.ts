import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "compositor-core/message/limits"
import { Refusal } from "compositor-core/message/refusal"
import { requireWithin } from "../ownership.ts"
import type { Caller } from "../caller.ts"
import { type Route, route } from "../route.ts"

const Scope = z.object({ id: z.string(), name: z.string() })

/** Folders that a person gives to one session, to read. A surface asks for one only where a person
 *  chose it: a folder that was dropped, a picker of the system, `--dir` (CMPH-002). */
export const scopeRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/:id/scopes",
    summary: "Give this session a folder to read; the answer has the part that a message carries",
    body: z.strictObject({
      path: z.string().min(1).max(MAX_PATH_CHARACTERS),
      name: z.string().min(1).max(MAX_NAME_CHARACTERS).optional(),
    }),
    answer: z.object({ scope: Scope, part: z.looseObject({}) }),
    status: 201,
    async handle({ host, caller, param, body }) {
      const session_id = await known(host, param("id"))
      await requireWithin(caller, body.path)
      const scope = await host.scopes.mint(session_id, body.path, body.name)
      if ("type" in scope) throw new Refusal("invalid", scope.reason)
      await requireStillWithin(host, caller, { session_id, scope: scope.id })
      return { scope, part: { type: "directory-ref", ref: { kind: "scope", ...scope } } }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/scopes",
    summary: "The folders that this session may read",
    answer: z.object({ scopes: z.array(Scope) }),
    async handle({ host, param }) {
      return { scopes: host.scopes.list(await known(host, param("id"))) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id/scopes/:scope",
    summary: "Take a folder back; what was read of it stays read",
    answer: z.object({ scopes: z.array(Scope) }),
    async handle({ host, param }) {
      const session_id = await known(host, param("id"))
      const id = param("scope")
      if (!host.scopes.list(session_id).some((scope) => scope.id === id))
        throw new Refusal("not_found", `the session was not given ${id}`)
      host.scopes.revoke(session_id, id)
      return { scopes: host.scopes.list(session_id) }
    },
  }),
]

// A link may have been turned elsewhere between the look and the grant: what was granted counts.
async function requireStillWithin(
  host: Host,
  caller: Caller,
  { session_id, scope }: { readonly session_id: string; readonly scope: string },
) {
  const root = await host.scopes.resolve(session_id, scope)
  await requireWithin(caller, root ?? "").catch((error: unknown) => {
    host.scopes.revoke(session_id, scope)
    throw error
  })
}

async function known(host: Host, session_id: string): Promise<string> {
  if (await host.store.session(session_id)) return session_id
  throw new Refusal("not_found", `there is no session ${session_id}`)
}
