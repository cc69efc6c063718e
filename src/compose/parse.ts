import type { KnownNode } from "./node.ts"
import { newScan, run } from "./scan.ts"
import { type Vocabulary, wordsOf } from "./vocabulary.ts"

/** The commands and references in a source, in order; the gaps between them are plain text. Each
 *  node's `raw` is `source.slice(start, end)`, offsets counting UTF-16 units (EA-002, EA-003). */
export function parse(source: string, vocabulary: Vocabulary): KnownNode[] {
  const scan = newScan(source, wordsOf(vocabulary))
  run(scan, source.length)
  return scan.nodes
}
