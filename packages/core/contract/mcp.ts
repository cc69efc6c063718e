import { z } from "zod"
import { MAX_SESSION_SERVERS, MAX_NAME_CHARACTERS } from "../message/limits.ts"
import { CommandsQuery } from "./fields.ts"
import { route } from "./route.ts"

/** Arguments, variables and headers of all servers that one request gives. */
const MAX_GIVEN_BYTES = 256 * 1024

/** A server as it is listed: from which file, and what it offers or why it offers nothing. */
export const ListedServer = z.object({
  server: z.string(),
  path: z.string(),
  scope: z.enum(["user", "project"]),
  digest: z.string(),
  trusted: z.boolean(),
  disabled: z.boolean().optional(),
  tools: z.int().optional(),
  prompts: z.int().optional(),
  resources: z.int().optional(),
  error: z.string().optional(),
})
export type ListedServer = z.infer<typeof ListedServer>

const Offered = z.object({ name: z.string(), description: z.string().optional() })

/** What one MCP server offers. */
export const ServerOffers = z.object({
  tools: z.array(Offered),
  prompts: z.array(Offered),
  resources: z.array(Offered.extend({ uri: z.string() })),
})
export type ServerOffers = z.infer<typeof ServerOffers>

const GivenServer = z.strictObject({
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  /** As an entry of `.mcp.json`; one that does not fit is told of, and takes nothing from the others. */
  server: z.looseObject({}),
})

export const GivenServerStatus = z.object({
  server: z.string(),
  tools: z.int(),
  /** Why it cannot be used. */
  error: z.string().optional(),
})
export type GivenServerStatus = z.infer<typeof GivenServerStatus>

const errors = { 409: "The server cannot be reached" }

export const mcp = {
  listServers: route("GET /v1/mcp", {
    about: "The MCP servers of a workspace: what they offer, or why they offer nothing",
    query: z.object(CommandsQuery),
    answer: z.object({ servers: z.array(ListedServer) }),
  }),
  getServerOffers: route("GET /v1/mcp/:server", {
    about: "What one MCP server offers: tools, prompts and resources, by name",
    query: z.object(CommandsQuery),
    answer: ServerOffers,
    errors,
  }),
  reconnectServer: route("POST /v1/mcp/:server/reconnect", {
    about: "Let go of an MCP server, and start it anew",
    body: z.strictObject(CommandsQuery),
    answer: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
    errors,
  }),
}

/** MCP servers for one session, named by whoever opened it. They start processes here, so they are the
 *  operator's to give; they are never written down. */
export const sessionServers = {
  giveServers: route("PUT /v1/sessions/:id/mcp", {
    about: "Give this session MCP servers of its own, in the place of those it was given before",
    body: z.strictObject({ servers: z.array(GivenServer).max(MAX_SESSION_SERVERS) }),
    max_bytes: MAX_GIVEN_BYTES,
    answer: z.object({ given: z.int() }),
  }),
  listGivenServers: route("GET /v1/sessions/:id/mcp", {
    about: "The MCP servers that this session was given: what each offers, or why it does not",
    answer: z.object({ servers: z.array(GivenServerStatus) }),
  }),
  takeServers: route("DELETE /v1/sessions/:id/mcp", {
    about: "Take the session's own MCP servers back, and end them",
    answer: z.object({ given: z.int() }),
  }),
}
