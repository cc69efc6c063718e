import { TextFragment } from "./text-fragment.ts"
import { concatenate, type WireFragment, type WirePiece, total, utf8 } from "./body.ts"

/** Closed messages as one fragment, the bytes of short ones together. */
export function foldMessages(messages: readonly WireFragment[]): WireFragment {
  const sheet = new Sheet()
  const roles: string[] = []
  const tools = new Set<string>()
  for (const [at, message] of messages.entries()) {
    addMessage(sheet, message, at === 0 ? "" : ",")
    if (message.roles) roles.push(...message.roles)
    if (message.tools) for (const name of message.tools) tools.add(name)
  }
  const pieces = sheet.end()
  const size = total(pieces)
  return tools.size > 0 ? { pieces, size, roles, tools: [...tools] } : { pieces, size, roles }
}

function addMessage(sheet: Sheet, message: WireFragment, before: string) {
  const text = message instanceof TextFragment ? message.text : undefined
  if (text !== undefined) return sheet.addText(before + text)
  const [first, ...rest] = message.pieces
  if (!(first instanceof Uint8Array)) throw new Error("a message does not begin with bytes")
  sheet.addText(before)
  sheet.addBytes(first)
  sheet.addAsTheyAre(rest)
}

/** Longer texts are no faster to write, and take a large object to put together. */
const TEXT_CHARACTERS = 32 * 1024
/** Pieces from here on stay as they are. */
const LARGE_BYTES = 4 * 1024

/** Bytes one after the other in few pieces: small neighbours are copied together. */
class Sheet {
  readonly #pieces: WirePiece[] = []
  #small: Uint8Array[] = []
  #text = ""

  addText(text: string) {
    this.#text += text
    if (this.#text.length >= TEXT_CHARACTERS) this.#write()
  }

  addBytes(bytes: Uint8Array) {
    this.#write()
    this.#add(bytes)
  }

  // Some pieces are found by their identity (a document's number).
  addAsTheyAre(pieces: readonly WirePiece[]) {
    if (pieces.length > 0) this.#flush().push(...pieces)
  }

  end(): readonly WirePiece[] {
    return this.#flush()
  }

  #flush(): WirePiece[] {
    this.#write()
    if (this.#small.length > 0) this.#pieces.push(together(this.#small))
    this.#small = []
    return this.#pieces
  }

  #write() {
    if (this.#text === "") return
    const bytes = bytesOf(this.#text)
    this.#text = ""
    this.#add(bytes)
  }

  #add(bytes: Uint8Array) {
    if (bytes.length < LARGE_BYTES) this.#small.push(bytes)
    else this.#flush().push(bytes)
  }
}

const MOST_BYTES_OF_A_CHARACTER = 3
const scratch = new Uint8Array(TEXT_CHARACTERS * MOST_BYTES_OF_A_CHARACTER)
const encoder = new TextEncoder()

/** Written where there is room in any case, and copied: to count first takes longer. */
function bytesOf(text: string): Uint8Array {
  if (text.length > TEXT_CHARACTERS) return utf8(text)
  return scratch.slice(0, encoder.encodeInto(text, scratch).written)
}

function together(small: readonly Uint8Array[]): Uint8Array {
  const [first] = small
  return first && small.length === 1 ? first : concatenate(small)
}
