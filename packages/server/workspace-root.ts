import type { CommandsQuery } from "compositor-core/contract/fields"
import { Refusal } from "compositor-core/message/refusal"
import type { Session } from "compositor-core/message/row"
import type { TypedIn } from "compositor-engine/entities/session-commands"
import type { Store } from "compositor-engine/store/store"
import { type Caller, workspaceOf } from "./caller.ts"

/** What finding out where a request means to work asks for. */
export interface WorkspaceFinder {
  readonly store: Pick<Store, "session">
  /** Where the operator works who does not say where. */
  readonly workspace: string | null
}

export async function existing(store: Pick<Store, "session">, id: string): Promise<Session> {
  const session = await store.session(id)
  if (!session) throw new Refusal("not_found", `there is no session ${id}`)
  return session
}

/** Where something is typed: in a session, or in a folder before there is one. */
export async function typedIn(
  { store, workspace }: WorkspaceFinder,
  caller: Caller,
  where: CommandsQuery,
): Promise<TypedIn> {
  if (where.session === undefined)
    return { session_id: null, workspace_root: where.workspace ?? workspaceOf(caller, workspace) }
  const { id, workspace_root, agent } = await existing(store, where.session)
  return { session_id: id, workspace_root, agent }
}

export async function rootOf(
  finder: WorkspaceFinder,
  caller: Caller,
  where: CommandsQuery,
): Promise<string | null> {
  return (await typedIn(finder, caller, where)).workspace_root
}
