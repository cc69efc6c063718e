import { z } from "zod"
import { MAX_PATH_CHARACTERS } from "compositor-core/message/limits"
import {
  AuditEntry,
  OPERATOR,
  Principal,
  PrincipalId,
  PrincipalLimits,
  PrincipalToken,
} from "compositor-core/message/principal"
import { noteNamed } from "../guard.ts"
import { type Route, route } from "../route.ts"

const MAX_NAME = 200
const MAX_WORKSPACES = 100
const Name = z.string().min(1).max(MAX_NAME)

/** Those who share this server. All of it is the operator's. */
export const principalRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/principals",
    summary: "The people and projects that share this server",
    answer: z.object({ principals: z.array(Principal) }),
    async handle({ host }) {
      return { principals: await host.principals.list() }
    },
  }),
  route({
    method: "post",
    path: "/v1/principals",
    summary: "Let a person or a project share this server",
    body: z.strictObject({
      id: PrincipalId,
      name: Name.optional(),
      workspaces: z.array(z.string().min(1).max(MAX_PATH_CHARACTERS)).max(MAX_WORKSPACES),
      limits: PrincipalLimits.optional(),
    }),
    answer: z.object({ principal: Principal }),
    status: 201,
    async handle({ host, body, context }) {
      noteNamed(context, body.id)
      return { principal: await host.principals.add(body) }
    },
  }),
  route({
    method: "get",
    path: "/v1/principals/:principal",
    summary: "One of them",
    answer: z.object({ principal: Principal }),
    async handle({ host, param }) {
      return { principal: await host.principals.get(param("principal")) }
    },
  }),
  route({
    method: "delete",
    path: "/v1/principals/:principal",
    summary: "Let it in no more; what it made stays with the operator",
    answer: z.object({ principal: Principal }),
    async handle({ host, param }) {
      return { principal: await host.principals.revoke(param("principal")) }
    },
  }),
  route({
    method: "get",
    path: "/v1/principals/:principal/tokens",
    summary: "Its tokens, without what they say",
    answer: z.object({ tokens: z.array(PrincipalToken) }),
    async handle({ host, param }) {
      return { tokens: await host.principals.tokens(param("principal")) }
    },
  }),
  route({
    method: "post",
    path: "/v1/principals/:principal/tokens",
    summary: "A new token; what it says is told once, here",
    body: z.strictObject({ name: Name.default("token"), expires_at: z.int().min(0).optional() }),
    answer: z.object({ token: PrincipalToken, secret: z.string() }),
    status: 201,
    async handle({ host, param, body }) {
      const { name, expires_at = null } = body
      return host.principals.addToken(param("principal"), { name, expires_at })
    },
  }),
  route({
    method: "delete",
    path: "/v1/principals/:principal/tokens/:token",
    summary: "Let nobody in by this token any more",
    answer: z.object({ token: PrincipalToken }),
    async handle({ host, param }) {
      return { token: await host.principals.revokeToken(param("principal"), param("token")) }
    },
  }),
  route({
    method: "get",
    path: "/v1/audit",
    summary: "Who asked for what, the newest first",
    query: z.object({
      principal: z.union([PrincipalId, z.literal(OPERATOR)]).optional(),
      since: z.coerce.number().int().min(0).optional(),
      before: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
    answer: z.object({
      entries: z.array(AuditEntry.extend({ id: z.int() })),
      next: z.int().nullable(),
    }),
    async handle({ host, query }) {
      const found = await host.audit.list({ ...query, limit: query.limit + 1 })
      const entries = found.slice(0, query.limit)
      return { entries, next: found.length > query.limit ? (entries.at(-1)?.id ?? null) : null }
    },
  }),
]
