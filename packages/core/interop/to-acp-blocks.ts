import type { AcpBlock } from "../acp/acp-block.ts"
import type { PartData } from "../parts/define-part.ts"
import { definitionOf, openPart } from "../parts/table.ts"
import { type TranslationLoss, loss, type Translated } from "./loss.ts"

interface ToAcpOptions {
  /** The folder that paths are relative to; without it they stay relative. */
  readonly root?: string | undefined
  /** Put each part into its block's `_meta`, so that nothing is lost between two of us. */
  readonly meta?: boolean
}

/** A message's parts as content blocks, one for each. With `meta` (the default) `fromAcpBlocks`
 *  gives back exactly what was given; without, what a block cannot say is told as a loss. */
export function toAcpBlocks(
  parts: readonly PartData[],
  options: ToAcpOptions = {},
): Translated<AcpBlock[]> {
  const meta = options.meta ?? true
  const forms = parts.map((part) => {
    const known = openPart(part)
    return definitionOf(known).acp(known, options.root)
  })
  return {
    value: forms.map(({ block }, at) => {
      const part = parts[at]
      return meta && part && !isCarriedWhole(part, block) ? withPart(block, part) : block
    }),
    losses: meta ? [] : forms.flatMap(({ lost }, at) => lostAt(at, lost)),
  }
}

/** Whether a block says all that its part does. */
function isCarriedWhole(part: PartData, block: AcpBlock): boolean {
  if (block.type !== part.type || Object.keys(part).length !== 2) return false
  return "text" in block && block.text === part.text
}

function withPart(block: AcpBlock, part: PartData): AcpBlock {
  return { ...block, _meta: { compositor: { part } } }
}

function lostAt(at: number, lost: string | undefined): TranslationLoss[] {
  return lost === undefined ? [] : [loss(`/${at}`, lost)]
}
