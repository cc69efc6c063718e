import {
  type CommandPart,
  type FileRefPart,
  isKnown,
  type MentionPart,
  type Part,
  type UnknownPart,
} from "../message/part.ts"
import type { ComposerNode } from "./node.ts"
import { parse } from "./parse.ts"
import type { Chip } from "./print-node.ts"
import { type Piece, serialize, withChips } from "./serialize.ts"
import type { Vocabulary } from "./vocabulary.ts"

type AnyPart = Part | UnknownPart

export interface Editable {
  readonly source: string
  readonly nodes: readonly ComposerNode[]
  /** What no text can stand for: attachments, the editor's state. It stays beside the draft. */
  readonly rest: readonly AnyPart[]
}

/** The way back of the bridge (EA-041): a message as something to write on. Parts that were derived
 *  from others are left out, since sending derives them again. */
export function inputOfParts(parts: readonly AnyPart[], vocabulary: Vocabulary): Editable {
  const pieces: Piece[] = []
  const rest: AnyPart[] = []
  for (const part of parts) {
    if (part.derived_from !== undefined || part.argument_of !== undefined) continue
    const written = piecesOfPart(part)
    if (!written) rest.push(part)
    else if (touches(pieces.at(-1), written[0])) pieces.push("\n", ...written)
    else pieces.push(...written)
  }
  const { source, nodes } = serialize(pieces)
  return { source, nodes: withChips(parse(source, vocabulary), nodes), rest }
}

/** Two texts that were apart stay apart. */
function touches(left: Piece | undefined, right: Piece | undefined): boolean {
  return (
    typeof left === "string" && typeof right === "string" && /\S$/.test(left) && /^\S/.test(right)
  )
}

function piecesOfPart(part: AnyPart): Piece[] | undefined {
  if (!isKnown(part)) return unknownPieces(part)
  switch (part.type) {
    case "text":
      return [part.text]
    case "command":
      return commandPieces(part)
    case "file-ref":
      return referencePieces(part)
    case "mention":
      return mentionPieces(part)
    case "file-attachment":
    case "editor-context":
    case "directory-ref":
      return undefined
  }
}

function unknownPieces(part: UnknownPart): Piece[] | undefined {
  const { type: _type, node_kind: kind, text: raw, ...fields } = part
  if (typeof kind !== "string" || raw === undefined) return undefined
  return [{ ...fields, kind, raw }]
}

function commandPieces({ id, args, chosen, outcome, raw }: CommandPart): Piece[] {
  const { raw: argued, text: _text, ...given } = args
  const chip: Chip = {
    kind: "slash_command",
    name: id.slice(1),
    ...(outcome === "pass-through" ? { unknown: true } : {}),
    ...(chosen === true ? { chosen } : {}),
    ...(Object.keys(given).length > 0 ? { args: given } : {}),
  }
  if (typeof raw === "string" && raw.startsWith(id))
    return [{ ...chip, raw: id }, raw.slice(id.length)]
  return typeof argued === "string" && argued !== "" ? [chip, ` ${argued}`] : [chip]
}

function referencePieces({ ref }: FileRefPart): Piece[] | undefined {
  const { kind: _kind, ...fields } = ref
  if (ref.kind === "path") return [{ ...fields, kind: "file" }]
  if (ref.kind === "mcp") return [{ ...fields, kind: "resource" }]
  return undefined
}

const NAMED: ReadonlySet<string> = new Set(["skill", "symbol", "branch", "context"])

function mentionPieces({ target }: MentionPart): Piece[] | undefined {
  const { kind, ...fields } = target
  if (kind === "file" && typeof target.path === "string") return [{ ...fields, kind }]
  if (typeof target.name !== "string" || target.name === "") return undefined
  return [NAMED.has(kind) ? { ...fields, kind } : { ...fields, kind: "mention", of: kind }]
}
