import type { Client } from "compositor-client/client"
import type { Actions } from "../state/actions.ts"
import type { Drafts } from "../composer/drafts.ts"
import { sidecarStrings } from "../state/strings/sidecar.ts"
import { goTo } from "../state/token.ts"

/** Begin a sidecar: a branch that the list of sessions does not show. It begins behind a message, or
 *  behind the last that is settled. */
export async function beginSidecar(
  client: Client,
  parent: string,
  from_message_id?: string,
): Promise<string> {
  const { session } = await client.sessions.branch(parent, {
    ...(from_message_id === undefined ? {} : { from_message_id }),
    title: sidecarStrings.title,
    metadata: { ephemeral: true, sidecar: true },
  })
  return session.id
}

/** The question of `/side question`, which may be empty; undefined where it is something else. */
export function questionBeside(source: string): string | undefined {
  const found = /^\s*\/side(?:\s+([^]*))?$/.exec(source)
  return found ? (found[1] ?? "").trim() : undefined
}

/** The key under which lies what is written in a sidecar. */
export function sidecarKey(session: string): string {
  return `side.${session}`
}

/** Let a sidecar become a session like any other, and go there. */
export async function promote(actions: Actions, session: string) {
  await actions.try(async () => {
    await actions.store.client.sidecars.close(session, "promote")
    goTo(session)
  })
}

/** Close it and keep it among the sidecars. */
export async function keep(actions: Actions, session: string) {
  await actions.try(async () => {
    await actions.store.client.sidecars.close(session, "keep")
    actions.say(sidecarStrings.kept)
  })
}

export async function discard(actions: Actions, session: string) {
  actions.desk.forget(sidecarKey(session))
  await actions.try(() => actions.store.client.sidecars.close(session, "delete"))
}

/** Put something that was said in a sidecar into the main draft, as a quote (BEY-09). The server
 *  does it, so that every page on that session has it. */
export async function bringQuoteBack(
  { actions, drafts }: { actions: Actions; drafts: Drafts },
  sidecar: string,
  message_id: string,
) {
  const { current } = actions.store.read()
  if (!current) return
  await actions.try(async () => {
    await drafts.attach(current, () =>
      actions.store.client.sidecars.bringBack(sidecar, { message_id }),
    )
    actions.say(sidecarStrings.broughtBack)
  })
}
