import type { Actions } from "./actions.ts"
import { strings } from "./strings.ts"
import { goTo } from "./token.ts"

/** Begin a sidecar: a branch that the list of sessions does not show. */
export async function openSidecar(
  actions: Actions,
  parent: string,
  from_message_id: string,
): Promise<string | undefined> {
  const answer = await actions.try(() =>
    actions.store.client.sessions.branch(parent, {
      from_message_id,
      title: strings.sidecar.title,
      metadata: { ephemeral: true, sidecar: true },
    }),
  )
  return answer?.session.id
}

/** Let a sidecar become a session like any other, and go there. */
export async function promote(actions: Actions, session: string) {
  await actions.try(async () => {
    await actions.store.client.sessions.update(session, { metadata: { ephemeral: false } })
    goTo(session)
  })
}

/** Put something that was said in a sidecar into the main draft, as a quote (BEY-09). */
export function bringBack(
  actions: Actions,
  quote: { session_id: string; message_id: string; text: string },
) {
  actions.attach.part({ type: "quote", ...quote })
  actions.say(strings.sidecar.broughtBack)
}
