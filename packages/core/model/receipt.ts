import { z } from "zod"

/** Bump when the same parts would lower to other blocks; stored with every receipt. */
export const LOWERING_VERSION = 3

const OUTCOMES = [
  "native",
  "inlined",
  "range",
  "extracted",
  "descriptor",
  "tool",
  "resolved-out",
  "denied",
  "failed",
] as const

export const Outcome = /* @__PURE__ */ (() => z.enum(OUTCOMES))()
export type Outcome = z.infer<typeof Outcome>

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.some((outcome) => outcome === value)
}

/** What became of one part in one request (BEY-01): "did the model see my file?" has an answer. */
export const Receipt = /* @__PURE__ */ (() =>
  z.object({
    /** The part's id; in a dry run its index. */
    part: z.string(),
    type: z.string(),
    outcome: Outcome,
    /** The requirement that decided, e.g. CMP-025. */
    rule: z.string(),
    /** One sentence for a person. */
    reason: z.string(),
    /** Bytes of content that the model is shown, before base64. */
    bytes: z.int(),
    /** Estimated tokens. */
    tokens: z.int(),
    content_id: z.string().nullable(),
    version: z.int(),
  }))()
export type Receipt = z.infer<typeof Receipt>
