import type { HereFile, LoadedFile, TextFile } from "../file/loaded-file.ts"
import type { LoadedPart } from "./loaded-part.ts"
import { describe, type FileOrigin } from "../file/describe.ts"
import { showText, shownText } from "../file/lower-file.ts"
import { definitionOf } from "../parts/table.ts"
import { outline } from "../file/outline.ts"

import { type LoweredPart, weigh } from "../file/verdict.ts"

export interface Settled {
  readonly loaded: LoadedPart
  readonly verdict: LoweredPart
}

/** The same parts within a budget of tokens (BEY-12): files step down from what they show to an
 *  outline, and from there to a reference, the largest first. What the user wrote, and what is not a
 *  file, stays whatever it costs. */
export function withinBudget(
  settled: readonly Settled[],
  budget: number | undefined,
): readonly Settled[] {
  if (budget === undefined) return settled
  const parts = [...settled]
  const tokens = parts.map(({ verdict }) => weigh(verdict).tokens)
  const lowest = new Set<number>()
  let total = tokens.reduce((sum, cost) => sum + cost, 0)
  while (total > budget) {
    const at = largest(parts, tokens, lowest)
    const part = parts[at]
    if (!part) return parts
    const cost = tokens[at] ?? 0
    const verdict = lessOf(part, budget)
    const less = verdict ? weigh(verdict).tokens : cost
    if (!verdict || less >= cost) {
      lowest.add(at)
      continue
    }
    parts[at] = { ...part, verdict }
    tokens[at] = less
    total += less - cost
  }
  return parts
}

const SHOWN: ReadonlySet<string> = new Set(["native", "inlined", "range", "extracted"])

/** The file that costs most and can still step down; of equals, the last. */
function largest(
  parts: readonly Settled[],
  tokens: readonly number[],
  lowest: ReadonlySet<number>,
): number {
  let found = -1
  parts.forEach(({ loaded, verdict }, at) => {
    if (!loaded.file || lowest.has(at) || !SHOWN.has(verdict.outcome)) return
    if (found < 0 || (tokens[at] ?? 0) >= (tokens[found] ?? 0)) found = at
  })
  return found
}

function lessOf({ loaded, verdict }: Settled, budget: number): LoweredPart | undefined {
  const { file } = loaded
  if (!isHere(file)) return undefined
  const { origin } = definitionOf(loaded.part)
  if (file.type === "text" && verdict.rule !== RULE) {
    const less = outlined(file, origin, budget)
    if (less && weigh(less).tokens < weigh(verdict).tokens) return less
  }
  const told = describe(file, origin, { why: "the budget of the message is used up", rule: RULE })
  return { ...told, reason: `${told.reason} The budget is ${budget} tokens.` }
}

function isHere(file: LoadedFile | null): file is HereFile {
  return file !== null && file.type !== "elsewhere" && file.type !== "refused"
}

const RULE = "BEY-12"

function outlined(file: TextFile, origin: FileOrigin, budget: number): LoweredPart | undefined {
  const text = outline(file.text)
  if (text === file.text) return undefined
  const shown = shownText(file, origin, showText({ ...file, text }, origin))
  const reason = `Only its beginning and its end are shown: the message has a budget of ${budget} tokens.`
  return { ...shown, outcome: "range", rule: RULE, reason }
}
