import type { Session } from "./row.ts"

type Kin = Pick<Session, "parent_id" | "metadata">

/** A sidecar is a branch that the list of sessions does not show (UX-020). */
export function isSidecar({ parent_id, metadata }: Kin): boolean {
  return parent_id !== null && metadata.ephemeral === true
}

/** It may look and not change anything, unless its metadata say `tools: "all"` (BEY-09). */
export function looksOnly(session: Kin): boolean {
  return isSidecar(session) && session.metadata.tools !== "all"
}
