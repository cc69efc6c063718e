import { AnyPartData } from "compositor-core/parts/read-part"
import { z } from "zod"
import { MAX_NODES } from "compositor-core/compose/composer-input"
import { MAX_PARTS, MAX_TEXT_CHARACTERS } from "compositor-core/message/limits"
import type { Draft } from "compositor-engine/store/store"
import { DoorError } from "../errors.ts"
import { type Route, route } from "../route.ts"
import { Inserts, Literals } from "../schemas.ts"

/** What is being composed: the source with what was recognised in it, and what is attached. */
const DraftBody = z.strictObject({
  source: z.string().max(MAX_TEXT_CHARACTERS),
  nodes: z.array(z.looseObject({})).max(MAX_NODES).optional(),
  inserts: Inserts,
  literals: Literals,
  attachments: z.array(AnyPartData).max(MAX_PARTS).optional(),
})
const ShownDraft = z.object({
  revision: z.int(),
  draft: DraftBody.nullable(),
  updated_by: z.string().nullable(),
  updated_at: z.int().nullable(),
})

export const draftRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions/:id/draft",
    summary: "The session's draft, the same on every surface",
    answer: ShownDraft,
    async handle({ host, param }) {
      return shown(await host.store.draft(param("id")))
    },
  }),
  route({
    method: "put",
    path: "/v1/sessions/:id/draft",
    summary:
      "Overwrite the draft; one begun from an older revision is stashed and answered with 409",
    body: z.strictObject({
      base_revision: z.int().min(0),
      draft: DraftBody,
      updated_by: z.string().min(1).max(128).default("unknown"),
    }),
    answer: z.object({ revision: z.int(), txid: z.string() }),
    async handle({ host, param, body }) {
      const saved = await host.store.saveDraft({
        session_id: param("id"),
        base_revision: body.base_revision,
        body_json: JSON.stringify(body.draft),
        updated_by: body.updated_by,
      })
      if (saved.type === "saved") return { revision: saved.revision, txid: saved.txid }
      const { revision, updated_by } = saved.current
      const message = `${updated_by} wrote revision ${revision} meanwhile; yours is in the stash`
      throw new DoorError(409, "conflict", message, [
        { path: "/base_revision", message: `the draft is at ${revision}` },
      ])
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/draft/stash",
    summary: "Drafts that lost against another, the newest first",
    answer: z.object({ stash: z.array(z.looseObject({})) }),
    async handle({ host, param }) {
      const stash = await host.store.stashedDrafts(param("id"))
      return {
        stash: stash.map(({ body_json, ...rest }) => ({ ...rest, draft: JSON.parse(body_json) })),
      }
    },
  }),
]

function shown(draft: Draft | null) {
  if (!draft) return { revision: 0, draft: null, updated_by: null, updated_at: null }
  const { revision, body_json, updated_by, updated_at } = draft
  return { revision, draft: JSON.parse(body_json), updated_by, updated_at }
}
