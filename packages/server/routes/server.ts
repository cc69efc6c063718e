import { lowering } from "compositor-core/contract/lowering"
import { server } from "compositor-core/contract/server"
import type { ModelChoice } from "compositor-core/message/message"
import { writePart } from "compositor-core/parts/table"
import type { EntityRegistry } from "compositor-engine/entities/entity-room"
import { type ExportDependencies, exportLines } from "compositor-engine/inspect/export"
import { type ImportDependencies, importLines } from "compositor-engine/inspect/import"
import { type InspectDependencies, inspectMessage } from "compositor-engine/inspect/inspect"
import type { AskedDraft } from "compositor-engine/reports/dry-runs"
import type { DryRun } from "compositor-core/contract/lowering"
import type { Resolved, Unresolved } from "compositor-engine/submit/resolve"
import { MAX_UPLOAD_BYTES } from "compositor-engine/uploads/upload"
import { type Caller, workspaceOf } from "../caller.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { notFoundError } from "../ownership.ts"
import { readMessageBody } from "../read-message-body.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { streamOf } from "../stream-of.ts"
import { VERSION } from "../version.ts"
import { existing, type WorkspaceFinder } from "../workspace-root.ts"

/** What a draft would come to, commands and all, before it is sent. */
export type PreviewDraft = (
  workspace_root: string | null,
  draft: Unresolved & { readonly session_id?: string | undefined },
) => Promise<Resolved>

interface LoweringEngine extends WorkspaceFinder {
  readonly store: WorkspaceFinder["store"] & InspectDependencies["store"]
  readonly entities: Pick<EntityRegistry, "vocabulary">
  preview: PreviewDraft
  lower(draft: AskedDraft): Promise<DryRun>
}

export function loweringRoutes(engine: LoweringEngine): ServedRoute[] {
  return serveRoutes(lowering, {
    async lowerDraft({ caller, body }) {
      const session = body.session_id ? await existing(engine.store, body.session_id) : undefined
      const root =
        body.workspace_root ?? session?.workspace_root ?? workspaceOf(caller, engine.workspace)
      const workspace_root = body.workspace_root === null ? null : root
      const at = { session_id: session?.id ?? null, workspace_root, agent: session?.agent }
      const said = await readMessageBody(engine.entities, at, body.message)
      const { parts, notices } = await engine.preview(workspace_root, {
        ...body,
        parts: said.parts,
      })
      const lowered = await engine.lower({
        parts: parts.map(({ part }) => part),
        model: body.model ?? (body.api === undefined ? session?.model : undefined),
        api: body.api,
        workspace_root,
        policy: body.policy,
        session_id: session?.id,
        with_body: body.with_body,
      })
      const warnings = [...said.warnings, ...notices]
      return { ...lowered, parts: parts.map(({ part }) => writePart(part)), warnings }
    },
    async inspectMessage({ param, query }) {
      return inspectMessage(engine, param("id"), query.message)
    },
  })
}

interface ServerEngine extends Located {
  readonly default_model: ModelChoice
  readonly files: { readonly inline_bytes: number }
  readonly store: WorkspaceFinder["store"] &
    ExportDependencies["store"] &
    ImportDependencies["store"]
  readonly blobs: ExportDependencies["blobs"] & ImportDependencies["blobs"]
  vacuum(): Promise<void>
}

/** Where the server keeps its data, and where it works. */
interface Located {
  readonly data: string
  readonly workspace: string | null
}

export function serverRoutes(engine: ServerEngine): ServedRoute[] {
  return serveRoutes(server, {
    async getInfo({ caller }) {
      return {
        version: VERSION,
        ...locationFor(caller, engine),
        default_model: engine.default_model,
        limits: {
          inline_attachment_bytes: engine.files.inline_bytes,
          max_upload_bytes: MAX_UPLOAD_BYTES,
        },
      }
    },
    async exportFolder({ caller, query }) {
      if (query.session !== undefined) await existing(engine.store, query.session)
      else if (caller.type === "principal") throw notFoundError()
      const lines = exportLines(engine, {
        session_id: query.session ?? null,
        blobs: query.blobs ?? true,
      })
      return new Response(streamOf(encoded(lines)), {
        headers: { ...ANSWER_HEADERS, "content-type": "application/x-ndjson" },
      })
    },
    async importFolder({ context }) {
      return importLines(engine, context.req.raw.body ?? new ReadableStream<Uint8Array>())
    },
    async vacuum() {
      await engine.vacuum()
      return { ok: true }
    },
  })
}

/** Where the server keeps things is the operator's business; whoever shares it is told where it may work. */
function locationFor(caller: Caller, { data, workspace }: Located) {
  if (caller.type === "operator") return { data, workspace, pid: process.pid }
  const { id: principal, workspaces } = caller.principal
  return { principal, workspaces, workspace: workspaceOf(caller, null) }
}

async function* encoded(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`)
}
