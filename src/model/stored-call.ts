import { closingQuote, storedTextAt } from "./stored-text.ts"

/** What is needed of a stored call of a tool to send it again; what else stands in its row is
 *  skipped. */
export interface StoredCall {
  type: string
  tool_call_id: string
  state: string
  input: unknown
  output: { data: unknown; blocks: readonly unknown[] | undefined } | undefined
  error_text: string | undefined
  invalid: string | undefined
  seal: unknown
}

const CALL_OPENS = '{"type":"tool-'

/** The row of a call, opened no further than that; undefined for any other row. Its input and its
 *  data are what `JSON.parse` gives, the texts of its blocks as they stand. */
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

function readCall(cursor: Cursor): StoredCall {
  const call: StoredCall = {
    type: "",
    tool_call_id: "",
    state: "",
    input: undefined,
    output: undefined,
    error_text: undefined,
    invalid: undefined,
    seal: undefined,
  }
  while (nextField(cursor))
    switch (cursor.name) {
      case "type":
        call.type = readText(cursor)
        break
      case "tool_call_id":
        call.tool_call_id = readText(cursor)
        break
      case "state":
        call.state = readText(cursor)
        break
      case "input":
        call.input = readValue(cursor)
        break
      case "output":
        call.output = readOutput(cursor)
        break
      case "error_text":
        call.error_text = readText(cursor)
        break
      case "invalid":
        call.invalid = readText(cursor)
        break
      case "seal":
        call.seal = readValue(cursor)
        break
      default: // Nothing that a model is told.
        cursor.at = endOf(cursor)
    }
  return call
}

function readOutput(cursor: Cursor): NonNullable<StoredCall["output"]> {
  take(cursor, OPENING_BRACE)
  const output: NonNullable<StoredCall["output"]> = { data: undefined, blocks: undefined }
  while (nextField(cursor))
    if (cursor.name === "blocks") output.blocks = readBlocks(cursor)
    else if (cursor.name === "data") output.data = readValue(cursor)
    else cursor.at = endOf(cursor)
  return output
}

function readBlocks(cursor: Cursor): unknown[] {
  const blocks: unknown[] = []
  take(cursor, OPENING_BRACKET)
  while (cursor.json.charCodeAt(cursor.at) !== CLOSING_BRACKET) {
    if (blocks.length > 0) take(cursor, COMMA)
    const stored = storedTextAt(cursor.json, cursor.at)
    if (stored) cursor.at += stored.length
    blocks.push(stored ? stored.text : readValue(cursor))
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

function readValue(cursor: Cursor): unknown {
  const start = cursor.at
  cursor.at = endOf(cursor)
  return JSON.parse(cursor.json.slice(start, cursor.at))
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
