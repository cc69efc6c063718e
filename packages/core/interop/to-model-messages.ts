import type {
  Block,
  Media,
  MediaBlock,
  PromptBlock,
  PromptMessage,
  Seal,
  ToolResultBlock,
} from "../model/prompt.ts"
import { findWire } from "../wires/wires.ts"
import type { Json } from "../acp/json.ts"
import { type TranslationLoss, loss, type Translated } from "./loss.ts"

/** Messages as the AI SDK's functions take them: the parts of `ModelMessage` that we write. */
export type ModelMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: (TextContent | FileContent)[] }
  | { role: "assistant"; content: (TextContent | FileContent | ReasoningContent | CallContent)[] }
  | { role: "tool"; content: ResultContent[] }

type Options = Record<string, { [name: string]: Json | undefined }>

interface TextContent {
  type: "text"
  text: string
  providerOptions?: Options
}
interface FileContent {
  type: "file"
  mediaType: string
  filename: string
  data: { type: "data"; data: string }
}
interface ReasoningContent {
  type: "reasoning"
  text: string
  providerOptions?: Options
}
interface CallContent {
  type: "tool-call"
  toolCallId: string
  toolName: string
  input: unknown
  providerOptions?: Options
}
interface ResultContent {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: { type: "text" | "error-text"; value: string } | { type: "content"; value: Shown[] }
}
type Shown = { type: "text"; text: string } | FileContent

interface ToModelOptions {
  readonly system?: string
  /** The bytes of a medium in base64; a prompt carries only handles. */
  readonly bytesOf?: (media: Media) => string | undefined
}

/** A lowered prompt as messages for the AI SDK's functions. A medium whose bytes are not given is
 *  named in its place, and that is a loss; so is a seal that the SDK has no option for. */
export function toModelMessages(
  prompt: readonly PromptMessage[],
  options: ToModelOptions = {},
): Translated<ModelMessage[]> {
  const losses: TranslationLoss[] = []
  const work = { options, losses }
  const said = prompt.flatMap(({ role, blocks }, at) => {
    const placed = blocks.map((block, index) => ({ block, path: `/${at}/blocks/${index}` }))
    return role === "assistant" ? answer(placed, work) : question(placed, work)
  })
  const system: ModelMessage[] =
    options.system === undefined ? [] : [{ role: "system", content: options.system }]
  return { value: [...system, ...said], losses }
}

interface Placed {
  readonly block: PromptBlock
  readonly path: string
}

interface Work {
  readonly options: ToModelOptions
  readonly losses: TranslationLoss[]
}

function answer(placed: readonly Placed[], work: Work): ModelMessage[] {
  const content = placed.map(({ block, path }) => {
    switch (block.type) {
      case "text":
        return { type: block.type, text: block.text, ...sealed(block.seal, path, work) }
      case "reasoning":
        return { type: block.type, text: block.text, ...sealed(block.seal, path, work) }
      case "tool-call": {
        const { type, id, name, input, seal } = block
        return { type, toolCallId: id, toolName: name, input, ...sealed(seal, path, work) }
      }
      case "tool-result":
        throw new Error(`the result of call ${block.id} stands in an assistant's message`)
      case "image":
      case "audio":
      case "video":
      case "document":
        return mediaOf(block, path, work)
    }
  })
  return content.length === 0 ? [] : [{ role: "assistant", content }]
}

/** Results go into messages of their own, and all that is said stays in its order. */
function question(placed: readonly Placed[], work: Work): ModelMessage[] {
  const messages: ModelMessage[] = []
  for (const { block, path } of placed) {
    const last = messages.at(-1)
    if (block.type === "tool-result") {
      const result = resultOf(block, path, work)
      if (last?.role === "tool") last.content.push(result)
      else messages.push({ role: "tool", content: [result] })
      continue
    }
    const content = shownOf(block, path, work)
    if (last?.role === "user") last.content.push(content)
    else messages.push({ role: "user", content: [content] })
  }
  return messages
}

function shownOf(block: Exclude<PromptBlock, ToolResultBlock>, path: string, work: Work): Shown {
  if (block.type === "reasoning" || block.type === "tool-call")
    throw new Error(`a ${block.type} stands in a user's message`)
  return block.type === "text" ? { type: "text", text: block.text } : mediaOf(block, path, work)
}

function mediaOf({ media }: MediaBlock, path: string, { options, losses }: Work): Shown {
  const data = options.bytesOf?.(media)
  const { mime, name } = media
  if (data !== undefined)
    return { type: "file", mediaType: mime, filename: name, data: { type: "data", data } }
  losses.push(loss(path, `the bytes of ${name} were not given, so it is only named`))
  return { type: "text", text: `[${name}: ${mime}, ${media.size} bytes]` }
}

function resultOf(block: ToolResultBlock, path: string, work: Work): ResultContent {
  const { id, name, blocks, is_error } = block
  const about = { type: "tool-result", toolCallId: id, toolName: name } as const
  const words = blocks.every(isText) ? blocks.map(({ text }) => text).join("\n") : undefined
  if (words !== undefined)
    return { ...about, output: { type: is_error ? "error-text" : "text", value: words } }
  if (is_error) work.losses.push(loss(path, "a result with media cannot be marked as an error"))
  const value = blocks.map((inner, at) =>
    isText(inner)
      ? { type: "text" as const, text: inner.text }
      : mediaOf(inner, `${path}/blocks/${at}`, work),
  )
  return { ...about, output: { type: "content", value } }
}

function isText(block: Block): block is Extract<Block, { type: "text" }> {
  return block.type === "text"
}

function sealed(
  seal: Seal | undefined,
  path: string,
  { losses }: Work,
): { providerOptions?: Options } {
  if (!seal) return {}
  const { api, model: _, ...values } = seal
  const known = findWire(api)?.sdk_seals
  const kept = Object.entries(values).flatMap(([name, value]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name that it lacks finds nothing
    const field = known?.options[name as keyof typeof known.options]
    if (field === undefined)
      losses.push(loss(`${path}/seal/${name}`, `the SDK has no option for it of ${api}`))
    return field === undefined ? [] : [[field, value] as const]
  })
  if (!known || kept.length === 0) return {}
  return { providerOptions: { [known.provider]: Object.fromEntries(kept) } }
}
