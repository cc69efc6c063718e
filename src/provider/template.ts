import { randomUUID } from "node:crypto"
import type { PromptBlock, PromptMessage } from "../model/prompt.ts"
import { StoredText } from "../model/stored-text.ts"
import { callId } from "./names.ts"
import type { Fragment } from "./provider.ts"
import { toBytes } from "./slab.ts"
import { trimmed } from "./speech.ts"

type Encode = (message: PromptMessage, model?: string) => Fragment

/** The same encoder, faster for what most of a history is: texts as they are stored, calls, and
 *  results of one text. Messages of one shape differ on the wire in their texts, ids and inputs
 *  alone; so one of each shape is encoded with holes in their place, and the others fill them. */
export function templated(encode: Encode): Encode {
  const templates = new Map<string, Template | null>()
  return (message, model = "") => {
    const shape = shapeOf(message)
    if (shape === undefined) return encode(message, model)
    const key = `${model} ${shape}`
    let template = templates.get(key)
    if (template === undefined) {
      template = templateOf(message, (sample) => encode(sample, model))
      if (templates.size >= MAX_TEMPLATES) templates.clear()
      templates.set(key, template)
    }
    return template ? fill(template, message) : encode(message, model)
  }
}

const MAX_TEMPLATES = 1000
const MAX_BLOCKS = 4

/** What two messages share that differ only in what fills the holes; undefined for a message that is
 *  not of the common kind. */
function shapeOf({ role, blocks }: PromptMessage): string | undefined {
  if (blocks.length === 0 || blocks.length > MAX_BLOCKS) return undefined
  let shape: string = role
  for (const block of blocks) {
    const kind = kindOf(block, role)
    if (kind === undefined) return undefined
    shape += kind
  }
  return shape
}

function kindOf(block: PromptBlock, role: PromptMessage["role"]): string | undefined {
  switch (block.type) {
    case "text":
      return isPlain(block) && (role === "user" || block.trimEnd()) ? " text" : undefined
    case "tool-call":
      return block.seal || !isObject(block.input) ? undefined : ` call ${block.name}`
    case "tool-result": {
      const [only] = block.blocks
      const plain = block.blocks.length === 1 && only?.type === "text" && isPlain(only)
      return plain && !block.is_error ? ` result ${block.name}` : undefined
    }
    case "image":
    case "audio":
    case "video":
    case "document":
    case "reasoning":
      return undefined
  }
}

function isPlain(block: PromptBlock): block is StoredText {
  return block instanceof StoredText && block.seal === undefined
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What stands around the holes, and what each is filled with. */
interface Template extends Pick<Fragment, "roles" | "tools"> {
  readonly before: string
  readonly holes: readonly Hole[]
}

interface Hole {
  readonly block: number
  readonly filling: "text" | "id" | "input" | "escaped-input"
  readonly after: string
}

/** A message of this shape with holes; null when they cannot be seen in what becomes of it. */
function templateOf(message: PromptMessage, encode: (sample: PromptMessage) => Fragment) {
  const blocks = message.blocks.map(withHoles)
  const { pieces, roles, tools } = encode({ role: message.role, blocks })
  const [bytes] = pieces
  if (pieces.length !== 1 || !(bytes instanceof Uint8Array)) return null
  const [before = "", ...rest] = `${Buffer.from(bytes).toString()},`.split(HOLE)
  const holes = Array.from({ length: Math.floor(rest.length / 5) }, (_, index) =>
    holeOf(rest, index * 5),
  )
  const about = { ...(roles ? { roles } : {}), ...(tools ? { tools } : {}) }
  return { before, holes, ...about } satisfies Template
}

// Nine letters and digits, as ids are on every wire; nobody outside this process knows them.
const SECRET = randomUUID().replaceAll("-", "").slice(0, 7)
const HOLE = new RegExp(
  `\\{"${SECRET}n(\\d)":0\\}|\\{\\\\"${SECRET}n(\\d)\\\\":0\\}|${SECRET}([ti])(\\d)`,
)

function withHoles(block: PromptBlock, at: number): PromptBlock {
  switch (block.type) {
    case "tool-call":
      return { ...block, id: `${SECRET}i${at}`, input: { [`${SECRET}n${at}`]: 0 } }
    case "tool-result":
      return { ...block, id: `${SECRET}i${at}`, blocks: [new StoredText(`${SECRET}t${at}`)] }
    case "text":
      return new StoredText(`${SECRET}t${at}`)
    case "image":
    case "audio":
    case "video":
    case "document":
    case "reasoning":
      return block
  }
}

/** What `HOLE` found, and the text behind it. */
function holeOf(found: readonly (string | undefined)[], at: number): Hole {
  const [input, escaped, kind, block] = found.slice(at, at + 4)
  const after = found[at + 4] ?? ""
  if (input !== undefined) return { block: Number(input), filling: "input", after }
  if (escaped !== undefined) return { block: Number(escaped), filling: "escaped-input", after }
  return { block: Number(block), filling: kind === "t" ? "text" : "id", after }
}

function fill({ before, holes, roles, tools }: Template, message: PromptMessage): Fragment {
  let text = before
  for (const { block, filling, after } of holes) text += fillingOf(message, block, filling) + after
  const bytes = toBytes(text, ",".length)
  const made = { pieces: [bytes], size: bytes.length, roles: roles ?? [] }
  return tools ? { ...made, tools } : made
}

function fillingOf(message: PromptMessage, at: number, filling: Hole["filling"]): string {
  const block = message.blocks[at]
  switch (block?.type) {
    case "text":
      return message.role === "user" ? jsonOf(block) : jsonOf(trimmed(block))
    case "tool-result":
      return filling === "id" ? callId(block.id) : jsonOf(block.blocks[0])
    case "tool-call":
      return filling === "id" ? callId(block.id) : inputOf(block.input, filling)
    case "image":
    case "audio":
    case "video":
    case "document":
    case "reasoning":
    case undefined:
      throw new Error(`a template has no hole for ${block?.type}`)
  }
}

function jsonOf(block: PromptBlock | undefined): string {
  if (block instanceof StoredText) return block.json
  throw new Error("a template is filled with text that is not stored")
}

function inputOf(input: unknown, filling: Hole["filling"]): string {
  const json = JSON.stringify(input)
  return filling === "input" ? json : JSON.stringify(json).slice(1, -1)
}
