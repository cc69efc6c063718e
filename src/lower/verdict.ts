import type { Block } from "../model/prompt.ts"
import type { Outcome } from "../model/receipt.ts"

/** What becomes of one part: at most one block, and why. */
export interface Verdict {
  readonly block: Block | null
  readonly outcome: Outcome
  /** The requirement that decided. */
  readonly rule: string
  /** One sentence for a person. */
  readonly reason: string
  readonly content_id: string | null
}

export function verdict(
  outcome: Outcome,
  rule: string,
  about: {
    readonly reason: string
    readonly block?: Block
    readonly text?: string
    readonly content_id?: string | null
  },
): Verdict {
  const { reason, content_id = null, text } = about
  const block = text === undefined ? (about.block ?? null) : { type: "text" as const, text }
  return { block, outcome, rule, reason, content_id }
}
