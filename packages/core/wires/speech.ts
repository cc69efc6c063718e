import type {
  Block,
  MediaBlock,
  PromptBlock,
  ReasoningBlock,
  Seal,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "../model/prompt.ts"
import { escapeMarkers } from "../model/marker.ts"
import { StoredJson } from "../model/stored-call.ts"
import { StoredText } from "../model/stored-text.ts"
import { paragraphs, type WireString } from "./fragment.ts"

/** What a user message says on a wire: the results of tools first, whatever the order they came in,
 *  because every API wants a call answered before anything else is said. */
interface UserSpeech {
  readonly results: readonly ToolResultBlock[]
  readonly shown: readonly Block[]
}

export function userSpeech(blocks: readonly PromptBlock[]): UserSpeech {
  const results: ToolResultBlock[] = []
  const shown: Block[] = []
  for (const block of blocks) {
    if (block.type === "tool-result") results.push(block)
    else if (block.type !== "reasoning" && block.type !== "tool-call" && !isBlank(block))
      shown.push(block)
  }
  return { results, shown }
}

export type SpokenBlock = TextBlock | ReasoningBlock | ToolCallBlock

/** What an assistant message says on a wire. Thoughts are sent back only to whoever sealed them, and
 *  only before something that was said or done: an answer that ends in a thought is refused. */
export function assistantSpeech(blocks: readonly PromptBlock[], to: Addressee): SpokenBlock[] {
  const spoken: SpokenBlock[] = []
  let end = 0
  for (const block of blocks) {
    if (!isSpoken(block, to)) continue
    spoken.push(block.type === "text" ? trimmed(block) : block)
    if (block.type !== "reasoning") end = spoken.length
  }
  return end === spoken.length ? spoken : spoken.slice(0, end)
}

function isSpoken(block: PromptBlock, to: Addressee): block is SpokenBlock {
  switch (block.type) {
    case "text":
      return !isBlank(block)
    case "reasoning":
      return sealFor(block.seal, to) !== undefined
    case "tool-call":
      return true
    case "image":
    case "audio":
    case "video":
    case "document":
    case "tool-result":
      return false
  }
}

// Some APIs refuse an answer that ends in white space; what is sealed must come back as it was.
function trimmed(block: TextBlock): TextBlock {
  if (block.seal) return block
  const stored = block instanceof StoredText ? block.trimEnd() : undefined
  if (stored) return stored
  const text = block.text.trimEnd()
  return text === block.text ? block : { type: "text", text }
}

/** The same by kind, for APIs that keep words, thoughts and calls apart. */
export function assistantParts(blocks: readonly PromptBlock[], to: Addressee) {
  const words: TextBlock[] = []
  const thoughts: string[] = []
  const calls: ToolCallBlock[] = []
  for (const block of assistantSpeech(blocks, to)) {
    if (block.type === "text") words.push(block)
    else if (block.type === "reasoning") thoughts.push(block.text)
    else calls.push(block)
  }
  return { words, thoughts, calls }
}

/** Who is spoken to; an empty model is any model of the API. */
export interface Addressee {
  readonly api: string
  readonly model: string
}

/** The seal, if this addressee gave it. */
export function sealFor(seal: Seal | undefined, { api, model }: Addressee): Seal | undefined {
  if (seal?.api !== api) return undefined
  return model === "" || seal.model === model ? seal : undefined
}

function isBlank(block: Block): boolean {
  return block.type === "text" && !(block instanceof StoredText) && block.text.trim() === ""
}

/** In place of a message that would say nothing: every API refuses an empty one. */
export const EMPTY_MESSAGE_TEXT = "(empty message)"
const NO_OUTPUT = "(no output)"

/** In place of a medium that the wire has no place for. */
export function describeMedia({ type, media }: MediaBlock, api: string): string {
  const facts = `${oneLine(media.name)}, ${media.mime}, ${media.size} bytes`
  return `[${type}: ${facts}. Not shown: the ${api} API has no place for it.]`
}

/** The words of a result, where an API takes nothing but words. Media are named as `name` says. */
export function resultWords(
  { blocks }: ToolResultBlock,
  name: (block: MediaBlock) => string,
): WireString {
  const words = spokenOf(blocks, name)
  return words.length > 0 ? paragraphs(words) : NO_OUTPUT
}

function spokenOf(blocks: readonly Block[], name: (block: MediaBlock) => string): TextBlock[] {
  return blocks
    .map((block) =>
      block.type === "text" ? block : ({ type: "text", text: name(block) } as const),
    )
    .filter((block) => !isBlank(block))
}

/** The same, for APIs that have no mark for a failure, so that it must be said. */
export function resultText(
  result: ToolResultBlock,
  name: (block: MediaBlock) => string,
): WireString {
  if (!result.is_error) return resultWords(result, name)
  const words = spokenOf(result.blocks, name).map(({ text }) => text)
  const said = words.length > 0 ? words.join("\n\n") : NO_OUTPUT
  return /^\W*error/i.test(said) ? said : `Error: ${said}`
}

/** In a result, for a medium that follows it in the user's words. */
export function pointToMedia({ media }: MediaBlock): string {
  return `[${oneLine(media.name)}, ${media.mime}: shown after this result]`
}

/** Before that medium, so that the model knows where it comes from. */
export function captionOf(result: ToolResultBlock, { media }: MediaBlock): string {
  return `[${oneLine(media.name)}, from ${result.name}]`
}

/** A tool's input as an object, which every API wants it to be. */
export function inputObject(input: unknown): object {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input)
  return isObject ? input : { input: input ?? null }
}

/** The same as text. */
export function inputText(input: unknown): string {
  return input instanceof StoredJson ? input.json : JSON.stringify(inputObject(input))
}

// A name is a stranger's: it must not end the line that it stands in.
function oneLine(name: string): string {
  return escapeMarkers(name.toWellFormed().replace(/[\p{Cc}\u2028\u2029[\]]+/gu, " "))
}
