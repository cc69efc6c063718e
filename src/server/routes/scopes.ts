import { z } from "zod"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "../../message/limits.ts"
import { Refusal } from "../../message/refusal.ts"
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
    async handle({ host, param, body }) {
      const session_id = param("id")
      if (!(await host.store.session(session_id)))
        throw new Refusal("not_found", `there is no session ${session_id}`)
      const scope = await host.scopes.mint(session_id, body.path, body.name)
      if ("type" in scope) throw new Refusal("invalid", scope.reason)
      return { scope, part: { type: "directory-ref", ref: { kind: "scope", ...scope } } }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/scopes",
    summary: "The folders that this session may read",
    answer: z.object({ scopes: z.array(Scope) }),
    handle: async ({ host, param }) => ({ scopes: host.scopes.list(param("id")) }),
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id/scopes/:scope",
    summary: "Take a folder back; what was read of it stays read",
    answer: z.object({ scopes: z.array(Scope) }),
    async handle({ host, param }) {
      host.scopes.revoke(param("id"), param("scope"))
      return { scopes: host.scopes.list(param("id")) }
    },
  }),
]
