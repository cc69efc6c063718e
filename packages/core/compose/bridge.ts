import type { CommandPart } from "../parts/command.ts"
import type { PartData } from "../parts/define-part.ts"
import { printAddress } from "./address.ts"
import { isKnownNode } from "./node-kinds.ts"
import type { ComposerNode, KnownNode, SlashCommandNode } from "./node.ts"
import type { HandlerPayload } from "./slash-commands.ts"
import type { Vocabulary } from "./vocabulary.ts"

/** What is persisted of an input (EA-041): commands, references, and what is said between them, in
 *  order. What a recognised command takes as its arguments is in its part and said nowhere else; the
 *  references among them stand behind it, marked `argument_of`. Its `raw` is all that was typed. An unknown command that leads the
 *  message passes through as it was typed. One inside the text is text, and so is an action that
 *  neither leads nor was chosen (decision 5). */
export function partsOfInput(input: HandlerPayload, vocabulary: Vocabulary): PartData[] {
  return segmentsOf(input, vocabulary).flatMap((segment) => partsOf(input.source, segment))
}

/** A command and what follows it up to the next; the first segment may have none. */
interface Segment {
  readonly command?: SlashCommandNode
  readonly known: boolean
  /** Where the text behind the command starts. */
  readonly start: number
  end: number
  readonly references: ComposerNode[]
}

function segmentsOf({ source, nodes = [] }: HandlerPayload, vocabulary: Vocabulary): Segment[] {
  const lead = source.length - source.trimStart().length
  let segment: Segment = { known: false, start: 0, end: source.length, references: [] }
  const segments = [segment]
  for (const node of nodes) {
    const kind = isCommand(node) ? vocabulary.commands.get(node.name) : undefined
    if (isCommand(node) && isMeant(node, kind, node.start <= lead)) {
      segment.end = node.start
      const known = kind !== undefined
      segment = { command: node, known, start: node.end, end: source.length, references: [] }
      segments.push(segment)
    } else if (isReference(node)) segment.references.push(node)
  }
  return segments
}

function isCommand(node: ComposerNode): node is SlashCommandNode {
  return node.kind === "slash_command"
}

function isMeant(node: SlashCommandNode, kind: string | undefined, leads: boolean): boolean {
  if (leads || (node.chosen && kind !== undefined)) return true
  return kind !== undefined && kind !== "action"
}

/** A command that is not meant, and a place that no file has, stay what was typed. */
function isReference(node: ComposerNode): boolean {
  if (!isKnownNode(node)) return true
  if (node.kind === "file") return node.fault === undefined
  return node.kind !== "text" && node.kind !== "slash_command"
}

function partsOf(source: string, segment: Segment): PartData[] {
  const { command, known, start, end, references } = segment
  if (!command) return proseOf(source, { start, end, references })
  const id = `/${command.name}`
  const args = { ...command.args, ...argumentsOf(source, segment) }
  const chosen = command.chosen === undefined ? {} : { chosen: command.chosen }
  const part: CommandPart = { type: "command", id, args, ...chosen }
  const typed = (to: number) => source.slice(command.start, to)
  if (known) {
    const among = references.map((node) => ({ ...partOf(node), argument_of: id }))
    return [{ ...part, raw: typed(end) }, ...among]
  }
  const next = references[0]?.start ?? end
  const passing: CommandPart = { ...part, outcome: "pass-through", raw: typed(next) }
  return [passing, ...proseOf(source, { start: next, end, references })]
}

interface Prose {
  readonly start: number
  readonly end: number
  readonly references: readonly ComposerNode[]
}

function proseOf(source: string, { start, end, references }: Prose): PartData[] {
  const parts: PartData[] = []
  const say = (from: number, to: number) => {
    const text = source.slice(from, to)
    if (text.trim() !== "") parts.push({ type: "text", text })
  }
  let at = start
  for (const node of references) {
    say(at, node.start)
    parts.push(partOf(node))
    at = node.end
  }
  say(at, end)
  return parts
}

/** `raw` is as it was typed; `text`, where there are references in it, has what they name in their
 *  place, because no model is shown an `@`. */
function argumentsOf(source: string, { start, end, references }: Segment): CommandPart["args"] {
  const raw = source.slice(start, end).trim()
  if (references.length === 0) return { raw }
  let text = ""
  let at = start
  for (const node of references) {
    text += source.slice(at, node.start) + plainOf(node)
    at = node.end
  }
  return { raw, text: (text + source.slice(at, end)).trim() }
}

function plainOf(node: ComposerNode): string {
  if (!isKnownNode(node)) return node.raw
  switch (node.kind) {
    case "file":
      return printAddress(node) ?? node.path
    case "symbol":
    case "branch":
    case "mention":
      return node.name
    case "resource":
      return node.uri
    case "skill": // Loaded by the skill tool.
    case "context": // Stands beside as what the editor said.
      return ""
    case "text":
    case "slash_command":
      return node.raw
  }
}

/** The part of a reference. */
function partOf(node: ComposerNode): PartData {
  if (!isKnownNode(node)) return unknownPart(node)
  return knownPart(node)
}

function knownPart(node: KnownNode): PartData {
  const { kind: _kind, start: _start, end: _end, raw, ...fields } = node
  switch (node.kind) {
    case "file":
      return { type: "file-ref", ref: { ...fields, kind: "path", path: node.path } }
    case "resource":
      return { type: "file-ref", ref: { kind: "mcp", server: node.server, uri: node.uri } }
    case "skill":
    case "symbol":
    case "branch":
    case "context":
      return { type: "mention", target: { ...fields, kind: node.kind } }
    case "mention": {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mention says what it is of
      const { of, ...target } = fields as typeof fields & { of: string }
      return { type: "mention", target: { ...target, kind: of } }
    }
    case "text":
    case "slash_command":
      return { type: "text", text: raw }
  }
}

const TYPE_CHARACTERS = 64

/** A kind that this version does not know is kept whole, and shown by how it was typed. */
function unknownPart(node: ComposerNode): PartData {
  const { kind, start: _start, end: _end, raw, ...fields } = node
  const slug = kind.toLowerCase().replace(/[^a-z0-9-]/g, "-")
  return { ...fields, type: `node-${slug}`.slice(0, TYPE_CHARACTERS), node_kind: kind, text: raw }
}
