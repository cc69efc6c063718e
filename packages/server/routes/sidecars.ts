import { quotePart } from "compositor-core/parts/quote"
import { z } from "zod"
import { Refusal } from "compositor-core/message/refusal"
import { isSidecar, Session } from "compositor-core/message/row"
import { bringBack } from "compositor-engine/turns/sidecar"
import { type Route, route } from "../route.ts"
import { MessageId } from "../schemas.ts"
import { existing } from "./sessions.ts"

/** What can be done with a side conversation beside talking in it (BEY-09). */
export const sidecarRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/:id/close",
    summary: "Close a sidecar: keep it among the sidecars, promote it to a session, or delete it",
    body: z.strictObject({ as: z.enum(["keep", "promote", "delete"]).default("keep") }),
    answer: z.object({ session: Session.nullable(), deleted: z.array(z.string()) }),
    async handle({ host, param, body }) {
      const session = await existing(host, param("id"))
      if (!isSidecar(session)) throw new Refusal("conflict", `session ${session.id} is no sidecar`)
      switch (body.as) {
        case "keep":
          return { session, deleted: [] }
        case "promote": {
          const metadata = { ephemeral: false }
          const changed = await host.store.changeSession({ id: session.id, metadata })
          return { session: changed.session, deleted: [] }
        }
        case "delete": {
          const { deleted } = await host.deleteSession(session.id, false)
          return { session: null, deleted }
        }
      }
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/bring-back",
    summary: "Put what was said here into the parent's draft, as a quote with its source",
    body: z.strictObject({
      message_id: MessageId,
      range: z.strictObject({ start: z.int().min(0), end: z.int().min(0) }).optional(),
    }),
    answer: z.object({
      session_id: z.string(),
      part: quotePart.schema(),
      revision: z.int(),
      txid: z.string(),
    }),
    async handle({ host, param, body }) {
      return bringBack(host.store, param("id"), body)
    },
  }),
]
