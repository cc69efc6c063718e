import type { PromptBlock, PromptMessage, ToolCallBlock, ToolResultBlock } from "../model/prompt.ts"
import { StoredJson } from "../model/stored-call.ts"
import { StoredText } from "../model/stored-text.ts"
import { callId } from "./names.ts"
import type { WireFragment } from "./body.ts"
import { TextFragment } from "./text-fragment.ts"

type Encode = (message: PromptMessage, model?: string) => WireFragment

/** The same encoder of a wire, faster for what most of a history is: texts as they are stored, calls, and
 *  results that are text. Messages of one shape differ on the wire in their texts, ids and inputs
 *  alone; so one of each shape is encoded with holes in their place, and the others fill them. */
export function withTemplate(encode: Encode): Encode {
  let shelf = new Shelf("")
  return (message, model = "") => {
    // One model is asked for a while, and then another.
    if (shelf.model !== model) shelf = new Shelf(model)
    const cast = castOf(message, shelf)
    if (!cast) return encode(message, model)
    const { shape, fillings } = cast
    shape.template ??= templateOf(encode(withHoles(message), model))
    return shape.template === "none" ? encode(message, model) : fill(shape.template, fillings)
  }
}

/** Messages of the same blocks up to here; those that go on are found from here. A key for a whole
 *  message would have to be put together for each of them. */
class Shape {
  template: Template | "none" | undefined
  text: Shape | undefined
  readonly calls = new Map<string, Shape>()
  /** By the number of texts in a result. */
  readonly results: Map<string, Shape>[] = []
}

const MAX_SHAPES = 1000

/** The shapes of what is said to one model. */
class Shelf {
  readonly model: string
  readonly user = new Shape()
  readonly assistant = new Shape()
  #shapes = 0

  constructor(model: string) {
    this.model = model
  }

  /** Undefined when there are enough of them. */
  add(): Shape | undefined {
    if (this.#shapes >= MAX_SHAPES) return undefined
    this.#shapes += 1
    return new Shape()
  }

  find(shapes: Map<string, Shape>, name: string): Shape | undefined {
    const known = shapes.get(name)
    if (known) return known
    const made = this.add()
    if (made) shapes.set(name, made)
    return made
  }
}

/** As many as a digit of base 36 tells apart. */
const MAX_FILLINGS = 36

/** What two messages share that differ in the fillings alone, and those. */
interface Cast {
  shape: Shape
  readonly shelf: Shelf
  readonly fillings: string[]
}

/** Undefined for a message that is not of the common kind. */
function castOf({ role, blocks }: PromptMessage, shelf: Shelf): Cast | undefined {
  if (blocks.length === 0 || blocks.length > MAX_FILLINGS) return undefined
  const cast: Cast = { shape: shelf[role], shelf, fillings: [] }
  for (const block of blocks) if (!castBlock(cast, block, role)) return undefined
  return cast.fillings.length <= MAX_FILLINGS ? cast : undefined
}

function castBlock(cast: Cast, block: PromptBlock, role: PromptMessage["role"]): boolean {
  switch (block.type) {
    case "text": {
      if (!(block instanceof StoredText) || block.seal) return false
      // What an assistant said is sent without the white space at its end.
      const said = role === "user" ? block : block.trimEnd()
      if (!said) return false
      cast.fillings.push(said.json)
      return goOn(cast, (cast.shape.text ??= cast.shelf.add()))
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

function goOn(cast: Cast, shape: Shape | undefined): boolean {
  if (shape) cast.shape = shape
  return shape !== undefined
}

function castCall(cast: Cast, { id, name, input, seal }: ToolCallBlock): boolean {
  if (seal || !(input instanceof StoredJson)) return false
  cast.fillings.push(callId(id), input.json)
  return goOn(cast, cast.shelf.find(cast.shape.calls, name))
}

function castResult(cast: Cast, { id, name, blocks, is_error }: ToolResultBlock): boolean {
  if (is_error || blocks.length === 0 || blocks.length > MAX_FILLINGS) return false
  cast.fillings.push(callId(id))
  for (const block of blocks) {
    if (!(block instanceof StoredText) || block.seal) return false
    cast.fillings.push(block.json)
  }
  const shapes = (cast.shape.results[blocks.length] ??= new Map())
  return goOn(cast, cast.shelf.find(shapes, name))
}

// Nine letters and digits, as ids are on every wire; nobody outside this process knows them.
const SECRET = crypto.randomUUID().replaceAll("-", "").slice(0, 8)
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
interface Template extends Pick<WireFragment, "roles" | "tools"> {
  readonly before: string
  readonly holes: readonly Hole[]
}

interface Hole {
  readonly filling: number
  /** It stands in a string. */
  readonly escaped: boolean
  readonly after: string
}

/** None when the holes cannot be seen in what became of them. */
function templateOf({ pieces, roles, tools }: WireFragment): Template | "none" {
  const [bytes] = pieces
  if (pieces.length !== 1 || !(bytes instanceof Uint8Array)) return "none"
  const [before = "", ...found] = new TextDecoder().decode(bytes).split(HOLE)
  const holes = Array.from({ length: found.length / 4 }, (_, at): Hole => {
    const [plain, escaped, text, after = ""] = found.slice(at * 4, at * 4 + 4)
    const filling = Number.parseInt(plain ?? escaped ?? text ?? "", MAX_FILLINGS)
    return { filling, escaped: escaped !== undefined, after }
  })
  return { before, holes, ...(roles ? { roles } : {}), ...(tools ? { tools } : {}) }
}

function fill(
  { before, holes, roles, tools }: Template,
  fillings: readonly string[],
): WireFragment {
  let text = before
  for (const { filling, escaped, after } of holes) {
    const json = fillings[filling] ?? ""
    text += escaped ? JSON.stringify(json).slice(1, -1) + after : json + after
  }
  return new TextFragment(text, roles, tools)
}
