import fc from "fast-check"
import type { Mode } from "../../packages/core/message/message.ts"

export type Ending = "finished" | "aborted" | "error"

/** What can happen to a session, as data: a run is a list of these. */
export type Action =
  | { readonly type: "send"; readonly mode: Mode }
  | { readonly type: "end"; readonly state: Ending }
  | { readonly type: "abort"; readonly clear: boolean }
  | { readonly type: "clock"; readonly hours: number }
  | { readonly type: (typeof PLAIN)[number] }
  | { readonly type: (typeof QUEUED)[number]; readonly at: number }
  | { readonly type: "reorder"; readonly at: number; readonly after: number }
  | { readonly type: "compact" | "branch" | "rewind"; readonly at: number }
  | { readonly type: "go"; readonly to: number }

export const PLAIN = [
  "ask",
  "step",
  "boundary",
  "wait",
  "resolve",
  "crash",
  "claim",
  "unrewind",
] as const
const QUEUED = ["edit", "cancel", "pause", "hold", "release"] as const

export function actions(length: number): fc.Arbitrary<readonly Action[]> {
  return fc.array(action(), { minLength: Math.min(length, 20), maxLength: length, size: "max" })
}

function action(): fc.Arbitrary<Action> {
  const at = fc.nat(30)
  const modes = fc.constantFrom<Mode>("immediate", "queued", "paused", "steer")
  const endings = fc.constantFrom<Ending>("finished", "finished", "aborted", "error")
  const named = <const Type extends string>(type: Type) => fc.constant(type)
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: named("send"), mode: modes }) },
    { weight: 5, arbitrary: fc.record({ type: named("end"), state: endings }) },
    { weight: 1, arbitrary: fc.record({ type: named("abort"), clear: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ type: named("clock"), hours: fc.constantFrom(-1, 1) }) },
    { weight: 9, arbitrary: fc.record({ type: fc.constantFrom(...PLAIN) }) },
    { weight: 5, arbitrary: fc.record({ type: fc.constantFrom(...QUEUED), at }) },
    { weight: 2, arbitrary: fc.record({ type: named("reorder"), at, after: at }) },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constantFrom("compact", "branch", "rewind"), at }),
    },
    { weight: 2, arbitrary: fc.record({ type: named("go"), to: at }) },
  ) as fc.Arbitrary<Action>
}
