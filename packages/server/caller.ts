import type { Context } from "hono"
import type { AdmittedPrincipal } from "compositor-engine/principals/principals"
import { OPERATOR } from "compositor-core/message/principal"

/** Who asks: whoever has the folder's own token, or one of those who share the server. */
export type Caller =
  | { readonly type: "operator" }
  | ({ readonly type: "principal" } & AdmittedPrincipal)

/** Who is inside already. */
const THE_OPERATOR: Caller = { type: "operator" }

export function setCaller(context: Context, caller: Caller) {
  context.set("caller", caller)
  context.set("principal", nameOf(caller))
}

/** In process nobody was asked, and whoever calls is inside already. */
export function callerOf(context: Context): Caller {
  const caller: Caller | undefined = context.get("caller")
  return caller ?? THE_OPERATOR
}

export function nameOf(caller: Caller): string {
  return caller.type === "operator" ? OPERATOR : caller.principal.id
}

/** Whose sessions it begins and is shown; null is the operator's. */
export function callerOwner(caller: Caller): string | null {
  return caller.type === "operator" ? null : caller.principal.id
}

/** What it is shown of a list: the operator all, a principal its own. */
export function visibleTo(caller: Caller): { readonly principal?: string } {
  return caller.type === "operator" ? {} : { principal: caller.principal.id }
}

/** Where it works when it does not say where. */
export function workspaceOf(caller: Caller, usual: string | null): string | null {
  return caller.type === "operator" ? usual : (caller.principal.workspaces[0] ?? null)
}
