import type { PartData } from "../parts/define-part.ts"
import type { Custom } from "./policy.ts"
import { isOutcome } from "../model/receipt.ts"
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

/** Code from outside: what is not a verdict must not reach a wire. */
function checked(lowered: LoweredPart): LoweredPart {
  const { block, outcome, rule, reason, content_id } = lowered
  if (!isOutcome(outcome)) throw new Error(`${String(outcome)} is no outcome`)
  if (typeof rule !== "string" || typeof reason !== "string")
    throw new Error("a verdict has a rule and a reason")
  if (content_id !== null && typeof content_id !== "string")
    throw new Error("a content id is a text or null")
  if (block === null) return lowered
  if (!isBlock(block)) throw new Error("its block is none that a model is sent")
  if (block.type !== "text") return lowered
  return { ...lowered, block: { ...block, text: block.text.toWellFormed() } }
}

function isBlock(block: unknown): block is NonNullable<LoweredPart["block"]> {
  if (!isRecord(block)) return false
  const { type, text, media, width, height } = block
  if (type === "text") return typeof text === "string"
  if (type === "image") return isMedia(media) && isCount(width) && isCount(height)
  return (type === "audio" || type === "video" || type === "document") && isMedia(media)
}

function isMedia(media: unknown): boolean {
  if (!isRecord(media)) return false
  const { mime, name, size, content_id } = media
  return [mime, name, content_id].every((text) => typeof text === "string") && isCount(size)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
}
