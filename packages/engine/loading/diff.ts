import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff"

/** More differing lines than this are not followed up: the file itself says it shorter. */
const MAX_EDITS = 600
const CONTEXT_LINES = 3

/** The difference of two texts by lines, in the unified form without its two file names; the empty
 *  text when there is none, undefined when they have too little in common. */
export function unifiedDiff(before: string, after: string): string | undefined {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  })
  if (!patch) return undefined
  return patch.hunks.length === 0 ? "" : formatPatch(patch, OMIT_HEADERS)
}
