import type { PromptBlock, PromptMessage } from "compositor-core/model/prompt"
import type { Receipt } from "compositor-core/model/receipt"
import { blockBytes, blockTokens, estimateTokens, utf8Length } from "compositor-core/model/tokens"

/** What a request held, in the figures that the mirror tells. */
export interface Account {
  readonly system: string
  readonly newest: PromptMessage | undefined
  readonly questions: number
  readonly answers: number
  readonly bytes: number
  readonly tokens: number
  readonly receipts: readonly Receipt[]
}

/** A readable account of a request, in Markdown. */
export function describeRequest(account: Account): string {
  const sections = [
    "This is the mirror: no model was asked. It shows what a model would have received.",
    summary(account),
    newest(account.newest),
    receipts(account.receipts),
  ]
  return sections.filter((section) => section !== "").join("\n\n")
}

function summary({ system, questions, answers, bytes, tokens }: Account): string {
  const { length } = system.trim()
  const instructions =
    length === 0 ? "none" : `${size(utf8Length(system))}, ${about(estimateTokens(system))}`
  return [
    `- **Messages:** ${questions + answers} (${questions} from you, ${answers} from the assistant)`,
    `- **In all:** ${size(bytes)}, ${about(tokens)}`,
    `- **System prompt:** ${instructions}`,
  ].join("\n")
}

function newest(message: PromptMessage | undefined): string {
  const blocks = message?.blocks ?? []
  if (blocks.length === 0) return "### Your message\n\nNothing of it reaches the model."
  return ["### Your message, block by block", ...blocks.map(describeBlock)].join("\n\n")
}

function describeBlock(block: PromptBlock, index: number): string {
  const label = `**${index + 1}. ${TITLES[block.type]}** · ${factsOf(block).join(" · ")}`
  const shown = wordsOf(block)
  return shown === undefined ? label : `${label}\n\n${fence(shown)}`
}

const TITLES: Readonly<Record<PromptBlock["type"], string>> = {
  text: "Text",
  image: "Image",
  audio: "Audio",
  video: "Video",
  document: "Document",
  reasoning: "Reasoning",
  "tool-call": "Tool call",
  "tool-result": "Tool result",
}

function factsOf(block: PromptBlock): string[] {
  const measures = [size(blockBytes(block)), about(blockTokens(block))]
  if ("media" in block) {
    const { name, mime } = block.media
    const pixels = block.type === "image" ? [`${block.width} × ${block.height} pixels`] : []
    return [code(name), mime, ...pixels, ...measures]
  }
  return "name" in block ? [code(block.name), ...measures] : measures
}

function wordsOf(block: PromptBlock): string | undefined {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text
    case "tool-call":
      return JSON.stringify(block.input, null, 2)
    case "tool-result":
      return block.blocks.map((inner) => wordsOf(inner) ?? `<${TITLES[inner.type]}>`).join("\n\n")
    case "image":
    case "audio":
    case "video":
    case "document":
      return undefined
  }
}

const MAX_SHOWN_CHARACTERS = 4000

/** The fence is longer than any in the text, so that the text cannot close it. */
function fence(text: string): string {
  const shown = text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()
  const hidden = text.length - shown.length
  const runs = shown.match(/`{3,}/g) ?? []
  const marks = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  const more = hidden > 0 ? `\n\n*… and ${hidden.toLocaleString("en-US")} more characters.*` : ""
  return `${marks}text\n${shown}${shown.endsWith("\n") ? "" : "\n"}${marks}${more}`
}

function receipts(list: readonly Receipt[]): string {
  if (list.length === 0) return ""
  const rows = list.map(({ type, outcome, reason, tokens }, index) => {
    const cells = [index + 1, code(type), outcome, cell(reason), tokens.toLocaleString("en-US")]
    return `| ${cells.join(" | ")} |`
  })
  return [
    "### What became of each part\n",
    "| # | Part | Outcome | Why | Tokens |",
    "|---:|---|---|---|---:|",
    ...rows,
  ].join("\n")
}

function cell(text: string): string {
  return text.replace(/[\\|`*_<>[\]]/g, "\\$&").replace(/\s+/g, " ")
}

function code(text: string): string {
  return `\`${text.replace(/[`|\r\n]/g, " ")}\``
}

function about(tokens: number): string {
  return `about ${tokens.toLocaleString("en-US")} ${tokens === 1 ? "token" : "tokens"}`
}

const UNITS = ["bytes", "KB", "MB", "GB"] as const

function size(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${bytes === 1 ? "byte" : UNITS[unit]}`
}
