import type { CommandsQuery } from "compositor-core/contract/fields"
import type { NewPrincipal } from "compositor-core/contract/principals"
import type { NewTrigger } from "compositor-core/contract/triggers"
import type { Ask, BodyOf, QueryOf } from "./ask.ts"

/** What a server has beside sessions: memory, triggers, servers, agents and those who share it. */
export function settingsCalls(json: Ask) {
  return {
    memory: {
      list: (query: QueryOf<"GET /v1/memory"> = {}) => json("GET /v1/memory", [], { query }),
      get: (name: string, query: QueryOf<"GET /v1/memory/:name"> = {}) =>
        json("GET /v1/memory/:name", [name], { query }),
      write: (name: string, body: BodyOf<"PUT /v1/memory/:name">) =>
        json("PUT /v1/memory/:name", [name], { body }),
      remove: (name: string, query: QueryOf<"DELETE /v1/memory/:name"> = {}) =>
        json("DELETE /v1/memory/:name", [name], { query }),
      proposals: (query: CommandsQuery = {}) => json("GET /v1/memory-proposals", [], { query }),
      decide: (id: string, body: BodyOf<"POST /v1/memory-proposals/:id">) =>
        json("POST /v1/memory-proposals/:id", [id], { body }),
    },
    triggers: {
      list: (query: { session?: string } = {}) => json("GET /v1/triggers", [], { query }),
      /** The key of a webhook is told here and nowhere else. */
      add: (body: NewTrigger) => json("POST /v1/triggers", [], { body }),
      get: (id: string) => json("GET /v1/triggers/:trigger", [id]),
      remove: (id: string) => json("DELETE /v1/triggers/:trigger", [id]),
      switch: (id: string, enabled: boolean) =>
        json("PATCH /v1/triggers/:trigger", [id], { body: { enabled } }),
      fire: (id: string, body: BodyOf<"POST /v1/triggers/:trigger/fire"> = {}) =>
        json("POST /v1/triggers/:trigger/fire", [id], { body }),
    },
    /** Those who share the server; the operator's alone. */
    principals: {
      list: () => json("GET /v1/principals"),
      add: (body: NewPrincipal) => json("POST /v1/principals", [], { body }),
      revoke: (id: string) => json("DELETE /v1/principals/:principal", [id]),
      tokens: (id: string) => json("GET /v1/principals/:principal/tokens", [id]),
      /** What the token says is told here and nowhere else. */
      addToken: (id: string, body: BodyOf<"POST /v1/principals/:principal/tokens"> = {}) =>
        json("POST /v1/principals/:principal/tokens", [id], { body }),
      revokeToken: (id: string, token: string) =>
        json("DELETE /v1/principals/:principal/tokens/:token", [id, token]),
    },
    audit: (query: QueryOf<"GET /v1/audit"> = {}) => json("GET /v1/audit", [], { query }),
    mcp: (query: CommandsQuery = {}) => json("GET /v1/mcp", [], { query }),
    mcpOffers: (server: string, query: CommandsQuery = {}) =>
      json("GET /v1/mcp/:server", [server], { query }),
    /** Let go of a server and start it anew. */
    mcpReconnect: (server: string, body: CommandsQuery = {}) =>
      json("POST /v1/mcp/:server/reconnect", [server], { body }),
    /** Servers for one session, as long as it is open; the operator's alone. */
    sessionServers: {
      give: (session: string, servers: BodyOf<"PUT /v1/sessions/:id/mcp">["servers"]) =>
        json("PUT /v1/sessions/:id/mcp", [session], { body: { servers } }),
      list: (session: string) => json("GET /v1/sessions/:id/mcp", [session]),
      take: (session: string) => json("DELETE /v1/sessions/:id/mcp", [session]),
    },
    agents: (query: CommandsQuery = {}) => json("GET /v1/agents", [], { query }),
  }
}
