import type { PartData } from "../parts/define-part.ts"
import type { Custom } from "./policy.ts"
import { z } from "zod"
import { Outcome } from "../model/receipt.ts"
import { oneLine } from "../file/name.ts"
import type { LoweredPart } from "../file/verdict.ts"

/** An agent's own lowering of a part, where it has one and it works; else ours. It is given a copy:
 *  what is stored stays as it is (CMP-114). */
export function custom(
  part: PartData,
  lowering: Custom | undefined,
  usual: () => LoweredPart,
): LoweredPart {
  if (!lowering) return usual()
  try {
    const lowered = lowering(structuredClone(part), usual)
    return lowered === undefined ? usual() : checked(lowered)
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error))
    const lowered = usual()
    return { ...lowered, reason: `${lowered.reason} The agent's own lowering failed: ${why}.` }
  }
}

const count = z.int().min(0)
const Media = z.object({
  mime: z.string(),
  name: z.string(),
  size: count,
  content_id: z.string(),
})

/** Code from outside: what is not a verdict must not reach a wire. */
const Shape = z.object({
  block: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image"), media: Media, width: count, height: count }),
      z.object({ type: z.literal("audio"), media: Media }),
      z.object({ type: z.literal("video"), media: Media }),
      z.object({ type: z.literal("document"), media: Media }),
    ])
    .nullable(),
  outcome: Outcome,
  rule: z.string(),
  reason: z.string(),
  content_id: z.string().nullable(),
})

function checked(lowered: LoweredPart): LoweredPart {
  const { block, ...about } = Shape.parse(lowered)
  if (block?.type !== "text") return { ...lowered, ...about, block }
  return { ...lowered, ...about, block: { ...block, text: block.text.toWellFormed() } }
}
