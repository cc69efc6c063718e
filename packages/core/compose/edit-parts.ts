import type { PartData } from "../parts/define-part.ts"
import { definitionOf, openPart } from "../parts/table.ts"
import type { ComposerNode } from "./node.ts"
import { parse } from "./parse.ts"
import { type ComposerPiece, serialize, withChips } from "./serialize.ts"
import type { Vocabulary } from "./vocabulary.ts"

interface EditableSource {
  readonly source: string
  readonly nodes: readonly ComposerNode[]
  /** What no text can stand for: attachments, the editor's state. It stays beside the draft. */
  readonly rest: readonly PartData[]
}

/** The way back of the bridge (EA-041): a message as something to write on. Parts that were derived
 *  from others are left out, since sending derives them again. */
export function inputOfParts(parts: readonly PartData[], vocabulary: Vocabulary): EditableSource {
  const pieces: ComposerPiece[] = []
  const rest: PartData[] = []
  for (const part of parts) {
    if (part.derived_from !== undefined || part.argument_of !== undefined) continue
    const known = openPart(part)
    const written = definitionOf(known).source(known)
    if (written.length === 0) rest.push(part)
    else if (touches(pieces.at(-1), written[0])) pieces.push("\n", ...written)
    else pieces.push(...written)
  }
  const { source, nodes } = serialize(pieces)
  return { source, nodes: withChips(parse(source, vocabulary), nodes), rest }
}

/** Two texts that were apart stay apart. */
function touches(left: ComposerPiece | undefined, right: ComposerPiece | undefined): boolean {
  return (
    typeof left === "string" && typeof right === "string" && /\S$/.test(left) && /^\S/.test(right)
  )
}
