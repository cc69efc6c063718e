import { agents } from "./agents.ts"
import { commands, trust } from "./commands.ts"
import { entities } from "./entities.ts"
import { blobs, files } from "./files.ts"
import { lowering } from "./lowering.ts"
import { mcp, sessionServers } from "./mcp.ts"
import { memory } from "./memory.ts"
import { drafts, messages } from "./messages.ts"
import { models } from "./models.ts"
import { principals } from "./principals.ts"
import { server } from "./server.ts"
import { folders, sessions, sidecars } from "./sessions.ts"
import { triggers } from "./triggers.ts"
import { calls, turns } from "./turns.ts"

/** Every route of the server, by the name of its operation. */
type Contract = typeof server &
  typeof lowering &
  typeof models &
  typeof sessions &
  typeof sidecars &
  typeof folders &
  typeof messages &
  typeof drafts &
  typeof commands &
  typeof trust &
  typeof turns &
  typeof calls &
  typeof blobs &
  typeof files &
  typeof entities &
  typeof memory &
  typeof triggers &
  typeof mcp &
  typeof sessionServers &
  typeof agents &
  typeof principals

export const contract: Contract = {
  ...server,
  ...lowering,
  ...models,
  ...sessions,
  ...sidecars,
  ...folders,
  ...messages,
  ...drafts,
  ...commands,
  ...trust,
  ...turns,
  ...calls,
  ...blobs,
  ...files,
  ...entities,
  ...memory,
  ...triggers,
  ...mcp,
  ...sessionServers,
  ...agents,
  ...principals,
}

type Routes = Contract[keyof Contract]

/** Every route by its address: what a client takes its types from. */
export type RoutesByAddress = { readonly [Route in Routes as Route["address"]]: Route }
