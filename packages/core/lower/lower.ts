import type { LoadedPart } from "./loaded-part.ts"
import { type AgentCircumstances, DEFAULT_POLICY, type Policy } from "./policy.ts"
import { type Capabilities, mediaKind } from "../model/capabilities.ts"
import type { Block, PromptMessage } from "../model/prompt.ts"
import { LOWERING_VERSION, type Receipt } from "../model/receipt.ts"
import { blockBytes } from "../model/tokens.ts"
import { type Settled, withinBudget } from "./budget.ts"
import { PARTS, writePart } from "../parts/table.ts"
import { lowerPart } from "./lower-part.ts"
import { useOf } from "../file/media.ts"
import { oneLine, showName } from "../file/name.ts"
import type { MediaUse } from "../file/plan.ts"
import { NOTHING_SPENT, type Spent } from "../file/policy.ts"
import { type SkillCall, type LoweredPart, verdict, weigh } from "../file/verdict.ts"

interface Lowered {
  readonly blocks: readonly Block[]
  /** Skills that were loaded for the message; `promptMessages` puts them behind it. */
  readonly calls: readonly SkillCall[]
  /** What went in natively, for the planner. */
  readonly media: readonly MediaUse[]
  /** One for each part, in their order. */
  readonly receipts: readonly Receipt[]
}

/** What one user message says to a model, and what became of each of its parts. Pure and total: it
 *  reads nothing, and a part that cannot be lowered is described instead. */
export function lower(
  parts: readonly LoadedPart[],
  capabilities: Capabilities,
  policy: Policy = DEFAULT_POLICY,
): Lowered {
  const settled: Settled[] = []
  let spent = NOTHING_SPENT
  for (const given of parts) {
    const loaded = withPart(given)
    const at = { part_id: loaded.id, capabilities, policy, spent }
    const verdict = lowerSafely(loaded, at)
    settled.push({ loaded, verdict })
    spent = spend(spent, loaded, verdict)
  }
  return gathered(withinBudget(settled, policy.budget_tokens))
}

/** The messages that a lowered one becomes: the user's words and, where skills were loaded for them,
 *  the calls and their results, as if the model had made them in answer. */
export function promptMessages({
  blocks,
  calls,
}: Pick<Lowered, "blocks" | "calls">): readonly PromptMessage[] {
  const said: PromptMessage = { role: "user", blocks }
  if (calls.length === 0) return [said]
  return [
    blocks.length > 0 ? said : { role: "user", blocks: [{ type: "text", text: SKILL_ALONE }] },
    { role: "assistant", blocks: calls.map(({ call }) => call) },
    { role: "user", blocks: calls.map(({ result }) => result) },
  ]
}

/** Stands where a message was nothing but a skill. */
const SKILL_ALONE = "Load the skill, then follow it."

function lowerSafely(loaded: LoadedPart, at: AgentCircumstances): LoweredPart {
  try {
    return lowerPart(loaded, at)
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error))
    const text = `[${showName(typeOf(loaded))}: could not be shown]`
    return verdict("failed", "BEY-02", { reason: `Not shown: ${why}.`, text })
  }
}

function gathered(settled: readonly Settled[]): Lowered {
  const blocks: Block[] = []
  const calls: SkillCall[] = []
  const media: MediaUse[] = []
  const receipts: Receipt[] = []
  for (const { loaded, verdict } of settled) {
    const { block, call } = verdict
    if (block) blocks.push(block)
    if (block && block.type !== "text") media.push(useOf(loaded.id, block))
    if (call) calls.push(call)
    receipts.push(receiptOf(loaded, verdict))
  }
  return { blocks, calls, media, receipts }
}

function receiptOf(loaded: LoadedPart, result: LoweredPart): Receipt {
  const { outcome, rule, reason, content_id } = result
  return {
    part: loaded.id,
    type: typeOf(loaded),
    outcome,
    rule,
    reason,
    ...weigh(result),
    content_id,
    version: LOWERING_VERSION,
  }
}

// Rows from elsewhere may hold anything, nothing at all included.
function withPart(loaded: LoadedPart): LoadedPart {
  const { part }: { readonly part?: { readonly type?: unknown } } = loaded
  if (typeof part?.type === "string" && Object.hasOwn(PARTS, part.type)) return loaded
  return { ...loaded, part: { type: "unknown", raw: { type: "unknown" } } }
}

function typeOf({ part }: LoadedPart): string {
  return writePart(part).type
}

/** Only the text of files is budgeted: what the user wrote is always sent. */
function spend(spent: Spent, { file }: LoadedPart, { block, outcome }: LoweredPart): Spent {
  if (!file || !block || outcome === "descriptor") return spent
  if (block.type === "text") return { ...spent, text_bytes: spent.text_bytes + blockBytes(block) }
  const kind = mediaKind(block)
  const { size } = block.media
  return {
    ...spent,
    media_bytes: spent.media_bytes + size,
    media_count: { ...spent.media_count, [kind]: spent.media_count[kind] + 1 },
    kind_bytes: { ...spent.kind_bytes, [kind]: spent.kind_bytes[kind] + size },
  }
}
