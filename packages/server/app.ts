import { Hono } from "hono"
import { contract } from "compositor-core/contract/contract"
import { KnownPart } from "compositor-core/parts/read-part"
import type { Host } from "compositor-engine/host/host"
import type { Log } from "compositor-engine/telemetry/log"
import { auditRequests } from "./audit.ts"
import { conversationRoutes } from "./conversation.ts"
import { type AccessRules, checkAccess } from "./door.ts"
import { answerError, HttpError } from "./errors.ts"
import { guard } from "./guard.ts"
import { type Health, mountHealth } from "./health.ts"
import { type Limits, limitRequests } from "./limits.ts"
import { observeRequests } from "./metrics-requests.ts"
import { openapi } from "./openapi.ts"
import { mountRoutes, routesOf, type ServedRoute } from "./route.ts"
import { agentRoutes } from "./routes/agents.ts"
import { blobRoutes } from "./routes/blobs.ts"
import { commandRoutes, trustRoutes } from "./routes/commands.ts"
import { mountDocs } from "./routes/docs.ts"
import { draftRoutes } from "./routes/drafts.ts"
import { mountElectric } from "./routes/electric.ts"
import { entityRoutes } from "./routes/entities.ts"
import { fileRoutes } from "./routes/files.ts"
import { folderRoutes } from "./routes/folders.ts"
import { sessionServerRoutes } from "./routes/given-servers.ts"
import { mcpRoutes } from "./routes/mcp.ts"
import { memoryRoutes } from "./routes/memory.ts"
import { modelRoutes } from "./routes/models.ts"
import { principalRoutes } from "./routes/principals.ts"
import { loweringRoutes, serverRoutes } from "./routes/server.ts"
import { sidecarRoutes } from "./routes/sidecars.ts"
import { triggerRoutes } from "./routes/triggers.ts"
import { page } from "./static.ts"
import { serveStream } from "./streams/streams.ts"
import { VERSION } from "./version.ts"

export const ROUTES = routesOf(contract)

/** Every route with what it does. Each is given the engine as the few functions that it asks for. */
function allRoutes(engine: Host): ServedRoute[] {
  return [
    ...conversationRoutes(engine),
    ...serverRoutes(engine),
    ...loweringRoutes(engine),
    ...modelRoutes(engine),
    ...sidecarRoutes(engine),
    ...folderRoutes(engine),
    ...draftRoutes(engine),
    ...commandRoutes(engine),
    ...trustRoutes(engine),
    ...blobRoutes(engine),
    ...fileRoutes(engine),
    ...entityRoutes(engine),
    ...memoryRoutes(engine),
    ...triggerRoutes(engine),
    ...mcpRoutes(engine),
    ...sessionServerRoutes(engine),
    ...agentRoutes(engine),
    ...principalRoutes(engine),
  ]
}

export interface AppOptions {
  /** Who may come in. Null only in process, where whoever calls is already inside. */
  readonly rules: AccessRules | null
  readonly log?: (message: string) => void
  /** What watches a server, and holds whoever asks to its limits. */
  readonly operations?: Operations
}

export interface Operations extends Health {
  readonly log: Log
  readonly limits: Limits
}

/** The server without a socket: its `fetch` answers over the network and in process alike. */
export function createApp(engine: Host, options: AppOptions): Hono {
  const app = new Hono()
  const log = options.log ?? (() => undefined)
  app.onError((error, context) => answerError(error, context, log))
  app.notFound((context) => {
    const error = new HttpError(404, "not_found", `there is nothing at ${context.req.path}`)
    return answerError(error, context, log)
  })
  if (options.operations) {
    mountHealth(app, options.operations)
    app.use(observeRequests(options.operations.metrics, options.operations.log))
  }
  if (options.rules) app.use(checkAccess(options.rules, engine.principals))
  if (options.operations)
    app.use(limitRequests(options.operations.limits, options.operations.metrics))
  app.use(auditRequests(engine.audit), guard(engine.owners, engine.principals))
  mountRoutes(app, allRoutes(engine))
  mountElectric(app, engine, log)
  app.all("/v1/stream/*", (context) => serveStream(engine, context))
  app.get("/openapi.json", (context) => context.json(openapi(ROUTES, VERSION, KnownPart)))
  mountDocs(app)
  app.get("*", page)
  return app
}
