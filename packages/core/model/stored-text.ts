import type { Seal, TextBlock } from "./prompt.ts"

/** Text as it stands in a row, between its quotes. Most of a history is only passed on: its bytes
 *  are spliced into a request as they are, and `text` is opened for whoever wants to read it. */
export class StoredText implements TextBlock {
  readonly type = "text"
  /** JSON, already escaped. It is neither blank nor holds half a character: most of what is asked of
   *  a text need not be asked of this one. */
  readonly json: string
  declare readonly seal?: Seal

  constructor(json: string, seal?: Seal) {
    this.json = json
    if (seal) this.seal = seal
  }

  get text(): string {
    return JSON.parse(`"${this.json}"`)
  }

  /** The same without white space at its end; undefined when that cannot be seen from here. */
  trimEnd(): StoredText | undefined {
    const { json, seal } = this
    let end = json.length
    while (end > 0) {
      const length = spaceBefore(json, end)
      if (length === 0) break
      end -= length
    }
    if (NUMBERED.test(json.slice(Math.max(0, end - NUMBERED_LENGTH), end))) return undefined
    return end === json.length ? this : new StoredText(json.slice(0, end), seal)
  }

  toJSON(): TextBlock {
    const { type, text, seal } = this
    return seal ? { type, text, seal } : { type, text }
  }
}

/** A character by its number, which may be white space too. */
const NUMBERED = /^\\u/
const NUMBERED_LENGTH = "\\u0000".length
const SPACE = /\s/
const ESCAPED_SPACE = /[nrtf]/

function spaceBefore(json: string, end: number): number {
  const last = json[end - 1] ?? ""
  if (SPACE.test(last)) return 1
  return ESCAPED_SPACE.test(last) && isEscaped(json, end - 1, 0) ? 2 : 0
}

const TEXT_OPENS = '{"type":"text","text":"'

/** The text of a row that is a text part and nothing else; undefined for any other row, and for text
 *  that is not sent as it stands. */
export function storedText(row: string): StoredText | undefined {
  const found = storedTextAt(row, 0)
  return found?.length === row.length ? found.text : undefined
}

/** The text that stands at a place of a row, and how much of the row it is. */
export function storedTextAt(
  row: string,
  at: number,
): { readonly text: StoredText; readonly length: number } | undefined {
  if (!row.startsWith(TEXT_OPENS, at)) return undefined
  const start = at + TEXT_OPENS.length
  const end = closingQuote(row, start)
  if (end < 0 || row.charCodeAt(end + 1) !== CLOSING_BRACE) return undefined
  if (!isSentAsItStands(row, start, end)) return undefined
  return { text: new StoredText(row.slice(start, end)), length: end + 2 - at }
}

const CLOSING_BRACE = 0x7d

/** Where the string ends that goes on at `from`; -1 when it does not. */
export function closingQuote(json: string, from: number): number {
  let at = json.indexOf('"', from)
  while (at > from && isEscaped(json, at, from)) at = json.indexOf('"', at + 1)
  return at
}

const BACKSLASH = 0x5c

function isEscaped(json: string, at: number, from: number): boolean {
  if (at === from || json.charCodeAt(at - 1) !== BACKSLASH) return false
  let first = at - 1
  while (first > from && json.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}

/** Whether the text between two places is neither blank nor holds half a character. */
export function isSentAsItStands(row: string, start: number, end: number): boolean {
  if (start === end) return false
  const first = row.charCodeAt(start)
  const visible = first > 0x20 && first < 0x7f && first !== BACKSLASH
  if (!visible && !BEGINS_VISIBLY.test(row.slice(start, end))) return false
  // Asked for in two steps: the first is the faster, and mostly the last.
  const escape = row.indexOf("\\u", start)
  return escape < 0 || escape >= end || !MAYBE_HALF.test(row.slice(escape, end))
}

const BEGINS_VISIBLY = /^(?:[^\s\\]|\\["\\])/
const MAYBE_HALF = /\\u[dD]/

/** The JSON of a row, with the texts in it left as they stand: `JSON.parse`, except that
 *  `{"type":"text","text":…}` becomes a `StoredText` where that is sent as it is. */
export function openRow(row: string): unknown {
  const whole = storedText(row)
  if (whole) return whole
  const { rest, texts } = cut(row)
  return texts.length > 0 ? putBack(JSON.parse(rest), texts) : JSON.parse(row)
}

/** Shorter ones are opened with the rest. */
const WORTH_CUTTING = 128

// Nobody outside this process knows it, so no text of a row can be taken for a place.
const PLACE = `<${crypto.randomUUID()}> `

/** A row with places where its long texts stood. */
function cut(row: string): { rest: string; texts: readonly StoredText[] } {
  const texts: StoredText[] = []
  let rest = ""
  let done = 0
  let at = row.indexOf(TEXT_OPENS)
  while (at >= 0) {
    const start = at + TEXT_OPENS.length
    const end = closingQuote(row, start)
    if (end - start >= WORTH_CUTTING && isSentAsItStands(row, start, end)) {
      const place = texts.push(new StoredText(row.slice(start, end))) - 1
      rest += `${row.slice(done, start)}${PLACE}${place}`
      done = end
    }
    at = row.indexOf(TEXT_OPENS, Math.max(start, end))
  }
  return { rest: rest + row.slice(done), texts }
}

/** The same value with the texts in their places. */
function putBack(value: unknown, texts: readonly StoredText[]): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => putBack(item, texts))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no list is a map; it came from JSON
  const fields = value as Record<string, unknown>
  for (const name in fields) {
    const field = fields[name]
    if (typeof field === "object" && field !== null) fields[name] = putBack(field, texts)
  }
  const stored = placed(fields.text, texts)
  return stored ? blockOf(fields, stored) : fields
}

function placed(text: unknown, texts: readonly StoredText[]): StoredText | undefined {
  if (typeof text !== "string" || !text.startsWith(PLACE)) return undefined
  return texts[Number(text.slice(PLACE.length))]
}

/** A text with more about it than a seal is no block of a prompt: it is opened after all. */
function blockOf(fields: Record<string, unknown>, stored: StoredText) {
  const { seal } = fields
  if (Object.keys(fields).length > (seal === undefined ? 2 : 3))
    return { ...fields, text: stored.text }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only who made a seal looks into it
  return seal === undefined ? stored : new StoredText(stored.json, seal as Seal)
}
