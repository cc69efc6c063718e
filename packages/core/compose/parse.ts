import type { KnownNode } from "./node.ts"
import { FIRST_STATE, LOOK_AHEAD, newScan, run, stateOf } from "./scan.ts"
import { windowOf } from "./units.ts"
import { type Vocabulary, wordsOf } from "./vocabulary.ts"

/** A long source is read in blocks: with what is looked at ahead, they fit what `units.ts` keeps. */
const BLOCK_UNITS = 48 * 1024

/** The commands and references in a source, in order; the gaps between them are plain text. Each
 *  node's `raw` is `source.slice(start, end)`, offsets counting UTF-16 units (EA-002, EA-003). */
export function parse(source: string, vocabulary: Vocabulary): KnownNode[] {
  const words = wordsOf(vocabulary)
  const nodes: KnownNode[] = []
  let state = FIRST_STATE
  for (let at = 0; at < source.length; ) {
    const end = Math.min(source.length, at + BLOCK_UNITS + LOOK_AHEAD)
    const scan = newScan(windowOf(source, at, end), words, state)
    scan.nodes = nodes
    scan.base = -at
    run(scan, Math.min(BLOCK_UNITS, source.length - at))
    state = stateOf(scan)
    at += scan.at
  }
  return nodes
}
