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
  name: string
  id: string
  /** An object. */
  input: StoredJson
  /** What the model is shown of its result: the data first, then what is shown beside it. */
  blocks: readonly StoredText[]
}

/** The row of a call that gave a result of nothing but text, as a session writes it; undefined for any
 *  other row, which is then opened. It is only looked at where it takes a look to find the way: that
 *  it is JSON is known of a row. */
export function storedCall(row: string): StoredCall | undefined {
  if (!row.startsWith(NAME)) return undefined
  const nameEnd = row.indexOf('"', NAME.length)
  if (!row.startsWith(ID, nameEnd)) return undefined
  const idEnd = row.indexOf('"', nameEnd + ID.length)
  if (!row.startsWith(INPUT, idEnd)) return undefined
  const inputStart = idEnd + INPUT.length - 1
  const inputEnd = endOf(row, inputStart)
  const output = outputAfter(row, inputEnd)
  if (output < 0) return undefined
  const blocks = shownAt(row, output)
  if (!blocks) return undefined
  const name = row.slice(NAME.length, nameEnd)
  const id = row.slice(nameEnd + ID.length, idEnd)
  if (name.includes("\\") || id.includes("\\")) return undefined
  return { name, id, input: new StoredJson(row.slice(inputStart, inputEnd)), blocks }
}

const NAME = '{"type":"tool-'
const ID = '","tool_call_id":"'
const INPUT = '","state":"output-available","input":{'
const OUTPUT = ',"output":{'

/** Where the output of a call is opened, if nothing but single values comes before it; -1 if not. */
function outputAfter(row: string, from: number): number {
  const brace = row.indexOf("{", from)
  const start = brace + 1 - OUTPUT.length
  // A comma before a quote does not occur in a string, where the quote would be escaped.
  return start >= from && row.startsWith(OUTPUT, start) ? brace + 1 : -1
}

const DATA = '"data":'
const BLOCKS = ',"blocks":['

/** The texts that are shown of an output; undefined when there are none, or not only those. */
function shownAt(row: string, from: number): StoredText[] | undefined {
  if (!row.startsWith(DATA, from)) return undefined
  const start = from + DATA.length
  let at = endOf(row, start)
  const shown: StoredText[] = []
  if (!addData(shown, row, { start, end: at })) return undefined
  if (row.startsWith(BLOCKS, at)) {
    at = addBlocks(shown, row, at + BLOCKS.length)
    if (at < 0) return undefined
  }
  return shown.length > 0 && isEnd(row, at) ? shown : undefined
}

/** A text is shown as it is, anything else as its JSON. */
function addData(
  shown: StoredText[],
  row: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const raw = row.slice(start, end)
  if (raw === "null" || raw === '""') return true
  const isText = row.charCodeAt(start) === QUOTE
  if (isText && !isSentAsItStands(row, start + 1, end - 1)) return false
  shown.push(new StoredText((isText ? raw : JSON.stringify(raw)).slice(1, -1)))
  return true
}

/** Where the list ends; -1 when something else than text is in it. */
function addBlocks(shown: StoredText[], row: string, from: number): number {
  let at = from
  while (row.charCodeAt(at) !== CLOSING_BRACKET) {
    if (at > from) at += ",".length
    const stored = storedTextAt(row, at)
    if (!stored) return -1
    shown.push(stored.text)
    at += stored.length
  }
  return at + 1
}

/** Whether nothing more is said in an output, and nothing behind it that a model is told. */
function isEnd(row: string, at: number): boolean {
  if (row.charCodeAt(at) !== CLOSING_BRACE || !row.endsWith("}")) return false
  // Who takes a seal back wants it with the call: that is decided elsewhere.
  return at < row.length - 1 && !row.includes('"seal":', at)
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** Where the value ends that begins at `from`; the end of the row when it does not. */
function endOf(row: string, from: number): number {
  if (row.charCodeAt(from) === QUOTE) return endOfText(row, from)
  let depth = 0
  for (let at = from; at < row.length; at++) {
    const code = row.charCodeAt(at)
    if (code === QUOTE) at = endOfText(row, at) - 1
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (code === COMMA && depth === 0) return at
  }
  return row.length
}

function endOfText(row: string, from: number): number {
  const end = closingQuote(row, from + 1)
  return end < 0 ? row.length : end + 1
}
