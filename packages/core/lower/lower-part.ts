import { withDeclared } from "../file/declared-route.ts"
import type { LoweringPolicy } from "../file/policy.ts"
import type { LoweredPart } from "../file/verdict.ts"
import { escapeMarkers, escapeWholeMarker } from "../model/marker.ts"
import { definitionOf, type Part, writePart } from "../parts/table.ts"
import { custom } from "./custom.ts"
import { lowerDeniedPart, withMark } from "./ingress.ts"
import type { LoadedPart } from "./loaded-part.ts"
import type { AgentCircumstances } from "./policy.ts"

/** What becomes of one part: its definition says it. What policy keeps out comes to nobody, an agent's
 *  own lowering included. */
export function lowerPart({ part, file }: LoadedPart, at: AgentCircumstances): LoweredPart {
  const data = writePart(part)
  const kept = lowerDeniedPart(data)
  if (kept) return kept
  const lowered = custom(data, at.policy.custom, () =>
    withoutLookalikes(part, definitionOf(part).lower(part, at, file), at.policy),
  )
  return withMark(data, withDeclared(data.route, file, lowered))
}

/** Nobody but the host speaks in its markers (TRU-001). What the user typed stays as it was typed
 *  unless it would be a whole block; where everything becomes one string nothing stays. */
function withoutLookalikes(part: Part, lowered: LoweredPart, policy: LoweringPolicy): LoweredPart {
  const { block } = lowered
  const voice = definitionOf(part).voice(part)
  if (block?.type !== "text" || policy.host_wrote || voice === "host") return lowered
  const isWordForWord =
    writePart(part).derived_from === undefined &&
    (voice === "user" || (voice === "file" && WORD_FOR_WORD.has(lowered.outcome)))
  const escape = policy.nonce === undefined && isWordForWord ? escapeWholeMarker : escapeMarkers
  const text = escape(block.text)
  return text === block.text ? lowered : { ...lowered, block: { ...block, text } }
}

const WORD_FOR_WORD: ReadonlySet<string> = new Set(["inlined", "range", "extracted"])
