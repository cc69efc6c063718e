import { sidecars } from "compositor-core/contract/sessions"
import { Refusal } from "compositor-core/message/refusal"
import { isSidecar } from "compositor-core/message/row"
import type { Store } from "compositor-engine/store/store"
import { bringBack } from "compositor-engine/turns/sidecar"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"
import type { SessionEngine } from "./sessions.ts"

interface SidecarEngine extends Pick<SessionEngine, "deleteSession"> {
  readonly store: Pick<Store, "session" | "changeSession"> & Parameters<typeof bringBack>[0]
}

/** What can be done with a side conversation beside talking in it (BEY-09). */
export function sidecarRoutes(engine: SidecarEngine): ServedRoute[] {
  return serveRoutes(sidecars, {
    async closeSidecar({ param, body }) {
      const session = await existing(engine.store, param("id"))
      if (!isSidecar(session)) throw new Refusal("conflict", `session ${session.id} is no sidecar`)
      switch (body.as) {
        case "keep":
          return { session, deleted: [] }
        case "promote": {
          const metadata = { ephemeral: false }
          const changed = await engine.store.changeSession({ id: session.id, metadata })
          return { session: changed.session, deleted: [] }
        }
        case "delete": {
          const { deleted } = await engine.deleteSession(session.id, false)
          return { session: null, deleted }
        }
      }
    },
    async bringBackQuote({ param, body }) {
      return bringBack(engine.store, param("id"), body)
    },
  })
}
