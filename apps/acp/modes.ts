import type { SessionMode, SessionModeState } from "@agentclientprotocol/sdk"
import type { Session } from "compositor-core/message/row"

export type ModeId = "ask" | "allow" | "deny"

/** Who answers when a rule says that a person is to be asked. What rules forbid, no mode allows. */
const MODES: readonly (SessionMode & { readonly id: ModeId })[] = [
  { id: "ask", name: "Ask", description: "Ask before a tool does what the rules do not allow" },
  { id: "allow", name: "Allow", description: "Let tools do what the rules would ask about" },
  { id: "deny", name: "Look only", description: "Refuse what the rules would ask about" },
]

/** The session keeps its mode in its metadata, so that it is the same after a restart. */
export const MODE_KEY = "permission_mode"

export function isMode(id: string): id is ModeId {
  return MODES.some((mode) => mode.id === id)
}

export function modeOf({ metadata }: Pick<Session, "metadata">): ModeId {
  const mode = metadata[MODE_KEY]
  return typeof mode === "string" && isMode(mode) ? mode : "ask"
}

export function modesOf(session: Pick<Session, "metadata">): SessionModeState {
  return { currentModeId: modeOf(session), availableModes: [...MODES] }
}
