import { type MarkdownDefinitions, parsePlacedBlocks, type PlacedMarkdownBlock } from "./parse.ts"

/** A text and its blocks. */
export interface MarkdownDocument {
  readonly text: string
  readonly blocks: readonly PlacedMarkdownBlock[]
  readonly definitions: MarkdownDefinitions
}

/** What is written next may change what the last blocks are: a line that began a heading turns out to
 *  go on a title that goes on a definition. */
const OPEN_BLOCKS = 3

/** The blocks of a text that grew. All but the last few are those of before, the same objects, so
 *  that a long answer costs no more per word than a short one. */
export function growMarkdown(
  previous: MarkdownDocument | undefined,
  text: string,
): MarkdownDocument {
  const kept =
    previous && text.startsWith(previous.text) ? previous.blocks.slice(0, -OPEN_BLOCKS) : []
  const from = kept.length === 0 ? 0 : (previous?.blocks[kept.length]?.from ?? 0)
  const grown = parsePlacedBlocks(text, { from, definitions: definitionsOf(kept) })
  const blocks = [...kept, ...grown]
  const definitions = definitionsOf(blocks)
  const isKnown = kept.length === 0 || isSame(definitions, previous?.definitions)
  // A label that is defined at the end may be named at the beginning.
  return isKnown ? { text, blocks, definitions } : growMarkdown(undefined, text)
}

/** The first definition of a label counts. */
function definitionsOf(blocks: readonly PlacedMarkdownBlock[]): MarkdownDefinitions {
  return Object.assign({}, ...blocks.map(({ definitions }) => definitions).toReversed())
}

function isSame(left: MarkdownDefinitions, right: MarkdownDefinitions | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
