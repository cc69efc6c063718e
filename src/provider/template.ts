import { randomUUID } from "node:crypto"
import type { PromptBlock, PromptMessage, ToolCallBlock, ToolResultBlock } from "../model/prompt.ts"
import { StoredJson } from "../model/stored-call.ts"
import { StoredText } from "../model/stored-text.ts"
import { callId } from "./names.ts"
import type { Fragment } from "./provider.ts"
import { toBytes } from "./slab.ts"

type Encode = (message: PromptMessage, model?: string) => Fragment

/** The same encoder, faster for what most of a history is: texts as they are stored, calls, and
 *  results that are text. Messages of one shape differ on the wire in their texts, ids and inputs
 *  alone; so one of each shape is encoded with holes in their place, and the others fill them. */
export function templated(encode: Encode): Encode {
  let shelf: Shelf = { model: "", templates: new Map() }
  return (message, model = "") => {
    const cast = castOf(message)
    if (!cast) return encode(message, model)
    // One model is asked for a while, and then another.
    if (shelf.model !== model) shelf = { model, templates: new Map() }
    let template = shelf.templates.get(cast.shape)
    if (template === undefined) {
      template = templateOf(encode(withHoles(message), model))
      if (shelf.templates.size < MAX_TEMPLATES) shelf.templates.set(cast.shape, template)
    }
    return template ? fill(template, cast.fillings) : encode(message, model)
  }
}

interface Shelf {
  readonly model: string
  readonly templates: Map<string, Template | null>
}

const MAX_TEMPLATES = 1000
/** As many as a digit of base 36 tells apart. */
const MAX_FILLINGS = 36

/** What two messages share that differ in the fillings alone, and those. */
interface Cast {
  shape: string
  readonly fillings: string[]
}

/** Undefined for a message that is not of the common kind. */
function castOf({ role, blocks }: PromptMessage): Cast | undefined {
  if (blocks.length === 0) return undefined
  const cast: Cast = { shape: role, fillings: [] }
  for (const block of blocks) if (!castBlock(cast, block, role)) return undefined
  return cast.fillings.length <= MAX_FILLINGS ? cast : undefined
}

function castBlock(cast: Cast, block: PromptBlock, role: PromptMessage["role"]): boolean {
  switch (block.type) {
    case "text": {
      if (!(block instanceof StoredText) || block.seal) return false
      // What an assistant said is sent without the white space at its end.
      const said = role === "user" ? block : block.trimEnd()
      cast.shape += " text"
      return said !== undefined && cast.fillings.push(said.json) > 0
    }
    case "tool-call":
      return castCall(cast, block)
    case "tool-result":
      return castResult(cast, block)
    case "image":
    case "audio":
    case "video":
    case "document":
    case "reasoning":
      return false
  }
}

function castCall(cast: Cast, { id, name, input, seal }: ToolCallBlock): boolean {
  if (seal || !(input instanceof StoredJson)) return false
  cast.shape += ` call ${name}`
  return cast.fillings.push(callId(id), input.json) > 0
}

function castResult(cast: Cast, { id, name, blocks, is_error }: ToolResultBlock): boolean {
  if (is_error || blocks.length === 0) return false
  cast.shape += ` result ${blocks.length} ${name}`
  cast.fillings.push(callId(id))
  for (const block of blocks) {
    if (!(block instanceof StoredText) || block.seal) return false
    cast.fillings.push(block.json)
  }
  return true
}

// Nine letters and digits, as ids are on every wire; nobody outside this process knows them.
const SECRET = randomUUID().replaceAll("-", "").slice(0, 8)
const HOLE = new RegExp(`\\{"${SECRET}(.)":0\\}|\\{\\\\"${SECRET}(.)\\\\":0\\}|${SECRET}(.)`)

/** The same message with holes, in the order in which `castOf` gives the fillings. */
function withHoles({ role, blocks }: PromptMessage): PromptMessage {
  let made = 0
  const hole = () => `${SECRET}${(made++).toString(MAX_FILLINGS)}`
  const inBlock = (block: PromptBlock): PromptBlock => {
    if (block.type === "tool-call")
      return { ...block, id: hole(), input: new StoredJson(`{"${hole()}":0}`) }
    if (block.type !== "tool-result") return new StoredText(hole())
    return { ...block, id: hole(), blocks: block.blocks.map(() => new StoredText(hole())) }
  }
  return { role, blocks: blocks.map(inBlock) }
}

/** What stands around the holes, and what each is filled with. */
interface Template extends Pick<Fragment, "roles" | "tools"> {
  readonly before: string
  readonly holes: readonly Hole[]
}

interface Hole {
  readonly filling: number
  /** It stands in a string. */
  readonly escaped: boolean
  readonly after: string
}

/** Null when the holes cannot be seen in what became of them. */
function templateOf({ pieces, roles, tools }: Fragment): Template | null {
  const [bytes] = pieces
  if (pieces.length !== 1 || !(bytes instanceof Uint8Array)) return null
  const [before = "", ...found] = `${Buffer.from(bytes).toString()},`.split(HOLE)
  const holes = Array.from({ length: found.length / 4 }, (_, at): Hole => {
    const [plain, escaped, text, after = ""] = found.slice(at * 4, at * 4 + 4)
    const filling = Number.parseInt(plain ?? escaped ?? text ?? "", MAX_FILLINGS)
    return { filling, escaped: escaped !== undefined, after }
  })
  return { before, holes, ...(roles ? { roles } : {}), ...(tools ? { tools } : {}) }
}

function fill({ before, holes, roles, tools }: Template, fillings: readonly string[]): Fragment {
  let text = before
  for (const { filling, escaped, after } of holes) {
    const json = fillings[filling] ?? ""
    text += escaped ? JSON.stringify(json).slice(1, -1) + after : json + after
  }
  const bytes = toBytes(text, ",".length)
  const made = { pieces: [bytes], size: bytes.length, roles: roles ?? [] }
  return tools ? { ...made, tools } : made
}
