import type { TextBlock } from "../model/prompt.ts"
import { storedText } from "../model/stored-text.ts"

/** What a user message says that is nothing but text, its rows unopened: it needs no loading and no
 *  deciding. Undefined for any other message. */
export function plainBlocks(
  parts: readonly { readonly data_json: string }[],
): readonly TextBlock[] | undefined {
  const blocks: TextBlock[] = []
  for (const { data_json } of parts) {
    const block = storedText(data_json)
    if (!block || block.seal) return undefined
    blocks.push(block)
  }
  return blocks.length > 0 ? blocks : undefined
}

/** Whether metadata may say that a message is not for the model: opening them all to find out would
 *  cost as much as the messages. */
export function mayBeLeftOut(metadata_json: string): boolean {
  return LEFT_OUT.test(metadata_json)
}

const LEFT_OUT = /"(?:superseded|host|action)"/
