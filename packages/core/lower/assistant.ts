import { recordOf } from "../message/untyped.ts"
import type { Policy } from "./policy.ts"
import { type ToolPart, toolNameOf } from "../message/tool-part.ts"
import type { Capabilities } from "../model/capabilities.ts"
import { escapeWholeMarker, mayHoldMarker } from "../model/marker.ts"
import type {
  Block,
  MediaBlock,
  PromptBlock,
  PromptMessage,
  Seal,
  ToolResultBlock,
} from "../model/prompt.ts"
import { LOWERING_VERSION, type Receipt } from "../model/receipt.ts"
import { StoredText } from "../model/stored-text.ts"
import { blockBytes, blockTokens } from "../model/tokens.ts"
import { collectSentMedia } from "../file/media.ts"
import { oneLine } from "../file/name.ts"
import type { MediaUse } from "../file/plan.ts"
import type { LoweredPart } from "../file/verdict.ts"

/** A part of an answer as its row opens, and the id that its receipt carries. */
export interface AnswerPart {
  readonly id: string
  readonly data: Data
}

type Data = Readonly<Record<string, unknown>> | StoredText
type Row = Exclude<Data, StoredText>

interface AnswerCircumstances {
  readonly capabilities: Capabilities
  readonly policy: Policy
  /** The answer's turn is over, so thoughts that were only needed within it go. */
  readonly closed: boolean
}

interface LoweredAnswer {
  /** The answer, and behind it what its calls gave back. */
  readonly messages: readonly PromptMessage[]
  readonly media: readonly MediaUse[]
  /** One for each call: what the model is told of its result. */
  readonly receipts: readonly Receipt[]
}

/** What an assistant said, as it is sent back: its thoughts with their seals, its words, its calls,
 *  and then a result for every call, because no API takes a call without one. Pure and total. */
export function lowerAssistant(
  parts: readonly AnswerPart[],
  at: AnswerCircumstances,
): LoweredAnswer {
  const spoken = parts.flatMap((part) => speechOf(part, at))
  const results = parts.flatMap((part) => resultOf(part, at))
  const messages: PromptMessage[] = []
  if (spoken.length > 0) messages.push({ role: "assistant", blocks: spoken })
  if (results.length > 0) messages.push({ role: "user", blocks: results.map(({ block }) => block) })
  return {
    messages,
    media: results.flatMap(({ media }) => media),
    receipts: results.map(({ receipt }) => receipt),
  }
}

/** Whether an answer says something else once its turn is over. */
export function changesOnClose(
  parts: readonly AnswerPart[],
  { keeps_thoughts }: Pick<Capabilities, "keeps_thoughts">,
): boolean {
  return !keeps_thoughts && parts.some(({ data }) => data.type === "reasoning")
}

function speechOf({ data }: AnswerPart, at: AnswerCircumstances): PromptBlock[] {
  if (data instanceof StoredText) return [data]
  if (data.type === "text") return wordsOf(data)
  if (data.type === "reasoning") return thoughtOf(data, at)
  const call = callOf(data)
  if (!call) return []
  const { tool_call_id: id, input = {} } = call
  const name = toolNameOf(call.type) ?? call.type
  return [{ type: "tool-call", id, name, input, ...sealOf(data) }]
}

// Text that ends in white space is refused by some APIs; what is sealed must come back as it was.
function wordsOf(data: Row): PromptBlock[] {
  const seal = sealOf(data)
  const text = seal.seal ? textOf(data) : textOf(data).trimEnd()
  return text === "" ? [] : [{ type: "text", text, ...seal }]
}

function thoughtOf(data: Row, at: AnswerCircumstances): PromptBlock[] {
  const seal = sealOf(data)
  const kept = !at.closed || at.capabilities.keeps_thoughts
  return kept && seal.seal ? [{ type: "reasoning", text: textOf(data), ...seal }] : []
}

function textOf({ text }: Row): string {
  return typeof text === "string" ? text.toWellFormed() : ""
}

function sealOf({ seal }: Row): { seal?: Seal } {
  const known = typeof seal === "object" && seal !== null && "api" in seal
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only who made a seal looks into it
  return known ? { seal: seal as Seal } : {}
}

// A call whose input never came whole was never made. Rows were checked when they were written, and
// a schema would cost more than all the rest of this; of one from elsewhere only what is used counts.
function callOf(data: Data): ToolPart | undefined {
  if (data instanceof StoredText) return undefined
  const { type, tool_call_id, state } = data
  if (typeof type !== "string" || toolNameOf(type) === undefined) return undefined
  if (typeof tool_call_id !== "string" || state === "input-streaming") return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of it was looked at
  return data as ToolPart
}

interface Result {
  readonly block: ToolResultBlock
  readonly media: readonly MediaUse[]
  readonly receipt: Receipt
}

function resultOf(part: AnswerPart, at: AnswerCircumstances): Result[] {
  const call = callOf(part.data)
  if (!call) return []
  const name = toolNameOf(call.type) ?? call.type
  const sent = shownBlocks(call)
    .map((block) => (name === SKILL_TOOL ? block : withoutLookalikes(block)))
    .map((block) => sentBlock(block, part.id, at))
  const blocks = sent.map(({ block }) => block)
  const block: ToolResultBlock = {
    type: "tool-result",
    id: call.tool_call_id,
    name,
    blocks,
    is_error: call.state !== "output-available",
  }
  const verdict = sent.find((one) => one.verdict)?.verdict
  return [
    {
      block,
      media: sent.flatMap(({ use }) => use ?? []),
      receipt: receiptOf(part.id, call, { blocks, verdict }),
    },
  ]
}

/** The one tool whose results the host puts into a marker. */
const SKILL_TOOL = "skill"

// What a tool gives back is a stranger's: it must not stand as a block of the host's (TRU-001).
function withoutLookalikes(block: Block): Block {
  if (block instanceof StoredText && !mayHoldMarker(block.json)) return block
  if (block.type !== "text" || typeof block.text !== "string") return block
  const text = escapeWholeMarker(block.text)
  return text === block.text ? block : { type: "text", text }
}

/** What the model is shown of a result. A call that has none was cut off by the user or a restart. */
function shownBlocks({ state, output, error_text }: ToolPart): readonly Block[] {
  if (state === "output-available") return outputBlocks(output)
  const said = state === "output-error" && typeof error_text === "string" ? error_text : ABORTED
  return [{ type: "text", text: said.toWellFormed() }]
}

const ABORTED = "aborted"

function outputBlocks(output: ToolPart["output"]): readonly Block[] {
  const { data, blocks } = output ?? { data: null }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is looked at before it is shown
  const shown = (Array.isArray(blocks) ? blocks : []) as readonly unknown[] as readonly Block[]
  if (data === undefined || data === null || data === "") return shown
  const text = typeof data === "string" ? data : JSON.stringify(data)
  return [{ type: "text", text: text.toWellFormed() }, ...shown]
}

interface SentBlock {
  readonly block: Block
  readonly use: MediaUse | null
  readonly verdict: LoweredPart | null
}

function sentBlock(block: Block, part_id: string, at: AnswerCircumstances): SentBlock {
  if (block instanceof StoredText) return { block, use: null, verdict: null }
  if (!isMedia(block)) return { block: asText(block), use: null, verdict: null }
  return collectSentMedia(block, { part_id, capabilities: at.capabilities, policy: at.policy })
}

const MEDIA_TYPES: ReadonlySet<string> = new Set(["image", "audio", "video", "document"])

// Rows from elsewhere may hold anything.
function isMedia(block: Block): block is MediaBlock {
  if (!MEDIA_TYPES.has(block.type)) return false
  const { content_id, mime } = recordOf(recordOf(block).media)
  return typeof content_id === "string" && typeof mime === "string"
}

function asText(block: Block): Block {
  const { type, text } = block as { type?: unknown; text?: unknown }
  if (typeof text === "string") return { type: "text", text: text.toWellFormed() }
  return { type: "text", text: `[${oneLine(String(type))}: could not be shown]` }
}

function receiptOf(
  part: string,
  call: ToolPart,
  { blocks, verdict }: { blocks: readonly Block[]; verdict: LoweredPart | null | undefined },
): Receipt {
  const failed = call.state !== "output-available"
  const reason = failed ? "The model is told what went wrong." : "The model is shown the result."
  return {
    part,
    type: call.type,
    outcome: verdict?.outcome ?? "inlined",
    rule: verdict?.rule ?? "TOL-003",
    reason: verdict?.reason ?? reason,
    bytes: blocks.reduce((sum, block) => sum + blockBytes(block), 0),
    tokens: blocks.reduce((sum, block) => sum + blockTokens(block), 0),
    content_id: verdict?.content_id ?? null,
    version: LOWERING_VERSION,
  }
}
