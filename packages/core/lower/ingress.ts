import type { PartData } from "../parts/define-part.ts"
import { oneLine } from "../file/name.ts"
import { type LoweredPart, verdict } from "../file/verdict.ts"

/** What the policy did to a part when it came in; it stands in the part itself (decision 10). */
interface IngressMark {
  readonly verdict: "denied" | "redacted" | "allowed"
  readonly reason: string
}

/** A part that was kept out: the model is told that something is not shown, and why. */
export function lowerDeniedPart(part: PartData): LoweredPart | undefined {
  const mark = markOf(part)
  if (mark?.verdict !== "denied") return undefined
  const reason = oneLine(mark.reason)
  return verdict("denied", "BEY-04", {
    reason: `Not shown: ${reason}.`,
    text: `[${part.type}: not shown: ${reason}]`,
  })
}

/** A part that came in without its secrets, or with them on purpose, says so in its receipt. */
export function withMark(part: PartData, lowered: LoweredPart): LoweredPart {
  const mark = markOf(part)
  if (!mark || mark.verdict === "denied") return lowered
  const told = mark.verdict === "redacted" ? "Before that," : "It was"
  return { ...lowered, reason: `${lowered.reason} ${told} ${oneLine(mark.reason)}.` }
}

function markOf(part: PartData): IngressMark | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its verdict is looked at below
  const mark = part.ingress as Partial<IngressMark> | undefined
  if (mark?.verdict === undefined || !VERDICTS.includes(mark.verdict)) return undefined
  return { verdict: mark.verdict, reason: mark.reason ?? "the policy says so" }
}

const VERDICTS: readonly string[] = ["denied", "redacted", "allowed"]
