import { KnownPart } from "compositor-core/parts/read-part"
import { Hono } from "hono"
import type { Host } from "compositor-engine/host/host"
import { audited } from "./audit.ts"
import type { Log } from "compositor-engine/telemetry/log"
import { type DoorRules, door } from "./door.ts"
import { answerError, DoorError } from "./errors.ts"
import { type Health, mountHealth } from "./health.ts"
import { type Limits, limitRequests } from "./limits.ts"
import { observeRequests } from "./metrics-requests.ts"
import { guard } from "./guard.ts"
import { mount, openapi } from "./route.ts"
import { agentRoutes } from "./routes/agents.ts"
import { blobRoutes } from "./routes/blobs.ts"
import { commandRoutes } from "./routes/commands.ts"
import { mountDocs } from "./routes/docs.ts"
import { draftRoutes } from "./routes/drafts.ts"
import { mountElectric } from "./routes/electric.ts"
import { entityRoutes } from "./routes/entities.ts"
import { fileRoutes } from "./routes/files.ts"
import { folderRoutes } from "./routes/folder.ts"
import { givenServerRoutes } from "./routes/given-servers.ts"
import { mcpRoutes } from "./routes/mcp.ts"
import { memoryRoutes } from "./routes/memory.ts"
import { messageRoutes } from "./routes/messages.ts"
import { modelRoutes } from "./routes/models.ts"
import { principalRoutes } from "./routes/principals.ts"
import { scopeRoutes } from "./routes/scopes.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { sidecarRoutes } from "./routes/sidecars.ts"
import { triggerRoutes } from "./routes/triggers.ts"
import { folderEventRoute, turnRoutes } from "./routes/turns.ts"
import { serveStream } from "./streams/streams.ts"
import { page } from "./static.ts"
import { VERSION } from "./version.ts"

export const ROUTES = [
  ...folderRoutes,
  ...modelRoutes,
  ...sessionRoutes,
  ...sidecarRoutes,
  ...messageRoutes,
  ...draftRoutes,
  ...commandRoutes,
  ...turnRoutes,
  folderEventRoute,
  ...blobRoutes,
  ...entityRoutes,
  ...memoryRoutes,
  ...triggerRoutes,
  ...mcpRoutes,
  ...givenServerRoutes,
  ...agentRoutes,
  ...scopeRoutes,
  ...principalRoutes,
  ...fileRoutes,
]

export interface AppOptions {
  /** Who may come in. Null only in process, where whoever calls is already inside. */
  readonly rules: DoorRules | null
  readonly log?: (message: string) => void
  /** What watches a server, and holds whoever asks to its limits. */
  readonly operations?: Operations
}

export interface Operations extends Health {
  readonly log: Log
  readonly limits: Limits
}

/** The server without a socket: its `fetch` answers over the network and in process alike. */
export function createApp(host: Host, options: AppOptions): Hono {
  const app = new Hono()
  const log = options.log ?? (() => undefined)
  app.onError((error, context) => answerError(error, context, log))
  app.notFound((context) => {
    const error = new DoorError(404, "not_found", `there is nothing at ${context.req.path}`)
    return answerError(error, context, log)
  })
  if (options.operations) {
    mountHealth(app, options.operations)
    app.use(observeRequests(options.operations.metrics, options.operations.log))
  }
  if (options.rules) app.use(door(options.rules, host.principals))
  if (options.operations)
    app.use(limitRequests(options.operations.limits, options.operations.metrics))
  app.use(audited(host), guard(host))
  mount(app, host, ROUTES)
  mountElectric(app, host, log)
  app.all("/v1/stream/*", (context) => serveStream(host, context))
  app.get("/openapi.json", (context) => context.json(openapi(ROUTES, VERSION, KnownPart)))
  mountDocs(app)
  app.get("*", page)
  return app
}
