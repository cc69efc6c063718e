import { writePart } from "compositor-core/parts/table"
import { z } from "zod"
import { exportLines } from "compositor-engine/inspect/export"
import { importLines } from "compositor-engine/inspect/import"
import { inspectMessage } from "compositor-engine/inspect/inspect"
import { ModelChoice } from "compositor-core/message/message"
import { Receipt } from "compositor-core/model/receipt"
import { type Host, MAX_UPLOAD_BYTES } from "compositor-engine/host/host"
import { nothing } from "../ownership.ts"
import { type Caller, workspaceOf } from "../caller.ts"
import { composed } from "../read-message-body.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { type Route, route } from "../route.ts"
import { Flag, LowerBody } from "../schemas.ts"
import { streamOf } from "../stream-of.ts"
import { VERSION } from "../version.ts"
import { existing } from "./sessions.ts"

export const folderRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/info",
    summary: "What this server is and where it keeps things",
    answer: z.looseObject({ version: z.string(), default_model: ModelChoice }),
    async handle({ host, caller }) {
      return {
        version: VERSION,
        ...housed(host, caller),
        default_model: host.default_model,
        limits: {
          inline_attachment_bytes: host.files.inline_bytes,
          max_upload_bytes: MAX_UPLOAD_BYTES,
        },
      }
    },
  }),
  route({
    method: "post",
    path: "/v1/lower",
    summary: "What a model would be sent, and what would become of each part; nothing is kept",
    body: LowerBody,
    answer: z.looseObject({ body: z.unknown(), receipts: z.array(Receipt) }),
    async handle({ host, caller, body }) {
      const session = body.session_id ? await existing(host, body.session_id) : undefined
      const root =
        body.workspace_root ?? session?.workspace_root ?? workspaceOf(caller, host.workspace)
      const workspace_root = body.workspace_root === null ? null : root
      const at = { session_id: session?.id ?? null, workspace_root, agent: session?.agent }
      const said = await composed(host, at, body.message)
      const { parts, notices } = await host.preview(workspace_root, { ...body, parts: said.parts })
      const lowered = await host.lower({
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
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/inspect",
    summary: "Every stage of one message, or of the session's last one",
    query: z.object({ message: z.string().max(64).optional() }),
    answer: z.looseObject({}),
    async handle({ host, param, query }) {
      return inspectMessage(host, param("id"), query.message)
    },
  }),
  route({
    method: "get",
    path: "/v1/export",
    summary: "The folder, or one session, as JSON lines",
    query: z.object({ session: z.string().max(64).optional(), blobs: Flag.optional() }),
    async handle({ host, caller, query }) {
      if (query.session !== undefined) await existing(host, query.session)
      else if (caller.type === "principal") throw nothing()
      const lines = exportLines(host, {
        session_id: query.session ?? null,
        blobs: query.blobs ?? true,
      })
      return new Response(streamOf(encoded(lines)), {
        headers: { ...ANSWER_HEADERS, "content-type": "application/x-ndjson" },
      })
    },
  }),
  route({
    method: "post",
    path: "/v1/import",
    summary: "Write exported JSON lines into this folder; all or nothing",
    answer: z.object({
      rows: z.int(),
      blobs: z.int(),
      held: z.array(z.string()),
      renamed: z.array(z.string()),
    }),
    async handle({ host, context }) {
      return importLines(host, context.req.raw.body ?? new ReadableStream<Uint8Array>())
    },
  }),
  route({
    method: "post",
    path: "/v1/vacuum",
    summary: "Give back the space of what was deleted",
    answer: z.object({ ok: z.literal(true) }),
    async handle({ host }) {
      await host.vacuum()
      return { ok: true }
    },
  }),
]

/** Where the house stands is the operator's business; whoever shares it is told where it may work. */
function housed(host: Host, caller: Caller) {
  if (caller.type === "operator")
    return { data: host.data, workspace: host.workspace, pid: process.pid }
  const { id: principal, workspaces } = caller.principal
  return { principal, workspaces, workspace: workspaceOf(caller, null) }
}

async function* encoded(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`)
}
