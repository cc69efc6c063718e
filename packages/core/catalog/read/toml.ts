import { linesBefore } from "../finding.ts"

/** A small part of TOML, enough for command files: keys, strings of all four kinds, numbers,
 *  booleans and tables. Arrays and inline tables are passed over, since no command has them. */
export type TomlReading =
  | {
      readonly type: "table"
      /** Keys of tables are dotted: `tool.name`. */
      readonly entries: ReadonlyMap<string, TomlEntry>
    }
  | { readonly type: "fault"; readonly line: number; readonly message: string }

export interface TomlEntry {
  readonly value: string | number | boolean
  /** 1-based: where the text of the value begins. */
  readonly line: number
}

export function readToml(text: string): TomlReading {
  const entries = new Map<string, TomlEntry>()
  const reader = new TomlReader(text)
  try {
    for (let table = ""; reader.nextStatement(); ) {
      if (reader.accept("[")) table = reader.tableName()
      else reader.keyValue(table, entries)
    }
    return { type: "table", entries }
  } catch (error) {
    return { type: "fault", line: reader.line, message: (error as Error).message }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\u001B",
  '"': '"',
  "\\": "\\",
}

const KEY_PART = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y
const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y
const SPACE = /[ \t]*/y
const END_OF_LINE = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const BARE_VALUE = /[^\s,#\]}]+/y

/** A cursor over the text. What does not fit throws a sentence; the reader knows its line. */
class TomlReader {
  readonly #text: string
  #at = 0
  #counted = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  get line(): number {
    this.#line += linesBefore(this.#text.slice(this.#counted, this.#at))
    this.#counted = this.#at
    return this.#line
  }

  nextStatement(): boolean {
    this.#match(BLANK)
    return this.#at < this.#text.length
  }

  accept(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false
    this.#at += mark.length
    return true
  }

  tableName(): string {
    const isList = this.accept("[")
    const name = this.#key()
    if (!this.accept(isList ? "]]" : "]")) throw new Error("the name of a table is not closed")
    this.#endOfLine()
    return name
  }

  keyValue(table: string, entries: Map<string, TomlEntry>): void {
    const key = table === "" ? this.#key() : `${table}.${this.#key()}`
    if (entries.has(key)) throw new Error(`the key ${key} is there twice`)
    if (!this.accept("=")) throw new Error(`= is missing after the key ${key}`)
    this.#match(SPACE)
    const line = this.line
    const value = this.#value(key)
    this.#endOfLine()
    if (value !== undefined) entries.set(key, { value, line })
  }

  #key(): string {
    const parts: string[] = []
    do {
      this.#match(SPACE)
      const part = this.#match(KEY_PART)
      if (part === "") throw new Error("a key is missing")
      parts.push(/^["']/.test(part) ? part.slice(1, -1) : part)
      this.#match(SPACE)
    } while (this.accept("."))
    return parts.join(".")
  }

  #value(key: string): string | number | boolean | undefined {
    if (this.accept('"""')) return this.#multiline('"""', true)
    if (this.accept("'''")) return this.#multiline("'''", false)
    if (this.accept('"')) return this.#basic()
    if (this.accept("'")) return this.#literal()
    if (this.accept("[") || this.accept("{")) return this.#skipNested()
    const bare = this.#match(BARE_VALUE)
    if (bare === "true" || bare === "false") return bare === "true"
    const number = Number(bare.replaceAll("_", ""))
    if (bare === "") throw new Error(`the key ${key} has no value`)
    if (Number.isNaN(number) && !/^[\d:TZ.+-]+$/.test(bare))
      throw new Error(`the value of ${key} is no text: put it in quotes`)
    return Number.isNaN(number) ? bare : number
  }

  #basic(): string {
    const end = this.#closing(/["\n\\]/g, '"')
    return this.#unescape(end)
  }

  #literal(): string {
    const close = this.#text.indexOf("'", this.#at)
    const feed = this.#text.indexOf("\n", this.#at)
    if (close < 0 || (feed >= 0 && feed < close)) throw new Error("a text in ' is not closed")
    return this.#take(close, 1)
  }

  /** Up to three quotes may stand before the three that close it. */
  #multiline(fence: '"""' | "'''", escapes: boolean): string {
    if (!this.accept("\r\n")) this.accept("\n")
    let close = escapes ? this.#closing(/"""|\\/g, fence) : this.#text.indexOf(fence, this.#at)
    if (close < 0) throw new Error(`a text in ${fence} is not closed`)
    for (let more = 0; more < 2 && this.#text.charAt(close + 3) === fence.charAt(0); more += 1)
      close += 1
    return escapes ? this.#unescape(close, 3) : this.#take(close, 3)
  }

  /** Where a quote closes the text, past what is escaped. */
  #closing(marks: RegExp, quote: string): number {
    marks.lastIndex = this.#at
    for (let mark = marks.exec(this.#text); mark; mark = marks.exec(this.#text)) {
      if (mark[0] === quote) return mark.index
      if (mark[0] === "\n") break
      marks.lastIndex = mark.index + 2
    }
    throw new Error(`a text in ${quote} is not closed`)
  }

  #take(end: number, marks: number): string {
    const text = this.#text.slice(this.#at, end)
    this.#at = end + marks
    return text
  }

  #unescape(end: number, marks = 1): string {
    return this.#take(end, marks).replace(ESCAPE, (raw, code?: string, single?: string) => {
      if (code !== undefined) return codePoint(code.slice(1))
      const known = single === undefined ? "" : ESCAPES[single]
      if (known === undefined) throw new Error(`${raw} is no escape`)
      return known
    })
  }

  /** Arrays and inline tables: brackets are counted, texts inside them are read past. */
  #skipNested(): undefined {
    for (let depth = 1; depth > 0; ) {
      this.#match(NOT_NESTED)
      if (this.#at >= this.#text.length) throw new Error("a list is not closed")
      if (this.accept('"""')) this.#multiline('"""', true)
      else if (this.accept("'''")) this.#multiline("'''", false)
      else if (this.accept('"')) this.#basic()
      else if (this.accept("'")) this.#literal()
      else depth += this.accept("[") || this.accept("{") ? 1 : this.#step()
    }
    return undefined
  }

  #step(): number {
    this.#at += 1
    return -1
  }

  #endOfLine(): void {
    const at = this.#at
    END_OF_LINE.lastIndex = at
    if (!END_OF_LINE.test(this.#text)) {
      const found = this.#text.slice(at, at + 20).split("\n", 1)[0]
      throw new Error(`${JSON.stringify(found)} follows the value on its line`)
    }
    this.#at = END_OF_LINE.lastIndex
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ""
    this.#at += found.length
    return found
  }
}

const NOT_NESTED = /(?:[^[\]{}"'#]|#[^\n]*)*/y
// A backslash at the end of a line joins it to the next word.
const ESCAPE = /\\(?:(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|[ \t]*\r?\n\s*|([^]?))/g

function codePoint(hexadecimal: string): string {
  const value = Number.parseInt(hexadecimal, 16)
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
    throw new Error(`\\u${hexadecimal} is no character`)
  return String.fromCodePoint(value)
}
