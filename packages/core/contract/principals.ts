import { z } from "zod"
import { MAX_PATH_CHARACTERS } from "../message/limits.ts"
import {
  AuditEntry,
  OPERATOR,
  Principal,
  PrincipalId,
  PrincipalLimits,
  PrincipalToken,
} from "../message/principal.ts"
import { route, type SentRequest } from "./route.ts"

const MAX_WORKSPACES = 100
const Name = z.string().min(1).max(200)

const NewPrincipal = z.strictObject({
  id: PrincipalId,
  name: Name.optional(),
  workspaces: z.array(z.string().min(1).max(MAX_PATH_CHARACTERS)).max(MAX_WORKSPACES),
  limits: PrincipalLimits.optional(),
})
export type NewPrincipal = SentRequest<typeof NewPrincipal>

export const ListedAudit = AuditEntry.extend({ id: z.int() })
export type ListedAudit = z.infer<typeof ListedAudit>

const OnePrincipal = z.object({ principal: Principal })

/** Those who share this server. All of it is the operator's. */
export const principals = {
  listPrincipals: route("GET /v1/principals", {
    about: "The people and projects that share this server",
    answer: z.object({ principals: z.array(Principal) }),
  }),
  addPrincipal: route("POST /v1/principals", {
    about: "Let a person or a project share this server",
    body: NewPrincipal,
    answer: OnePrincipal,
    status: 201,
  }),
  getPrincipal: route("GET /v1/principals/:principal", {
    about: "One of them",
    answer: OnePrincipal,
  }),
  revokePrincipal: route("DELETE /v1/principals/:principal", {
    about: "Let it in no more; what it made stays with the operator",
    answer: OnePrincipal,
  }),
  listTokens: route("GET /v1/principals/:principal/tokens", {
    about: "Its tokens, without what they say",
    answer: z.object({ tokens: z.array(PrincipalToken) }),
  }),
  addToken: route("POST /v1/principals/:principal/tokens", {
    about: "A new token; what it says is told once, here",
    body: z.strictObject({ name: Name.default("token"), expires_at: z.int().min(0).optional() }),
    answer: z.object({ token: PrincipalToken, secret: z.string() }),
    status: 201,
  }),
  revokeToken: route("DELETE /v1/principals/:principal/tokens/:token", {
    about: "Let nobody in by this token any more",
    answer: z.object({ token: PrincipalToken }),
  }),
  listAudit: route("GET /v1/audit", {
    about: "Who asked for what, the newest first",
    query: z.object({
      principal: z.union([PrincipalId, z.literal(OPERATOR)]).optional(),
      since: z.coerce.number<number | string>().int().min(0).optional(),
      before: z.coerce.number<number | string>().int().min(0).optional(),
      limit: z.coerce.number<number | string>().int().min(1).max(1000).default(100),
    }),
    answer: z.object({ entries: z.array(ListedAudit), next: z.int().nullable() }),
  }),
}
