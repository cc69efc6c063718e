import type { Part, UnknownPart } from "../message/part.ts"
import { oneLine } from "./name.ts"
import { type Verdict, verdict } from "./verdict.ts"

/** What the policy did to a part when it came in; it stands in the part itself (decision 10). */
interface IngressMark {
  readonly verdict: "denied" | "redacted"
  readonly reason: string
}

/** A part that was kept out: the model is told that something is not shown, and why. */
export function keptOut(part: Part | UnknownPart): Verdict | undefined {
  const mark = markOf(part)
  if (mark?.verdict !== "denied") return undefined
  const reason = oneLine(mark.reason)
  return verdict("denied", "BEY-04", {
    reason: `Not shown: ${reason}.`,
    text: `[${part.type}: not shown: ${reason}]`,
  })
}

/** A part that came in without its secrets says so in its receipt. */
export function withMark(part: Part | UnknownPart, lowered: Verdict): Verdict {
  const mark = markOf(part)
  if (mark?.verdict !== "redacted") return lowered
  return { ...lowered, reason: `${lowered.reason} Before that, ${oneLine(mark.reason)}.` }
}

function markOf(part: Part | UnknownPart): IngressMark | undefined {
  const mark = part.ingress as Partial<IngressMark> | undefined
  if (mark?.verdict !== "denied" && mark?.verdict !== "redacted") return undefined
  return { verdict: mark.verdict, reason: mark.reason ?? "the policy says so" }
}
