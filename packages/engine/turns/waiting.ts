import { Refusal } from "compositor-core/message/refusal"
import type { Turn, Wait } from "compositor-core/message/row"
import type { PermissionRule } from "../policy/permissions.ts"
import type { CallResolution, CallDecision } from "../store/store.ts"

/** What a person says to a call, and for how long. */
export interface Saying {
  readonly call_id: string
  /** The part that was shown; another call that has the same id by now is not settled. */
  readonly part_id?: string | undefined
  readonly resolution: CallDecision
  /** Keep it as a rule of the session, for calls like this one. */
  readonly always: boolean
  /** Which calls are like it; without, those about the very same thing. */
  readonly pattern?: string | undefined
}

/** The saying as the store takes it. Whether the call still waits is the store's to decide. */
export function resolutionOf(turn: Turn, saying: Saying): Omit<CallResolution, "owner"> {
  const { call_id, part_id, resolution, always } = saying
  const wait = turn.waiting.find((one) => one.call_id === call_id)
  const rules = always && wait ? rulesOf(wait, saying) : []
  return { session_id: turn.session_id, turn_id: turn.id, call_id, part_id, resolution, rules }
}

function rulesOf({ asks, tool }: Wait, { resolution, pattern }: Saying): PermissionRule[] {
  if (resolution.type !== "approve" && resolution.type !== "deny")
    throw new Refusal("invalid", `${resolution.type} is said to one call and kept for no other`)
  if (asks.length === 0)
    throw new Refusal("invalid", `no rule asked about ${tool}, so none can answer for it`)
  const action = resolution.type === "approve" ? "allow" : "deny"
  return asks.map(({ permission, subject }) => ({
    permission,
    pattern: pattern ?? exactly(subject, action),
    action,
    source: "session",
    added_at: Date.now(),
  }))
}

// A star in a pattern stands for anything: taken from a command, it would allow more than was read.
function exactly(subject: string, action: PermissionRule["action"]): string {
  if (subject === "") return "**"
  if (action !== "allow" || !subject.includes("*")) return subject
  throw new Refusal("invalid", `${subject} has a star in it: say which pattern is always allowed`)
}
