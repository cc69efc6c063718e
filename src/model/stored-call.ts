import { closingQuote, isSentAsItStands, StoredText, storedTextAt } from "./stored-text.ts"

/** JSON as it stands in a row; `value` is opened for whoever wants to read it. */
export class StoredJson {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }

  toJSON(): unknown {
    return JSON.parse(this.json)
  }
}

/** A finished call of a tool, opened no further than it takes to send it again. */
export interface StoredCall {
  type: string
  tool_call_id: string
  /** An object. */
  input: StoredJson
  /** What the model is shown of its result. */
  blocks: readonly StoredText[]
}

const CALL_OPENS = '{"type":"tool-'

/** The row of a call that gave a result of nothing but text; undefined for any other row. */
export function storedCall(row: string): StoredCall | undefined {
  if (!row.startsWith(CALL_OPENS)) return undefined
  try {
    const cursor: Cursor = { json: row, at: 1, name: "" }
    const call = readCall(cursor)
    return cursor.at === row.length ? call : undefined
  } catch {
    return undefined
  }
}

/** A place in a row. Slices of it are slow to look into, so that everything is read from here. */
interface Cursor {
  readonly json: string
  at: number
  /** Of the field that was come to last. */
  name: string
}

function readCall(cursor: Cursor): StoredCall | undefined {
  let type = ""
  let tool_call_id = ""
  let input: StoredJson | undefined
  let blocks: StoredText[] | undefined
  while (nextField(cursor))
    switch (cursor.name) {
      case "type":
        type = readText(cursor)
        break
      case "tool_call_id":
        tool_call_id = readText(cursor)
        break
      case "state":
        if (readText(cursor) !== "output-available") return undefined
        break
      case "input":
        if (cursor.json.charCodeAt(cursor.at) !== OPENING_BRACE) return undefined
        input = new StoredJson(readRaw(cursor))
        break
      case "output":
        blocks = readOutput(cursor)
        break
      case "seal": // Who takes a seal back wants it with the call: that is decided elsewhere.
        return undefined
      default: // Nothing that a model is told.
        cursor.at = endOf(cursor)
    }
  return input && blocks && blocks.length > 0 ? { type, tool_call_id, input, blocks } : undefined
}

/** The data first, then what is shown beside it; undefined when that is not only text. */
function readOutput(cursor: Cursor): StoredText[] | undefined {
  take(cursor, OPENING_BRACE)
  let data: StoredText[] | undefined = []
  let blocks: StoredText[] | undefined = []
  while (nextField(cursor))
    if (cursor.name === "data") data = readData(cursor)
    else if (cursor.name === "blocks") blocks = readBlocks(cursor)
    else cursor.at = endOf(cursor)
  return data && blocks && [...data, ...blocks]
}

/** A text is shown as it is, anything else as its JSON. */
function readData(cursor: Cursor): StoredText[] | undefined {
  const { json, at: start } = cursor
  const raw = readRaw(cursor)
  if (raw === "null" || raw === '""') return []
  if (json.charCodeAt(start) !== QUOTE) return [new StoredText(JSON.stringify(raw).slice(1, -1))]
  const fits = isSentAsItStands(json, start + 1, cursor.at - 1)
  return fits ? [new StoredText(raw.slice(1, -1))] : undefined
}

function readBlocks(cursor: Cursor): StoredText[] | undefined {
  const blocks: StoredText[] = []
  take(cursor, OPENING_BRACKET)
  while (cursor.json.charCodeAt(cursor.at) !== CLOSING_BRACKET) {
    if (blocks.length > 0) take(cursor, COMMA)
    const stored = storedTextAt(cursor.json, cursor.at)
    if (!stored) return undefined
    cursor.at += stored.length
    blocks.push(stored.text)
  }
  take(cursor, CLOSING_BRACKET)
  return blocks
}

/** Go to the value of the next field; false behind the last. */
function nextField(cursor: Cursor): boolean {
  const { json } = cursor
  const code = json.charCodeAt(cursor.at)
  if (code === CLOSING_BRACE) {
    cursor.at += 1
    return false
  }
  if (code === COMMA) cursor.at += 1
  cursor.name = readText(cursor)
  take(cursor, COLON)
  return true
}

function readText(cursor: Cursor): string {
  const { json } = cursor
  take(cursor, QUOTE)
  const start = cursor.at
  const end = closingQuote(json, start)
  if (end < 0) throw new SyntaxError("a string does not end")
  cursor.at = end + 1
  const text = json.slice(start, end)
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text
}

function readRaw(cursor: Cursor): string {
  const start = cursor.at
  cursor.at = endOf(cursor)
  return cursor.json.slice(start, cursor.at)
}

function take(cursor: Cursor, code: number) {
  if (cursor.json.charCodeAt(cursor.at) !== code)
    throw new SyntaxError(`${String.fromCharCode(code)} is missing`)
  cursor.at += 1
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** Where the value ends that begins here. */
function endOf({ json, at: from }: Cursor): number {
  let depth = 0
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = closingQuote(json, at + 1)
      if (at < 0) break
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 0) return at
      depth -= 1
    } else if (code === COMMA && depth === 0) return at
  }
  throw new SyntaxError("a value does not end")
}
