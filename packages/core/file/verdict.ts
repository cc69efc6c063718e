import type { Block, PromptBlock, ToolCallBlock, ToolResultBlock } from "../model/prompt.ts"
import type { Outcome } from "../model/receipt.ts"
import { blockBytes, blockTokens, tokensOfBytes } from "../model/tokens.ts"

/** A call that the user made for the model: it stands behind the user's message, with its result
 *  (decision 7). */
export interface SkillCall {
  readonly call: ToolCallBlock
  readonly result: ToolResultBlock
}

/** What becomes of one part: at most one block or one call, and why. */
export interface LoweredPart {
  readonly block: Block | null
  readonly call?: SkillCall
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
): LoweredPart {
  const { reason, content_id = null, text } = about
  const block = text === undefined ? (about.block ?? null) : textBlock(text)
  return { block, outcome, rule, reason, content_id }
}

// Half a character is no text, and some APIs refuse a whole request for it.
function textBlock(text: string): Block {
  return { type: "text", text: text.toWellFormed() }
}

/** What a verdict puts into the prompt; tokens by estimate. */
export function weigh({ block, call }: LoweredPart): Weight {
  if (call) return added(weighed(call.call), weighed(call.result))
  return block ? weighed(block) : NOTHING
}

interface Weight {
  /** Before base64. */
  readonly bytes: number
  readonly tokens: number
}

const NOTHING: Weight = { bytes: 0, tokens: 0 }

// A long text is measured once.
function weighed(block: PromptBlock): Weight {
  const bytes = blockBytes(block)
  return { bytes, tokens: block.type === "text" ? tokensOfBytes(bytes) : blockTokens(block) }
}

function added(one: Weight, other: Weight): Weight {
  return { bytes: one.bytes + other.bytes, tokens: one.tokens + other.tokens }
}
