import type { Media, TextBlock } from "../model/prompt.ts"
import { StoredJson } from "../model/stored-call.ts"
import { StoredText } from "../model/stored-text.ts"
import { TextFragment } from "./text-fragment.ts"
import { type WireFragment, type WirePiece, total, utf8 } from "./body.ts"

/** Closed wire messages as bytes, with a comma between each two. They are JSON, in which media and
 *  stored texts may stand where a string would. */
export function messageFragment(
  messages: readonly object[],
  about: Pick<WireFragment, "roles" | "tools"> = {},
): WireFragment {
  const { roles = messages.map(roleOf), tools } = about
  const page: Page = { pieces: [], text: "" }
  for (const [at, message] of messages.entries()) {
    if (at > 0) page.text += ","
    write(page, message)
  }
  if (page.pieces.length === 0) return new TextFragment(page.text, roles, tools)
  const pieces = [...page.pieces, utf8(page.text)]
  const size = total(pieces)
  return tools && tools.length > 0 ? { pieces, size, roles, tools } : { pieces, size, roles }
}

function roleOf(message: object): string {
  return "role" in message ? String(message.role) : ""
}

/** What was written: whole pieces, and the text that follows them. */
interface Page {
  readonly pieces: WirePiece[]
  text: string
}

/** A string of which a piece is given apart. */
class Place {
  readonly before: string
  readonly piece: WirePiece

  constructor(before: string, piece: WirePiece) {
    this.before = before
    this.piece = piece
  }
}

/** A string that is escaped already. */
class Escaped {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

/** Stands where a string would in the JSON that `messageFragment` is given. */
export type WireString = string | Place | Escaped

export function base64Of(media: Media): WireString {
  return new Place("", media)
}

export function dataUrlOf(media: Media): WireString {
  return new Place(`data:${media.mime};base64,`, media)
}

/** A string that ends in a piece of which only its place is known yet. */
export function endingIn(before: string, piece: Uint8Array): WireString {
  return new Place(before, piece)
}

/** The words of a block; those of a stored one are not escaped again. */
export function fragmentWords(block: TextBlock): WireString {
  return block instanceof StoredText ? new Escaped(block.json) : block.text
}

/** The words of several, with an empty line between each two. */
export function paragraphs(blocks: readonly TextBlock[]): WireString {
  const [first] = blocks
  if (first && blocks.length === 1) return fragmentWords(first)
  if (blocks.every((block) => block instanceof StoredText))
    return new Escaped(blocks.map(({ json }) => json).join("\\n\\n"))
  return blocks.map(({ text }) => text).join("\n\n")
}

/** As `JSON.stringify` writes it. */
function write(page: Page, value: unknown) {
  switch (typeof value) {
    case "string":
      page.text += quoted(value)
      return
    case "number":
      page.text += Number.isFinite(value) ? value : "null"
      return
    case "boolean":
      page.text += value
      return
    case "object":
      if (value === null) page.text += "null"
      else if (Array.isArray(value)) writeList(page, value)
      else writeObject(page, value)
      return
    case "bigint":
    case "function":
    case "symbol":
    case "undefined":
      page.text += "null"
  }
}

function writeList(page: Page, values: readonly unknown[]) {
  let before = "["
  for (const value of values) {
    page.text += before
    write(page, value)
    before = ","
  }
  page.text += before === "[" ? "[]" : "]"
}

function writeObject(page: Page, value: object) {
  if (value instanceof Escaped) page.text += `"${value.json}"`
  else if (value instanceof Place) writePlace(page, value)
  else if (value instanceof StoredJson) page.text += value.json
  else if (value instanceof StoredText) writeFields(page, openBlock(value))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left has only fields
  else writeFields(page, value as Readonly<Record<string, unknown>>)
}

function writePlace(page: Page, { before, piece }: Place) {
  page.text += quoted(before).slice(0, -1)
  page.pieces.push(utf8(page.text), piece)
  page.text = '"'
}

function openBlock(block: StoredText): Readonly<Record<string, unknown>> {
  return { type: block.type, text: fragmentWords(block), seal: block.seal }
}

// Most fields are short strings: they are gathered here before they go to the page.
function writeFields(page: Page, fields: Readonly<Record<string, unknown>>) {
  let text = "{"
  let before = ""
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    text += `${before}${quoted(name)}:`
    before = ","
    if (typeof value === "string") {
      text += quoted(value)
      continue
    }
    page.text += text
    write(page, value)
    text = ""
  }
  page.text += `${text}}`
}

const SHORT_CHARACTERS = 40

function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** Names and ids seldom have anything to escape, and looking is cheaper than asking for it. */
function isPlain(text: string): boolean {
  if (text.length > SHORT_CHARACTERS) return false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit > 0x7e) return false
  }
  return true
}
