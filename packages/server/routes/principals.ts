import { principals } from "compositor-core/contract/principals"
import type { AuditLog } from "compositor-engine/principals/audit-log"
import type { Principals } from "compositor-engine/principals/principals"
import { noteNamed } from "../guard.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"

interface PrincipalEngine {
  readonly principals: Pick<
    Principals,
    "list" | "add" | "get" | "revoke" | "tokens" | "addToken" | "revokeToken"
  >
  readonly audit: Pick<AuditLog, "list">
}

/** Those who share this server. All of it is the operator's. */
export function principalRoutes(engine: PrincipalEngine): ServedRoute[] {
  return serveRoutes(principals, {
    async listPrincipals() {
      return { principals: await engine.principals.list() }
    },
    async addPrincipal({ body, context }) {
      noteNamed(context, body.id)
      return { principal: await engine.principals.add(body) }
    },
    async getPrincipal({ param }) {
      return { principal: await engine.principals.get(param("principal")) }
    },
    async revokePrincipal({ param }) {
      return { principal: await engine.principals.revoke(param("principal")) }
    },
    async listTokens({ param }) {
      return { tokens: await engine.principals.tokens(param("principal")) }
    },
    async addToken({ param, body }) {
      const { name, expires_at = null } = body
      return engine.principals.addToken(param("principal"), { name, expires_at })
    },
    async revokeToken({ param }) {
      return { token: await engine.principals.revokeToken(param("principal"), param("token")) }
    },
    async listAudit({ query }) {
      const found = await engine.audit.list({ ...query, limit: query.limit + 1 })
      const entries = found.slice(0, query.limit)
      return { entries, next: found.length > query.limit ? (entries.at(-1)?.id ?? null) : null }
    },
  })
}
