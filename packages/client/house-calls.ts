import type {
  AuditEntry,
  Principal,
  PrincipalLimits,
  PrincipalToken,
} from "compositor-core/message/principal"
import type { Where } from "./answers.ts"

type Scope = "user" | "project"

/** A change of memory that waits for a person. */
export interface MemoryProposal
  extends Pick<ListedMemory, "scope" | "name" | "description" | "type" | "author"> {
  readonly id: string
  readonly action: "write" | "delete"
  readonly body: string
  readonly reason: string
  readonly proposed_at: number
}

export interface ListedMemory {
  readonly scope: Scope
  readonly name: string
  readonly description: string
  readonly type: string
  readonly author: {
    readonly by: string
    readonly session_id?: string
    readonly message_id?: string
    readonly via?: string
  }
  readonly updated_at: number
  /** It came with the repository, and no session is told of it before somebody says yes. */
  readonly trusted: boolean
  readonly path: string
}

export interface ListedTrigger {
  readonly id: string
  readonly session_id: string
  readonly source: { readonly source: string } & Readonly<Record<string, unknown>>
  readonly prompt: string
  readonly reason?: string
  readonly enabled: boolean
  readonly next_fire_at: number | null
  readonly fired_at: number | null
}

export interface NewTrigger {
  readonly session_id: string
  readonly source: { readonly source: string } & Readonly<Record<string, unknown>>
  readonly prompt: string
  readonly reason?: string
  readonly throttle?: { readonly count: number; readonly per_ms: number }
}

export interface ListedServer {
  readonly server: string
  readonly path: string
  readonly scope: Scope
  readonly digest: string
  readonly trusted: boolean
  readonly disabled?: boolean
  readonly tools?: number
  readonly prompts?: number
  readonly resources?: number
  readonly error?: string
}

interface Offered {
  readonly name: string
  readonly description?: string
}
/** What one MCP server offers. */
export interface ServerOffers {
  readonly tools: readonly Offered[]
  readonly prompts: readonly Offered[]
  readonly resources: readonly (Offered & { readonly uri: string })[]
}

export interface ListedAgent {
  readonly type: string
  readonly description?: string
  readonly scope: string
  readonly trusted: boolean
  readonly path?: string
  readonly digest?: string
  readonly model?: { readonly provider_id: string; readonly model_id: string }
  readonly prompt?: string
  readonly tools?: "all" | readonly string[]
  readonly skills?: "all" | readonly string[]
  readonly faults?: readonly string[]
}

export interface NewPrincipal {
  readonly id: string
  readonly name?: string
  readonly workspaces: readonly string[]
  readonly limits?: PrincipalLimits
}

export interface ListedAudit extends AuditEntry {
  readonly id: number
}

type AuditQuery = { principal?: string; since?: string; before?: string; limit?: string }

type Request = {
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}
type Json = <T>(method: string, path: string, request?: Request) => Promise<T>

/** What a house has beside sessions: memory, triggers, servers and agents. */
export function houseCalls(json: Json) {
  const at = (kind: string, ...steps: string[]) =>
    [`/v1/${kind}`, ...steps.map(encodeURIComponent)].join("/")
  return {
    memory: {
      list: (query: Where & { scope?: Scope } = {}) =>
        json<{ memories: readonly ListedMemory[] }>("GET", at("memory"), { query }),
      get: (name: string, query: Where & { scope?: Scope } = {}) =>
        json<{ memory: ListedMemory & { readonly body: string } }>("GET", at("memory", name), {
          query,
        }),
      write: (
        name: string,
        body: Where & { scope: Scope; body: string; description?: string; type?: string },
      ) => json<{ memory: { readonly name: string } }>("PUT", at("memory", name), { body }),
      remove: (name: string, query: Where & { scope?: Scope } = {}) =>
        json<{ deleted: { readonly scope: Scope; readonly name: string } }>(
          "DELETE",
          at("memory", name),
          { query },
        ),
      proposals: (query: Where = {}) =>
        json<{ proposals: readonly MemoryProposal[] }>("GET", at("memory-proposals"), { query }),
      decide: (id: string, body: Where & { accept: boolean }) =>
        json<{ proposal: MemoryProposal }>("POST", at("memory-proposals", id), { body }),
    },
    triggers: {
      list: (query: { session?: string } = {}) =>
        json<{ triggers: readonly ListedTrigger[] }>("GET", at("triggers"), { query }),
      /** The key of a webhook is told here and nowhere else. */
      add: (body: NewTrigger) =>
        json<{ trigger: ListedTrigger; key?: Readonly<Record<string, string>> }>(
          "POST",
          at("triggers"),
          { body },
        ),
      get: (id: string) =>
        json<{ trigger: ListedTrigger; deliveries: readonly Readonly<Record<string, unknown>>[] }>(
          "GET",
          at("triggers", id),
        ),
      remove: (id: string) => json<{ removed: true }>("DELETE", at("triggers", id)),
      switch: (id: string, enabled: boolean) =>
        json<{ trigger: ListedTrigger }>("PATCH", at("triggers", id), { body: { enabled } }),
      fire: (id: string, body: { payload?: unknown; delivery_id?: string } = {}) =>
        json<{ status: string; message_id: string }>("POST", at("triggers", id, "fire"), { body }),
    },
    /** Those who share the server; the operator's alone. */
    principals: {
      list: () => json<{ principals: readonly Principal[] }>("GET", at("principals")),
      add: (body: NewPrincipal) =>
        json<{ principal: Principal }>("POST", at("principals"), { body }),
      revoke: (id: string) => json<{ principal: Principal }>("DELETE", at("principals", id)),
      tokens: (id: string) =>
        json<{ tokens: readonly PrincipalToken[] }>("GET", at("principals", id, "tokens")),
      /** What the token says is told here and nowhere else. */
      addToken: (id: string, body: { name?: string; expires_at?: number } = {}) =>
        json<{ token: PrincipalToken; secret: string }>("POST", at("principals", id, "tokens"), {
          body,
        }),
      revokeToken: (id: string, token: string) =>
        json<{ token: PrincipalToken }>("DELETE", at("principals", id, "tokens", token)),
    },
    audit: (query: AuditQuery = {}) =>
      json<{ entries: readonly ListedAudit[]; next: number | null }>("GET", at("audit"), { query }),
    mcp: (query: Where = {}) =>
      json<{ servers: readonly ListedServer[] }>("GET", at("mcp"), { query }),
    mcpOffers: (server: string, query: Where = {}) =>
      json<ServerOffers>("GET", at("mcp", server), { query }),
    /** Let go of a server and start it anew. */
    mcpReconnect: (server: string, body: Where = {}) =>
      json<{ tools: number; prompts: number; resources: number }>(
        "POST",
        at("mcp", server, "reconnect"),
        { body },
      ),
    /** Servers for one session, as long as it is open; the operator's alone. */
    sessionServers: {
      give: (
        session: string,
        servers: readonly { name: string; server: Readonly<Record<string, unknown>> }[],
      ) => json<{ given: number }>("PUT", at("sessions", session, "mcp"), { body: { servers } }),
      list: (session: string) =>
        json<{ servers: readonly { server: string; tools: number; error?: string }[] }>(
          "GET",
          at("sessions", session, "mcp"),
        ),
      take: (session: string) => json<{ given: number }>("DELETE", at("sessions", session, "mcp")),
    },
    agents: (query: Where = {}) =>
      json<{ agents: readonly ListedAgent[] }>("GET", at("agents"), { query }),
  }
}
