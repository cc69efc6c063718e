import { partsOfInput } from "compositor-core/compose/bridge"
import { doctor } from "compositor-core/catalog/doctor"
import { exportTo } from "compositor-core/catalog/export"
import { commands, type Pin, trust } from "compositor-core/contract/commands"
import type { CommandsQuery } from "compositor-core/contract/fields"
import { openPart, writePart } from "compositor-core/parts/table"
import { Refusal } from "compositor-core/message/refusal"
import type { EntityRegistry } from "compositor-engine/entities/entity-room"
import type { Integrations } from "compositor-engine/host/integrations"
import type { Workspaces } from "compositor-engine/workspaces/workspaces"
import type { Caller } from "../caller.ts"
import { readSource } from "../read-message-body.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { rootOf, typedIn, type WorkspaceFinder } from "../workspace-root.ts"
import type { PreviewDraft } from "./server.ts"

interface CommandEngine extends WorkspaceFinder {
  readonly entities: Pick<EntityRegistry, "commands" | "vocabulary">
  readonly workspaces: Pick<Workspaces, "catalog" | "complete">
  preview: PreviewDraft
}

export function commandRoutes(engine: CommandEngine): ServedRoute[] {
  return serveRoutes(commands, {
    async listCommands({ caller, query }) {
      const catalog = await engine.entities.commands(await typedIn(engine, caller, query))
      return { commands: catalog.list(), hidden: catalog.hidden() }
    },
    async checkCommands({ caller, query }) {
      const catalog = await engine.workspaces.catalog(await rootOf(engine, caller, query))
      return { findings: doctor(catalog) }
    },
    async exportCommands({ caller, query }) {
      const catalog = await engine.workspaces.catalog(await rootOf(engine, caller, query))
      return exportTo(
        query.to,
        catalog.list().map(({ command }) => command),
      )
    },
    async parseSource({ caller, body }) {
      const vocabulary = await engine.entities.vocabulary(await typedIn(engine, caller, body))
      const { input, warnings } = readSource(body, vocabulary)
      const { source, nodes = [] } = input
      return { source, nodes, parts: partsOfInput(input, vocabulary), warnings }
    },
    complete: ({ caller, query }) => completionsAt(engine, caller, query),
    completeLong: ({ caller, body }) => completionsAt(engine, caller, body),
    async expandSource({ caller, body }) {
      const at = await typedIn(engine, caller, body)
      const vocabulary = await engine.entities.vocabulary(at)
      const { input, warnings } = readSource(body, vocabulary)
      const { approved_shell, session: session_id } = body
      const parts = partsOfInput(input, vocabulary).map(openPart)
      const resolved = await engine.preview(at.workspace_root, {
        session_id,
        parts,
        approved_shell,
      })
      return {
        parts: resolved.parts.map(({ part }) => writePart(part)),
        actions: resolved.actions.map(({ action }) => action),
        shown: resolved.shown,
        warnings: [...warnings, ...resolved.notices],
      }
    },
  })
}

interface CompletionRequest extends CommandsQuery {
  readonly source: string
  readonly cursor?: number | undefined
  readonly limit: number
}

async function completionsAt(engine: CommandEngine, caller: Caller, request: CompletionRequest) {
  const { source, cursor = source.length, limit } = request
  const at = await typedIn(engine, caller, request)
  const catalog = await engine.entities.commands(at)
  const query = { source, cursor: Math.min(cursor, source.length), limit }
  return engine.workspaces.complete(at.workspace_root, query, catalog)
}

interface TrustEngine extends WorkspaceFinder {
  readonly workspaces: Pick<Workspaces, "trust" | "refresh">
  readonly equipment: { readonly turns: InstructionReader }
}

type InstructionReader = Pick<Integrations["turns"], "instructions">

export function trustRoutes(engine: TrustEngine): ServedRoute[] {
  const { turns } = engine.equipment
  return serveRoutes(trust, {
    async listInstructions({ caller, query }) {
      const workspace = await rootOf(engine, caller, query)
      return { workspace, files: await instructionFiles(turns, workspace) }
    },
    async trustFiles({ caller, body }) {
      const root = await rootOf(engine, caller, body)
      const { trust: pinned } = engine.workspaces
      const named = body.path === undefined ? [] : [{ path: body.path, digest: body.digest }]
      const given = [...named, ...(body.files ?? [])]
      // Nothing named: all the instructions of the workspace, as they are now.
      const files = given.length > 0 ? given : await instructionFiles(turns, root)
      const pins: Pin[] = []
      for (const { path, digest } of files) {
        if (!body.trusted) await pinned.untrust(path)
        const answer = body.trusted ? await pinned.trust(path, digest) : undefined
        if (answer?.type === "refused") throw new Refusal("invalid", answer.reason)
        if (answer) pins.push(answer.pin)
      }
      if (root !== null) await engine.workspaces.refresh(root)
      return { trusted: body.trusted, pin: pins[0] ?? null, pins }
    },
  })
}

async function instructionFiles(turns: InstructionReader, workspace_root: string | null) {
  const files = await turns.instructions({ workspace_root })
  return files.map(({ path, digest, trusted, text }) => ({ path, digest, trusted, text }))
}
