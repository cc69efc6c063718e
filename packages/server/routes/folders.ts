import { folders } from "compositor-core/contract/sessions"
import { Refusal } from "compositor-core/message/refusal"
import type { Store } from "compositor-engine/store/store"
import type { Scopes } from "compositor-files/workspace/scope"
import type { Caller } from "../caller.ts"
import { requireWithin } from "../ownership.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"

interface FolderEngine {
  readonly store: Pick<Store, "session">
  readonly scopes: Pick<Scopes, "mint" | "list" | "revoke" | "resolve">
}

/** Folders that a person gives to one session, to read. A surface asks for one only where a person
 *  chose it: a folder that was dropped, a picker of the system, `--dir` (CMPH-002). */
export function folderRoutes(engine: FolderEngine): ServedRoute[] {
  return serveRoutes(folders, {
    async giveFolder({ caller, param, body }) {
      const { id: session_id } = await existing(engine.store, param("id"))
      await requireWithin(caller, body.path)
      const scope = await engine.scopes.mint(session_id, body.path, body.name)
      if ("type" in scope) throw new Refusal("invalid", scope.reason)
      await requireStillWithin(engine.scopes, caller, { session_id, scope: scope.id })
      const part = { type: "directory-ref", ref: { kind: "scope", ...scope } } as const
      return { scope, part }
    },
    async listGivenFolders({ param }) {
      const { id } = await existing(engine.store, param("id"))
      return { scopes: engine.scopes.list(id) }
    },
    async takeFolder({ param }) {
      const { id: session_id } = await existing(engine.store, param("id"))
      const id = param("scope")
      if (!engine.scopes.list(session_id).some((scope) => scope.id === id))
        throw new Refusal("not_found", `the session was not given ${id}`)
      engine.scopes.revoke(session_id, id)
      return { scopes: engine.scopes.list(session_id) }
    },
  })
}

// A link may have been turned elsewhere between the look and the grant: what was granted counts.
async function requireStillWithin(
  scopes: FolderEngine["scopes"],
  caller: Caller,
  { session_id, scope }: { readonly session_id: string; readonly scope: string },
) {
  const root = await scopes.resolve(session_id, scope)
  await requireWithin(caller, root ?? "").catch((error: unknown) => {
    scopes.revoke(session_id, scope)
    throw error
  })
}
