import { drafts } from "compositor-core/contract/messages"
import type { DraftRecord, Store } from "compositor-engine/store/store"
import { HttpError } from "../errors.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"

interface DraftEngine {
  readonly store: Pick<Store, "draft" | "saveDraft" | "stashedDrafts">
}

export function draftRoutes(engine: DraftEngine): ServedRoute[] {
  return serveRoutes(drafts, {
    async getDraft({ param }) {
      return shown(await engine.store.draft(param("id")))
    },
    async saveDraft({ param, body }) {
      const saved = await engine.store.saveDraft({
        session_id: param("id"),
        base_revision: body.base_revision,
        body_json: JSON.stringify(body.draft),
        updated_by: body.updated_by,
      })
      if (saved.type === "saved") return { revision: saved.revision, txid: saved.txid }
      const { revision, updated_by } = saved.current
      const message = `${updated_by} wrote revision ${revision} meanwhile; yours is in the stash`
      throw new HttpError(409, "conflict", message, [
        { path: "/base_revision", message: `the draft is at ${revision}` },
      ])
    },
    async listStashedDrafts({ param }) {
      const stash = await engine.store.stashedDrafts(param("id"))
      return {
        stash: stash.map(({ body_json, ...rest }) => ({ ...rest, draft: JSON.parse(body_json) })),
      }
    },
  })
}

function shown(draft: DraftRecord | null) {
  if (!draft) return { revision: 0, draft: null, updated_by: null, updated_at: null }
  const { revision, body_json, updated_by, updated_at } = draft
  return { revision, draft: JSON.parse(body_json), updated_by, updated_at }
}
