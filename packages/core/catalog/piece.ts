/** A slot of a template: `raw` is how it was written, `at` where in the body. */
interface Written {
  readonly raw: string
  readonly at: number
}

export type ArgumentPiece =
  /** The argument of that place, counted from 0 whatever the dialect counts from. */
  | (Written & { readonly type: "positional"; readonly index: number })
  | (Written & {
      readonly type: "rest"
      readonly from: number
      readonly count: number | null
      /** No words are an empty value; otherwise the slot then stays as written. */
      readonly orEmpty: boolean
    })
  | (Written & { readonly type: "all" })
  | (Written & { readonly type: "named"; readonly name: string })
  /** What the host knows and the user did not type: the selection, the open file. */
  | (Written & { readonly type: "host"; readonly name: string })

export type SlotPiece =
  | ArgumentPiece
  | (Written & { readonly type: "shell"; readonly pieces: readonly TemplatePiece[] })
  | (Written & { readonly type: "file"; readonly pieces: readonly TemplatePiece[] })

export type TemplatePiece = { readonly type: "literal"; readonly text: string } | SlotPiece

/** What stands at a place: a slot or a literal, and how many characters it took. */
export interface TemplateToken {
  readonly piece: TemplatePiece
  readonly length: number
}
export type NextToken = (text: string, at: number) => TemplateToken | undefined

/** The pieces of a text, with what lies between the slots as literals. `offset` is where the text
 *  stands in the body. */
export function piecesOf(text: string, offset: number, next: NextToken): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let literal = ""
  let from = 0
  for (let at = trigger(text, 0); at < text.length; ) {
    const token = next(text, at)
    if (!token) {
      at = trigger(text, at + 1)
      continue
    }
    literal += text.slice(from, at)
    if (token.piece.type === "literal") literal += token.piece.text
    else {
      if (literal !== "") pieces.push({ type: "literal", text: literal })
      literal = ""
      pieces.push(moved(token.piece, offset))
    }
    from = at + token.length
    at = trigger(text, from)
  }
  literal += text.slice(from)
  if (literal !== "") pieces.push({ type: "literal", text: literal })
  return pieces
}

/** No dialect has a slot that begins with another character. */
const TRIGGER = /[$\\{!@]/g

function trigger(text: string, from: number): number {
  TRIGGER.lastIndex = from
  return TRIGGER.exec(text)?.index ?? text.length
}

function moved(piece: SlotPiece, offset: number): SlotPiece {
  return offset === 0 ? piece : { ...piece, at: piece.at + offset }
}

/** Every slot, those inside shell commands and file names included. */
export function* slotsOf(pieces: readonly TemplatePiece[]): Generator<SlotPiece> {
  for (const piece of pieces) {
    if (piece.type === "literal") continue
    yield piece
    if (piece.type === "shell" || piece.type === "file") yield* slotsOf(piece.pieces)
  }
}

/** Whether what the user typed goes anywhere. */
export function takesArguments(pieces: readonly TemplatePiece[]): boolean {
  for (const slot of slotsOf(pieces))
    if (slot.type !== "host" && slot.type !== "shell" && slot.type !== "file") return true
  return false
}
